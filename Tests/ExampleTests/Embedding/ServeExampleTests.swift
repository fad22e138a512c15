import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Programs in Python and Swift use overlayhost serve")
struct ServeExampleTests {
    /// The output of the examples for a device with a book, when they send another.
    private func run(_ program: (_ arguments: [String], Workshop) throws -> ProgramResult) throws {
        let shop = try Workshop()
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.udid = randomUDID()
        settings.iosVersion = "17.0"
        settings.apps = [SimulatedReader.paperback()]
        let device = try SimulatedDevice(
            folder: shop.folder.url.appendingPathComponent("device"), settings: settings)
        let daemon = SimulatedUsbmuxd(socketPath: shop.folder.path("mux"))
        try daemon.start()
        defer { daemon.stop() }
        daemon.attach(device)
        let book = try RealBooks.history("fr").path
        func lines(_ arguments: [String]) throws -> [String] {
            let result = try program([daemon.address] + arguments, shop)
            #expect(result.status == 0, "\(result.errors)")
            return result.output.split(separator: "\n").map(String.init)
        }
        let first = try lines([book])
        #expect(first.first == "added \(book)", "\(first)")
        #expect(first.contains("Emma by Jane Austen") && first.count == 6, "\(first)")
        #expect(try lines([book]).first?.hasPrefix("skipped \(book)") == true)
        #expect(try lines([]).count == 5)
        daemon.detach(device)
        #expect(try program([daemon.address], shop).status != 0)
    }

    @Test("The example in Python runs", .enabled(if: programIsInstalled("python3"), "no Python"))
    func python() throws {
        let script = sourceFolder.appendingPathComponent("Examples/serve-python/books.py").path
        try run { try start("python3", [script], $0, $1) }
    }

    @Test("The example in Swift runs")
    func swift() throws {
        let program = try buildProductsFolder().appendingPathComponent("ExampleServeClient").path
        try run { try start(program, [], $0, $1) }
    }

    /// Starts a program with the remaining `arguments` and the address of usbmuxd.
    private func start(
        _ program: String, _ before: [String], _ arguments: [String], _ shop: Workshop
    ) throws -> ProgramResult {
        try runProgram(
            program, before + arguments.dropFirst(),
            environment: shop.environment.merging(["USBMUXD_SOCKET_ADDRESS": arguments[0]]) { $1 })
    }
}
