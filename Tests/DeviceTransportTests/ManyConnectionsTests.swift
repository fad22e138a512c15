import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import DeviceTransport

@Suite("Long batches of small requests get more connections") struct ManyConnectionsTests {
    private static func slow(connections: Int?) -> SimulatedDeviceSettings {
        var settings = SimulatedDeviceSettings.reader
        settings.requestLatency = .milliseconds(2)
        settings.connectionLimit = connections
        return settings
    }

    /// As of a computer whose processors are never busy, whatever else the tests do.
    private static var idle: DeviceSessionOptions {
        var options = DeviceSessionOptions()
        options.processors = 1 << 20
        return options
    }

    /// Enough questions that the further connections are there long before their end.
    private static let paths = Array(repeating: "/Documents", count: 1500)

    @Test("A device that is slow with small requests is asked over more connections than the guaranteed four")
    func wide() throws {
        try withSimulatedDevice(Self.slow(connections: nil)) { device in
            let files = try openFiles(device, Self.idle)
            for result in files.statMany(Self.paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsOpened > 4)
            #expect(files.counters.connectionsOpened <= 8)
        }
    }

    @Test("More connections are opened when small requests have taken several times as long as an opening")
    func paying() {
        func pays(
            isSmall: Bool = true, opening: Duration, spent: Duration, left: Int = 100,
            processors: Int = 1 << 20
        ) -> Bool {
            var pace = BatchPace(
                jobs: 100, isSmall: isSmall, processors: processors,
                after: .init(opening: opening, spent: spent))
            // So many that the answers have come fast, however slow this computer is.
            pace.requests = 1 << 20
            return pace.paysToGrow(left: left, owed: 0)
        }
        #expect(!pays(opening: .seconds(3600), spent: .zero))
        #expect(!pays(opening: .seconds(3600), spent: .seconds(4 * 3600 - 60), left: 50))
        #expect(pays(opening: .seconds(3600), spent: .seconds(4 * 3600)))
        #expect(pays(isSmall: false, opening: .seconds(3600), spent: .zero))
        // No processor is ever idle where there is none.
        #expect(!pays(opening: .zero, spent: .zero, processors: 0))
    }

    @Test("A batch of contents keeps to the guaranteed connections")
    func contents() throws {
        try withSimulatedDevice(Self.slow(connections: nil)) { device in
            let files = try openFiles(device)
            let results = files.pushMany(
                (0..<200).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") })
            for result in results { #expect(try result.get().size == 1) }
            #expect(files.counters.connectionsOpened <= 4)
        }
    }

    @Test("When the device refuses another connection the work goes on, and one of the extra ones is closed")
    func refused() throws {
        try withSimulatedDevice(Self.slow(connections: 6)) { device in
            let files = try openFiles(device, Self.idle)
            for result in files.statMany(Self.paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsRefused > 0)
            // A place is free again for another program, whose root is opened over a connection of its own.
            try waitUntil { failure { try openFiles(device) } == nil }
        }
    }

    @Test("Extra connections are closed when they are idle")
    func surplus() throws {
        try withSimulatedDevice(Self.slow(connections: 8)) { device in
            var options = Self.idle
            options.surplusLifetime = .milliseconds(1)
            let files = try openFiles(device, options)
            for result in files.statMany(Self.paths) { #expect(try result.get().kind == .folder) }
            #expect(files.counters.connectionsOpened > 4)
            // Of the eight places at least four become free.
            let others = Mutex<[DeviceFiles]>([])
            try waitUntil {
                while others.withLock({ $0.count }) < 4 {
                    guard let other = try? openFiles(device) else { return false }
                    others.withLock { $0.append(other) }
                }
                return true
            }
            #expect(try files.stat("/Documents").kind == .folder)
        }
    }
}
