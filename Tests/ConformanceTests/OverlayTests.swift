import Conformance
import Foundation
import TestSupport
import Testing

@Suite("The overlays of this project and its examples keep the contract")
struct OverlayTests {
    @Test(
        "An overlay keeps every rule that can be tried",
        arguments: [
            ("Documents", 95), ("GoodReader", 90), ("IBooks", 90), ("Kindle", 90), ("Marvin", 95),
        ])
    func overlay(_ name: String, _ tried: Int) throws {
        let folder = try Mutant.privateFolder()
        let preferences = folder.path("prefs.json")
        try Data(#"{"ibooks_write": true}"#.utf8).write(to: URL(fileURLWithPath: preferences))
        let library = try buildProductsFolder().appendingPathComponent("lib\(name)Overlay.so").path
        let report = try Mutant.check(library: library, folder) { $0.preferences = preferences }
        #expect(report.broken == [], "\(report.text())")
        #expect(report.count("pass") >= tried, "\(report.text(withAll: true))")
    }

    @Test(
        "An upload that is cancelled at any call or report leaves nothing half done",
        arguments: ["Documents", "GoodReader", "IBooks", "Kindle", "Marvin"])
    func cancelled(_ name: String) throws {
        let folder = try Mutant.privateFolder()
        let preferences = folder.path("prefs.json")
        try Data(#"{"ibooks_write": true}"#.utf8).write(to: URL(fileURLWithPath: preferences))
        let library = try buildProductsFolder().appendingPathComponent("lib\(name)Overlay.so").path
        let report = try Mutant.check(library: library, folder) {
            $0.preferences = preferences
            $0.rules = RuleCatalog.rules(fitting: "faults/cancel-*")
            $0.faultPoints = .max
        }
        #expect(report.broken == [], "\(report.text())")
        // The simulated Marvin runs and writes its own files, so leftovers of an upload cannot be recognised.
        let skipped = name == "Marvin" ? ["faults/cancel-leftovers"] : []
        #expect(report.skipped == skipped, "\(report.text(withAll: true))")
    }

    @Test(
        "An example keeps every rule that can be tried",
        arguments: [
            ["cc", "-std=c11", "Examples/c/satchel.c"], ["c++", "-std=c++17", "Examples/cpp/satchel.cpp"],
            ["cc", "-std=c11", "Examples/sniffer/pamphlet.c"],
            ["cc", "-std=c11", "Tests/OverlayABITests/Fixtures/tiny_overlay.c"],
        ])
    func example(_ words: [String]) throws {
        let root = Mutant.folder.appendingPathComponent("../..").standardized
        let folder = try Mutant.privateFolder()
        let library = folder.path("example.so")
        let source = root.appendingPathComponent(words[2]).path
        let result = try runProgram(
            words[0],
            [
                words[1], "-shared", "-fPIC", "-fvisibility=hidden", "-I",
                root.appendingPathComponent("Sources/OverlayABI/include").path,
                "-Wl,--version-script=\(root.appendingPathComponent("Support/overlay.map").path)",
                "-o", library, source,
            ])
        try #require(result.status == 0, "\(result.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library)
        let report = try Mutant.check(library: library, folder)
        #expect(report.broken == [], "\(report.text())")
    }

    @Test("The example in Swift keeps every rule that can be tried")
    func lantern() throws {
        let folder = try Mutant.privateFolder()
        let library = try buildProductsFolder().appendingPathComponent("libLanternExample.so").path
        let report = try Mutant.check(library: library, folder)
        #expect(report.broken == [], "\(report.text())")
    }
}
