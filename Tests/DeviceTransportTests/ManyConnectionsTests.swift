import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("A long batch uses up to four connections") struct ManyConnectionsTests {
    /// A slow device, so that the other connections are open long before the end of a batch.
    private static func slow(connections: Int?) -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.reader
        settings.requestLatency = .milliseconds(2)
        settings.connectionLimit = connections
        return settings
    }

    private static let paths = Array(repeating: "/Documents", count: 1500)

    @Test("Many small requests get four connections, and no more")
    func many() throws {
        try withSimulatedDevice(Self.slow(connections: nil)) { device in
            let files = try openFiles(device)
            for result in files.statMany(Self.paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsOpened == 4)
        }
    }

    @Test("Up to four requests keep to one connection, however slow the device is")
    func few() throws {
        try withSimulatedDevice(Self.slow(connections: nil)) { device in
            let files = try openFiles(device)
            for result in files.statMany(Array(Self.paths.prefix(4))) {
                #expect(try result.get().kind == .folder)
            }
            #expect(files.counters.connectionsOpened == 1)
            // All of them were pending at the same time.
            #expect(files.counters.roundTrips == 1)
        }
    }

    @Test("Sixteen short requests need one connection")
    func fewRequests() throws {
        try withSimulatedDevice(Self.slow(connections: nil)) { device in
            let files = try openFiles(device)
            let paths = (0..<16).map { Self.paths[$0 % Self.paths.count] }
            for result in files.statMany(paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsOpened == 1)
            #expect(files.counters.roundTrips == 1)
        }
    }

    @Test("There is a connection for every four files, and four at most")
    func contents() throws {
        for (count, most) in [(4, 1), (8, 2), (200, 4)] {
            try withSimulatedDevice(Self.slow(connections: nil)) { device in
                let files = try openFiles(device)
                let results = files.pushMany(
                    (0..<count).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") })
                for result in results { #expect(try result.get().size == 1) }
                #expect(files.counters.connectionsOpened <= most)
            }
        }
    }

    @Test("The work goes on over the connections that the device gives")
    func refused() throws {
        try withSimulatedDevice(Self.slow(connections: 2)) { device in
            let files = try openFiles(device)
            for result in files.statMany(Self.paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsOpened == 2)
            #expect(files.counters.connectionsRefused > 0)
        }
    }
}
