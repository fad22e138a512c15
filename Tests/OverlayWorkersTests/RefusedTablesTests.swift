import Foundation
import HostErrors
import OverlayTestSupport
import TestSupport
import Testing

@testable import OverlayLoading
@testable import OverlayWorkers

@Suite("An overlay whose tables cannot be sent by its worker is refused with the reason")
struct RefusedTablesTests {
    /// A fault of the fixture, and the refusal.
    struct Fault: Sendable, CustomTestStringConvertible {
        let macros: [String]
        let code: OverlayRefusalCode
        let words: [String]
        var testDescription: String { macros.joined(separator: " ") }
    }

    @Test(
        "Wrong sizes in the descriptor name the field and what to do",
        arguments: [
            Fault(
                macros: ["OPTION_STRIDE=64"], code: .structTooSmall,
                words: [
                    "The stride 64 of ovl_descriptor.options is smaller than the struct_size",
                    "sizeof(ovl_option)",
                ]),
            Fault(
                macros: ["OPTION_STRIDE=sizeof(ovl_option)+4"], code: .structTooSmall,
                words: ["of ovl_descriptor.options is wrong", "a multiple of 8"]),
            Fault(
                macros: ["OPTION_COUNT=5000000"], code: .invalidDescriptor,
                words: ["A list of 5000000 elements is not possible."]),
        ])
    func refused(_ fault: Fault) throws {
        let world = try PluginWorld()
        let file = world.file("fixture.so")
        try FixtureOverlay.build(file, fault.macros)
        let program = try buildProductsFolder().appendingPathComponent("overlayhost").path
        let discovery = OverlayDiscovery(
            paths: world.paths, runner: OverlayIsolation.worker(WorkerOptions(program: program)).runner)
        let error = #expect(throws: HostError.self) { try discovery.load(file) }
        #expect(error?.code == .overlayRefused)
        #expect((error?.underlying as? OverlayRefusal)?.code == fault.code)
        let message = error?.message ?? ""
        for words in fault.words { #expect(message.contains(words), "\(message)") }
    }
}
