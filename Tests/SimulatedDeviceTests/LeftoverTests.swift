import PropertyLists
import DeviceWire
import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// Counting threads and descriptors needs a process in which nothing else runs, so these tests start one.
@Suite("A stopped daemon has released everything")
struct LeftoverTests {
    private static let variable = "OVERLAYHOST_TEST_ALONE"
    private static let isAlone = ProcessInfo.processInfo.environment[variable] != nil

    @Test("Rounds of full use leave no more threads and descriptors than the first", .enabled(if: !isAlone))
    func startProbe() throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let result = try runProgram(
            program, ["--testing-library", "swift-testing", "--filter", "LeftoverTests/probe"],
            environment: [Self.variable: "1"], limit: 300)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(
            (result.output + result.errors).contains("Test run with 1 test"),
            "\(result.output)\(result.errors)")
    }

    @Test(
        "Rounds in a separate process leave nothing", .enabled(if: isAlone, "runs in a process of its own"))
    func probe() throws {
        try useAndStop()
        let descriptors = try openFiles()
        let threads = try count("/proc/self/task")
        for _ in 0..<6 { try useAndStop() }
        let left = try openFiles()
        #expect(left.count <= descriptors.count, "before: \(descriptors) after: \(left)")
        // The tests' own thread pool may grow by one. Leaks in six rounds would be more.
        #expect(try count("/proc/self/task") <= threads + 3)
    }

    /// The kind of each open descriptor, so that an additional one can be identified.
    private func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { number in
            var target = [UInt8](repeating: 0, count: 256)
            let length = readlink("/proc/self/fd/\(number)", &target, target.count)
            return "\(number) \(String(decoding: target.prefix(max(0, length)), as: UTF8.self))"
        }.sorted()
    }

    private func count(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder).count
    }

    /// One round: listeners, idle connections, TLS, a link, a network, a reader app; stopped while in use.
    private func useAndStop() throws {
        var settings = SimulatedDeviceSettings(attachment: .usbAndNetwork)
        settings.linkRoundTrip = .milliseconds(1)
        settings.udid = randomUDID()
        settings.apps = [SimulatedApp(bundleID: "org.example.marvin", name: "Marvin", kind: .marvin)]
        let own = try OwnDaemon(settings)
        let listener = try own.client()
        _ = try listener.ask(["MessageType": "Listen"])
        let lockdown = try own.lockdown()
        for arguments in [["-u", settings.udid], ["-n", "-u", settings.udid]] {
            let result = try runProgram(
                "ideviceinfo", arguments, environment: ["USBMUXD_SOCKET_ADDRESS": own.daemon.address])
            #expect(result.status == 0, "\(result)")
        }
        own.daemon.stop()
        withExtendedLifetime((listener, lockdown)) {}
    }
}
