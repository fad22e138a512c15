import Foundation
import TestSupport
import Testing

@Suite("Overlays and hosts of different minor versions understand each other")
struct MinorVersionTests {
    private static let fixtures = sourceFolder.appendingPathComponent("Tests/ExampleTests/Fixtures")

    @Test(
        "Every overlay works in every host",
        .enabled(if: programIsInstalled("cc"), "no C compiler: minor versions are not tested"))
    func matrix() throws {
        let shop = try Workshop()
        for variant in HeaderVariant.all {
            try build("compat_overlay.c", variant, "\(variant.name).so", shop)
            try build("compat_host.c", variant, "\(variant.name)-host", shop)
        }
        for overlay in HeaderVariant.all {
            for host in HeaderVariant.all {
                let result = try shop.run(
                    shop.folder.path("\(host.name)-host"), [shop.folder.path("\(overlay.name).so")])
                #expect(result.status == 0, "\(overlay.name) in \(host.name): \(result.errors)")
                #expect(
                    result.output == expected(overlay, in: host), "\(overlay.name) in \(host.name)")
            }
        }
    }

    /// The output of a host: the fields of each record that both sides know.
    private func expected(_ overlay: HeaderVariant, in host: HeaderVariant) -> String {
        let both = overlay.isNewer && host.isNewer
        var head = "Compat"
        if host.isNewer { head += both ? ", newer, method there" : ", , method missing" }
        var book = "7 bytes"
        if host.hasWords { book += overlay.hasWords ? ", 12 words" : ", 0 words" }
        if host.isNewer { book += both ? ", mark 99" : ", mark 0" }
        let title = both ? "newer log" : "old log"
        return """
            \(head)
            book a, \(title), \(book)
            book b, \(title), \(book)
            row 0 first \("")
            row 1 second \(both ? "marked" : "")
            status 0

            """
    }

    @Test(
        "An overlay in C of each minor version lists, adds and fetches in this host",
        arguments: HeaderVariant.all)
    func realHost(_ variant: HeaderVariant) throws {
        guard programIsInstalled("cc") else { return }
        let shop = try Workshop()
        try compileC(
            sourceFolder.appendingPathComponent("Examples/c/satchel.c"), to: "plugins/satchel.so", in: shop,
            headers: variant.headers(shop))
        try SatchelDevice.tryOut(shop)
    }

    private func build(_ file: String, _ variant: HeaderVariant, _ product: String, _ shop: Workshop) throws {
        let result = try shop.run(
            "cc",
            [
                "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I", try variant.headers(shop).path,
                variant.isNewer ? "-DNEWER" : "-UNEWER", "-fPIC",
                product.hasSuffix(".so") ? "-shared" : "-fvisibility=hidden", "-fvisibility=hidden", "-o",
                shop.folder.path(product), Self.fixtures.appendingPathComponent(file).path, "-ldl",
            ])
        try #require(result.status == 0, "\(result.errors)")
    }
}
