import Conformance
import Foundation
import TestSupport
import Testing

@Suite("The overlays of this project keep the contract")
struct OverlayTests {
    @Test(
        "An overlay keeps every rule that can be tried",
        arguments: ["Documents", "GoodReader", "IBooks", "Kindle", "Marvin"])
    func overlay(_ name: String) throws {
        let folder = try Mutant.privateFolder()
        let preferences = folder.path("prefs.json")
        try Data(#"{"ibooks_write": true}"#.utf8).write(to: URL(fileURLWithPath: preferences))
        let library = try buildProductsFolder().appendingPathComponent("lib\(name)Overlay.so").path
        let report = try Mutant.check(library: library, folder) { $0.preferences = preferences }
        #expect(report.broken == [], "\(report.text())")
        #expect(report.count("pass") > 80, "\(report.text(withAll: true))")
    }
}
