import Foundation
import TestSupport
import Testing

@Suite(
    "A built overlay exports only its entry function, and needs only libraries of the system")
struct ExportedSymbolTests {
    /// The overlays that were built together with the tests.
    private func overlays() throws -> [URL] {
        let overlays = try FileManager.default.contentsOfDirectory(
            at: buildProductsFolder(), includingPropertiesForKeys: nil
        ).filter { $0.lastPathComponent.hasSuffix("Overlay.so") }
        try #require(overlays.contains { $0.lastPathComponent == "libMarvinOverlay.so" })
        return overlays
    }

    @Test("The dynamic symbol table defines exactly ovl_entry_v1")
    func symbols() throws {
        for overlay in try overlays() {
            // The gold linker also lists symbols that it made local, for relocations. No program can bind to them.
            let result = try runProgram("nm", ["-D", "--defined-only", "--extern-only", overlay.path])
            #expect(result.status == 0, "\(result.errors)")
            let names = result.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
            #expect(names == ["ovl_entry_v1"], "\(overlay.lastPathComponent)")
        }
    }

    @Test("The library stays mapped once it is loaded")
    func nodelete() throws {
        for overlay in try overlays() {
            let result = try runProgram("readelf", ["-d", overlay.path])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("NODELETE"), "\(overlay.lastPathComponent)")
        }
    }

    @Test("The version script names one symbol and hides all others")
    func versionScript() throws {
        let script = try SourceTree.text(SourceTree.root.appendingPathComponent("Support/overlay.map"))
        let words = script.split { " \n{};:".contains($0) }
        #expect(words == ["global", "ovl_entry_v1", "local", "*"])
    }
}
