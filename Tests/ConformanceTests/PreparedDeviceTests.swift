import Conformance
import Foundation
import OverlayHost
import TestSupport
import Testing

@Suite("An app that must be opened first")
struct PreparedDeviceTests {
    /// An overlay that wants what its app writes when it is opened for the first time.
    private func overlay(_ folder: TemporaryFolder) throws -> String {
        let library = folder.path("overlay.so")
        let look = """
            { ovl_text mark = TEXT("/Documents/opened.epub"); if (instance->transport == NULL || look(instance, mark).status != OVL_OK) { \
            presence.answer = OVL_PRESENCE_NOT_NOW; presence.reason = OVL_REASON_APP_OFFLINE; \
            presence.message = view("Open Base once."); } }
            """
        try Mutant.compile("Base", to: library, hooks: ["IN_CAN_HANDLE": look])
        return library
    }

    private func prepared(_ folder: TemporaryFolder, app: String) throws -> String {
        let device = URL(fileURLWithPath: folder.path("device"))
        let documents = device.appendingPathComponent("Containers/\(app)/Documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        try Data("opened".utf8).write(to: documents.appendingPathComponent("opened.epub"))
        let settings = #"{"ios": "8.1.3", "tls": false, "apps": [{"bundle_id": "\#(app)", "name": "Base"}]}"#
        try Data(settings.utf8).write(to: device.appendingPathComponent("device.json"))
        return device.path
    }

    @Test("An overlay that does not want the device is neither praised nor blamed")
    func undecided() throws {
        let folder = try Mutant.privateFolder()
        let report = try Mutant.check(library: try overlay(folder), folder)
        #expect(report.verdict == .undecided)
        #expect(report.broken == [])
        #expect(report.skipped.contains("process/crash"), "It was hardly watched.")
        #expect(report.obstacle?.contains("Open Base once.") == true)
        let text = report.text()
        #expect(text.contains("It cannot be told whether Base 1.0.0 keeps the contract"), "\(text)")
        #expect(text.contains("Open Base once."))
        #expect(report.json.object?["conforms"] == .bool(false))
    }

    @Test("With a device that is prepared for it every rule is tried, and the folder stays as it is")
    func prepared() throws {
        let folder = try Mutant.privateFolder()
        let device = try prepared(folder, app: "org.example.base")
        let before = try FileManager.default.subpathsOfDirectory(atPath: device).sorted()
        let report = try Mutant.check(library: try overlay(folder), folder) { $0.device = device }
        #expect(report.verdict == .conforms, "\(report.text())")
        #expect(report.skipped == [], "\(report.text(withAll: true))")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: device).sorted() == before)
    }

    @Test("A folder without a device, and a device without the app, are said to be so")
    func wrong() throws {
        let folder = try Mutant.privateFolder()
        let library = try overlay(folder)
        for (device, code) in [
            (folder.path("nowhere"), HostError.Code.inputUnreadable),
            (try prepared(folder, app: "org.example.another"), HostError.Code.appNotInstalled),
        ] {
            let error = #expect(throws: (any Error).self) {
                try Mutant.check(library: library, folder) { $0.device = device }
            }
            #expect((error as? HostError)?.code == code)
        }
    }
}
