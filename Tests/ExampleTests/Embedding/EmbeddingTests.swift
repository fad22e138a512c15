import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Programs in C and Swift embed the host")
struct EmbeddingTests {
    @Test(
        "A program in C runs commands and gets their documents",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the library for C is not tested"))
    func c() throws {
        let shop = try Workshop()
        try build("books.c", shop)
        try SatchelDevice.make(shop)
        let books = try shop.run(shop.folder.path("books"), ["books", "--simulated=device"])
        #expect(books.status == 0, "\(books.errors)")
        #expect(
            books.output.split(separator: "\n").sorted() == [
                "Emma", "Field Notes", "The Sign of the Four", "Unpacked",
            ])
        let book = try RealBooks.history("en").path
        let added = try shop.run(shop.folder.path("books"), ["upload", book, "--simulated=device"])
        #expect(added.status == 0, "\(added.errors)")
        let wrong = try shop.run(shop.folder.path("books"), ["books", "--frobnicate"])
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("\"usage\""), "\(wrong.errors)")
        let asked = try shop.run(shop.folder.path("books"), ["delete", "Emma", "--simulated=device"])
        #expect(asked.status == 64)
    }

    @Test(
        "A command is cancelled from another thread, and runs once",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the library for C is not tested"))
    func rules() throws {
        let shop = try Workshop()
        try build("../../Tests/ExampleTests/Fixtures/embedding_rules.c", shop)
        let result = try shop.run(shop.folder.path("books"), [])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "cancelled 130\nagain 64\ntwo 0 0\nfine\n", "\(result.errors)")
    }

    @Test(
        "A command can be cancelled while it reports what an overlay is doing, and then says what it waits for",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the library for C is not tested"))
    func cancelWithinNote() throws {
        let shop = try Workshop()
        try build("../../Tests/ExampleTests/Fixtures/embedding_cancel.c", shop)
        let plugins = shop.folder.url.appendingPathComponent("plugins")
        try FileManager.default.createDirectory(
            at: plugins, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let overlay = try shop.run(
            "cc",
            [
                "-std=c11", "-fPIC", "-shared", "-I",
                sourceFolder.appendingPathComponent("Sources/OverlayABI/include").path, "-o",
                plugins.appendingPathComponent("talking.so").path,
                sourceFolder.appendingPathComponent("Tests/ExampleTests/Fixtures/talking.c").path,
            ])
        try #require(overlay.status == 0, "\(overlay.errors)")
        let result = try shop.run(
            shop.folder.path("books"),
            [
                "books", "--app", "Marvin", "--plugins", plugins.path, "--simulated=device", "--profile",
                "marvin", "--verbose",
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "begun 1 waiting 1\n", "\(result.errors)")
    }

    @Test(
        "The installed library finds the program and the overlays it was installed with",
        .enabled(if: programIsInstalled("cc"), "no C compiler: the library for C is not tested"))
    func installed() throws {
        let shop = try Workshop()
        for folder in ["bin", "lib/overlayhost/plugins"] {
            try FileManager.default.createDirectory(
                at: shop.folder.url.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        let products = try buildProductsFolder()
        for (file, place) in [
            ("overlayhost", "bin"), ("liboverlayhost-c.so", "lib"),
            ("libDocumentsOverlay.so", "lib/overlayhost/plugins"),
        ] {
            // Another process writes the file. A program that this process had open for writing cannot run while
            // processes of other tests have inherited the descriptor.
            let copied = try runProgram(
                "cp", [products.appendingPathComponent(file).path, shop.folder.path(place)])
            try #require(copied.status == 0, "\(copied.errors)")
        }
        try build("books.c", shop, library: shop.folder.path("lib"))
        try SatchelDevice.make(shop)
        let books = try shop.run(shop.folder.path("books"), ["books", "--simulated=device"])
        #expect(books.status == 0, "\(books.errors)")
        #expect(books.output.contains("Emma"))
    }

    @Test("The library exports what its header declares, and nothing else")
    func symbols() throws {
        let library = try buildProductsFolder().appendingPathComponent("liboverlayhost-c.so")
        let result = try runProgram("nm", ["-D", "--defined-only", "--extern-only", library.path])
        let names = result.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
            .map(String.init)
        let header = try String(
            contentsOf: sourceFolder.appendingPathComponent("Sources/COverlayHost/include/overlayhost.h"),
            encoding: .utf8)
        let declared = header.matches(of: #/\b(overlayhost_\w+)\(/#).map { String($0.1) }
        #expect(Set(names) == Set(declared))
        #expect(declared.count == 5)
    }

    @Test("A program in Swift lists the books of the attached device")
    func swift() throws {
        let shop = try Workshop()
        try withSimulatedDevice(settings()) { device in
            let daemon = SimulatedUsbmuxd(socketPath: shop.folder.path("mux"))
            try daemon.start()
            defer { daemon.stop() }
            daemon.attach(device)
            let program = try buildProductsFolder().appendingPathComponent("ExampleHost").path
            let result = try runProgram(
                program,
                environment: shop.environment.merging(["USBMUXD_SOCKET_ADDRESS": daemon.address]) { $1 })
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("by the overlay Documents"), "\(result.output)")
            #expect(result.output.contains("Emma, by Jane Austen"), "\(result.output)")
            #expect(result.output.contains("Field Notes, by A. Walker"), "\(result.output)")
        }
    }

    private func settings() -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.iosVersion = "17.0"
        settings.apps = [SimulatedReader.paperback()]
        return settings
    }

    /// Builds a program against the library that was built together with the tests.
    private func build(_ source: String, _ shop: Workshop, library: String? = nil) throws {
        let products = try library ?? buildProductsFolder().path
        let result = try shop.run(
            "cc",
            [
                "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", shop.folder.path("books"),
                sourceFolder.appendingPathComponent("Examples/host-c/" + source).path, "-I",
                sourceFolder.appendingPathComponent("Sources/COverlayHost/include").path, "-L", products,
                "-Wl,-rpath,\(products)", "-loverlayhost-c", "-lpthread",
            ])
        try #require(result.status == 0, "\(result.errors)")
    }
}
