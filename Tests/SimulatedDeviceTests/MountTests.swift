import Foundation
import Glibc
import SimulatedDevice
import TestSupport
import Testing

@Suite("The simulated device is mounted by ifuse")
struct MountTests {
    /// Whether ifuse can mount on this system: the program, the device node and the permission exist.
    static let isPossible: Bool = {
        guard programIsInstalled("ifuse"), programIsInstalled("fusermount") else { return false }
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { return false }
        close(device)
        return geteuid() == 0
    }()

    @Test(
        "Files written through the mount are in the container, and the other way round",
        .enabled(if: isPossible, "ifuse needs /dev/fuse and the right to mount"), arguments: [true, false])
    func container(usesTLS: Bool) throws {
        let app = SimulatedApp(bundleID: "org.example.reader", name: "Reader", fileSharing: true)
        let settings = SimulatedDeviceSettings(
            iosVersion: "8.1", usesTLS: usesTLS, serviceTLS: usesTLS, apps: [app])
        try withSimulatedDevice(settings) { device in
            let container = device.containerFolder(of: app.bundleID)
            try Data("from the device".utf8).write(to: container.appendingPathComponent("Documents/a.txt"))
            let folder = try TemporaryFolder()
            let mount = folder.path("mount")
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
            let result = try runProgram(
                "ifuse", ["-u", device.settings.udid, "--container", app.bundleID, mount])
            #expect(result.status == 0, "\(result)")
            defer { unmount(mount) }

            let read = try runProgram("cat", [mount + "/Documents/a.txt"])
            #expect(read.output == "from the device")
            let write = try runProgram(
                "sh",
                ["-c", "mkdir \"$1/Documents/New\" && cp /bin/sh \"$1/Documents/New/copy\"", "sh", mount])
            #expect(write.status == 0, "\(write)")
            let copy = try Data(contentsOf: container.appendingPathComponent("Documents/New/copy"))
            #expect(try copy == Data(contentsOf: URL(fileURLWithPath: "/bin/sh")))
            let list = try runProgram("ls", [mount])
            #expect(list.output == "Documents\nLibrary\ntmp\n")
        }
    }

    @Test(
        "The Documents of an app that shares them can be mounted under a version that closes its container",
        .enabled(if: isPossible, "ifuse needs /dev/fuse and the right to mount"))
    func documents() throws {
        let app = SimulatedApp(bundleID: "org.example.reader", name: "Reader", fileSharing: true)
        var settings = SimulatedDeviceSettings.withoutTLS
        settings.iosVersion = "12.5"
        settings.apps = [app]
        try withSimulatedDevice(settings) { device in
            let folder = try TemporaryFolder()
            let mount = folder.path("mount")
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
            let refused = try runProgram(
                "ifuse", ["-u", device.settings.udid, "--container", app.bundleID, mount])
            #expect(refused.status != 0)
            let result = try runProgram(
                "ifuse", ["-u", device.settings.udid, "--documents", app.bundleID, mount])
            #expect(result.status == 0, "\(result)")
            defer { unmount(mount) }
            #expect(try runProgram("sh", ["-c", "echo hello > \"$1/b.txt\"", "sh", mount]).status == 0)
            let file = device.containerFolder(of: app.bundleID).appendingPathComponent("Documents/b.txt")
            #expect(try String(contentsOf: file, encoding: .utf8) == "hello\n")
        }
    }

    private func unmount(_ mount: String) {
        do {
            let result = try runProgram("fusermount", ["-u", mount])
            #expect(result.status == 0, "\(result)")
        } catch {
            Issue.record(error)
        }
    }
}
