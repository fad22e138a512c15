import PropertyLists
import DeviceWire
import Foundation
import Glibc
import SimulatedDevice
import TestSupport
import Testing

@Suite("The daemon starts and stops without leftovers")
struct DaemonLifeTests {
    @Test("Stopping ends every connection and removes the socket; starting again serves the same devices")
    func restart() throws {
        let own = try OwnDaemon()
        let idle = try own.client()
        let listener = try own.client()
        _ = try listener.ask(["MessageType": "Listen"])
        _ = try listener.news()
        let lockdown = try own.lockdown()
        let before = try own.client().number(of: own.device.settings.udid)

        own.daemon.stop()
        #expect(try idle.isEnded())
        #expect(try listener.isEnded())
        #expect(try lockdown.isEnded())
        #expect(!FileManager.default.fileExists(atPath: own.daemon.socketPath))
        #expect(throws: MuxTestClient.Failure.self) { try own.client() }

        try own.daemon.start()
        #expect(try own.client().number(of: own.device.settings.udid) != before)
    }

    @Test("A socket file without a listener is replaced")
    func leftover() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("mux")
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
        close(socket)
        let daemon = SimulatedUsbmuxd(socketPath: path)
        try daemon.start()
        defer { daemon.stop() }
        #expect(try MuxTestClient(path).ask(["MessageType": "ListDevices"])["DeviceList"] == [])
    }

    @Test("A socket that is in use, a file, and a path that is too long are refused")
    func refusals() throws {
        let own = try OwnDaemon()
        #expect(code { try SimulatedUsbmuxd(socketPath: own.daemon.socketPath).start() } == .socketInUse)
        #expect(try own.client().ask(["MessageType": "ReadBUID"])["BUID"] != nil)
        let file = own.folder.path("file")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(code { try SimulatedUsbmuxd(socketPath: file).start() } == .socketInUse)
        #expect(FileManager.default.fileExists(atPath: file))
        let long = own.folder.path(String(repeating: "x", count: 100))
        #expect(code { try SimulatedUsbmuxd(socketPath: long).start() } == .socketPathTooLong)
    }

    @Test("Starting twice and stopping twice do no harm")
    func twice() throws {
        let own = try OwnDaemon()
        try own.daemon.start()
        #expect(try own.client().ask(["MessageType": "ReadBUID"])["BUID"] != nil)
        own.daemon.stop()
        own.daemon.stop()
    }

    @Test("Many clients at once are all served")
    func crowd() async throws {
        let own = try OwnDaemon()
        let path = own.daemon.socketPath
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { try MuxTestClient(path).ask(["MessageType": "ReadBUID"])["BUID"] != nil }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 50)
        withExtendedLifetime(own) {}
    }

    private func code(_ body: () throws -> Void) -> SimulationError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SimulationError)?.code
        }
    }
}
