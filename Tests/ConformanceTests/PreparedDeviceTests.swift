import JSON
import Conformance
import Foundation
import OverlayHost
import SimulatedDevice
import TestSupport
import Testing

@Suite("A check reports an app that must be opened first")
struct PreparedDeviceTests {
    /// An overlay that needs the files that its app writes when it is first opened.
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

    @Test("An overlay that does not serve the device is neither passed nor failed")
    func undecided() throws {
        let folder = try Mutant.privateFolder()
        let report = try Mutant.check(library: try overlay(folder), folder)
        #expect(report.verdict == .undecided)
        #expect(report.broken == [])
        #expect(report.skipped.contains("process/crash"), "It was hardly watched.")
        #expect(report.obstacle?.contains("Open Base once.") == true)
        let text = report.text()
        #expect(
            text.contains("The check could not determine whether Base 1.0.0 follows the contract"), "\(text)")
        #expect(text.contains("Open Base once."))
        #expect(report.json.object?["conforms"] == .bool(false))
    }

    @Test(
        "With a prepared device every rule is tried, and the original device stays unchanged"
    )
    func prepared() throws {
        let folder = try Mutant.privateFolder()
        let device = try prepared(folder, app: "org.example.base")
        let elsewhere = folder.path("elsewhere")
        try FileManager.default.moveItem(atPath: device + "/Containers", toPath: elsewhere)
        try link(device + "/Containers", to: elsewhere)
        try FileManager.default.moveItem(
            atPath: elsewhere + "/org.example.base", toPath: folder.path("container"))
        try link(elsewhere + "/org.example.base", to: folder.path("container"))
        let before = try tree(device, elsewhere, folder.path("container"))
        let report = try Mutant.check(library: try overlay(folder), folder) { $0.device = device }
        #expect(report.verdict == .conforms, "\(report.text())")
        #expect(report.skipped == [], "\(report.text(withAll: true))")
        #expect(try tree(device, elsewhere, folder.path("container")) == before)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func tree(_ folders: String...) throws -> [[String]] {
        try folders.map { try FileManager.default.subpathsOfDirectory(atPath: $0).sorted() }
    }

    @Test("A device that is running is not copied")
    func running() throws {
        let folder = try Mutant.privateFolder()
        let library = try overlay(folder)
        let device = try prepared(folder, app: "org.example.base")
        let lock = try DeviceFolderLock(device, for: .running)
        let error = #expect(throws: HostError.self) {
            try Mutant.check(library: library, folder) { $0.device = device }
        }
        withExtendedLifetime(lock) {}
        #expect(error?.code == .inputUnreadable)
        #expect(error?.message == "A simulated device is already running in this folder.")
        #expect(error?.hint == "Stop the device, or choose another folder.")
    }

    @Test("A copy of a device does not keep others from copying it, but a device from running")
    func copying() throws {
        let folder = try TemporaryFolder()
        let first = try DeviceFolderLock(folder.path, for: .copying)
        let second = try DeviceFolderLock(folder.path, for: .copying)
        let error = #expect(throws: SimulationError.self) {
            _ = try DeviceFolderLock(folder.path, for: .running)
        }
        #expect(error?.code == .folderInUse)
        let lost = try BystanderDescriptors.lost { _ = try DeviceFolderLock(folder.path, for: .running) }
        #expect(lost == 0)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "A link from within an app's files to elsewhere is refused, and one that stays there is not",
        arguments: [
            ("/usr", "A symbolic link in the simulated device points outside the device."),
            ("nowhere", "A symbolic link in the simulated device is broken."),
            ("opened.epub", nil),
        ])
    func links(target: String, message: String?) throws {
        let folder = try Mutant.privateFolder()
        let library = try overlay(folder)
        let device = try prepared(folder, app: "org.example.base")
        let place = device + "/Containers/org.example.base/Documents/link"
        try link(place, to: target)
        var error: HostError?
        do {
            _ = try Mutant.check(library: library, folder) {
                $0.device = device
                $0.rules = RuleCatalog.rules(fitting: "rows/index")
            }
        } catch let caught as HostError {
            error = caught
        }
        #expect(error?.message == message)
        #expect(error?.subject == message.map { _ in place })
    }

    @Test("A folder without a device, and a device without the app, are reported")
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
