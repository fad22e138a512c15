import BookFolders
import Glibc
import MarvinCommands
import OverlayKit

/// The overlay for Marvin, an EPUB reader for iPad and iPhone.
///
/// Marvin keeps its books in a database that only Marvin writes. This overlay reads a copy of the database. It requests
/// changes with command files, which Marvin processes while its connection mode is on.
public final class MarvinOverlay: Overlay {
    let host: HostServices
    /// Deadlines of commands; tests replace them.
    var timing: CommandTiming
    /// The host's monotonic clock; tests replace it.
    var now: () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    /// The host's time of day in nanoseconds since 1970; tests replace it.
    var wallClock: () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    /// The device that this instance serves.
    var connected = ConnectedDevice()
    /// The collections as reported to the host.
    var shown = ReportedCollections()
    /// The cached library.
    let cache: BooklistCache

    /// Makes an instance without a device.
    public init(host: HostServices) throws(OverlayError) {
        self.host = host
        cache = BooklistCache(host)
        timing = .standard
        timing.longestPoll = .milliseconds(250)
        // After a cancel, the host allows five seconds to clean up; Marvin gets two of them to stop.
        timing.cancelGrace = .seconds(2)
    }

    /// Ends the instance and forgets the device.
    public func shutdown() throws(OverlayError) {
        connected = ConnectedDevice()
        shown = ReportedCollections()
        cache.forget()
    }

    /// The version that Marvin reports, or else the one that iOS knows.
    func marvinVersion() throws(OverlayError) -> MarvinVersion? {
        if let version = connected.appVersion.flatMap(MarvinVersion.init) { return version }
        return try host.transport.device().appVersion.flatMap(MarvinVersion.init)
    }
}

/// What an instance remembers about its device between two calls.
struct ConnectedDevice: Equatable {
    /// Which device it is, and whether it was ejected.
    var usb = ShelfConnection()
    /// The version that Marvin reported in its connection mode.
    var appVersion: String?
}

/// The collections of each book as reported to the host.
///
/// A host returns the whole list, edited or not. Meanwhile another program may have added the book to other
/// collections, so only the difference between the host's two lists is applied.
struct ReportedCollections {
    /// The books of the last listing.
    private let listed: LibraryBooks
    /// The index of each, computed on first use.
    private lazy var places = Dictionary(
        zip(listed.lazy.map(\.fileName.bytes), listed.indices), uniquingKeysWith: { first, _ in first })
    /// What the host believes since the listing; nil if that is not known.
    private var later: [[UInt8]: [String]?] = [:]

    /// - Parameter listed: the books reported to the host.
    init(_ listed: LibraryBooks = LibraryBooks()) { self.listed = listed }

    /// The collections reported for a book; nil if none were, so that the host's list is applied as a whole.
    mutating func of(_ path: String) -> [String]? {
        if let later = later[path.bytes] { return later }
        return places[path.bytes].map { listed[$0].collections }
    }

    /// Records what the host believes from now on.
    mutating func note(_ path: String, _ collections: [String]) { later[path.bytes] = .some(collections) }

    /// Records that it is not known what the host believes about a book.
    mutating func forget(_ path: String) { later[path.bytes] = .some(nil) }
}

extension MarvinOverlay: ProvidesSettings {
    /// The abilities with the present app, and why others are missing. Does not send requests to the device.
    public func settings() throws(OverlayError) -> OverlaySettings {
        let fields = MetadataField.allCases.map(\.rawValue)
        switch try access() {
        case .library:
            let settable = try settable()
            guard !settable.contains(.collections) else { return OverlaySettings(settableMetadata: fields) }
            return OverlaySettings(
                settableMetadata: fields.filter { $0 != MetadataField.collections.rawValue },
                missing: [
                    .init(
                        .collections, reason: "The preference \(Self.collectionsPreference) is false.",
                        hint: "Set it to true to change collections from this computer.")
                ])
        case .documents:
            let why = "iOS allows access only to Marvin's documents"
            return OverlaySettings(
                settableMetadata: [],
                missing: [
                    .init(
                        .delete, reason: "\(why): a file removed there would stay in Marvin's library.",
                        hint: "Delete the book in Marvin itself. " + MarvinHint.container),
                    .init(
                        .update, reason: "\(why): its library is not accessible.", hint: MarvinHint.container),
                    .init(
                        .collections, reason: "\(why): its library is not accessible.",
                        hint: MarvinHint.container),
                ])
        case .none(let reason, let hint):
            return OverlaySettings(
                settableMetadata: [],
                missing: [.books, .upload, .delete, .update, .collections, .get, .covers].map {
                    .init($0, reason: reason, hint: hint)
                })
        }
    }
}

extension MarvinOverlay {
    /// The access to the present app. Does not send requests to the device.
    func access() throws(OverlayError) -> MarvinAccess {
        MarvinAccess(
            try MarvinPaths(version: try marvinVersion(), prefs: host.prefs), try host.transport.roots())
    }

    /// The app and its library.
    ///
    /// - Throws: `accessRefused` if only its documents can be reached, or nothing.
    func device() throws(OverlayError) -> MarvinDevice {
        switch try access() {
        case .library(let paths): return device(paths)
        case .documents:
            throw OverlayError(
                .accessRefused,
                "iOS allows access only to the documents of this Marvin, not to its "
                    + "library.",
                hint: MarvinHint.container)
        case .none(let reason, let hint): throw OverlayError(.accessRefused, reason, hint: hint)
        }
    }

    func device(_ paths: MarvinPaths) -> MarvinDevice {
        MarvinDevice(
            host: host, paths: paths, timing: timing, now: now, wallClock: wallClock, cache: cache)
    }
}

extension MarvinOverlay: ChecksPresence, ChecksUSB, Ejects, CleansUpAfterYank {
    /// Whether Marvin can be reached and accepts commands now.
    ///
    /// Takes three requests, or fewer if Marvin is not in connection mode.
    public func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        if let ejection = connected.usb.ejection { return ejection }
        connected.usb.remember(try host.transport.device(), device)
        let paths: MarvinPaths
        switch try access() {
        case .library(let found): paths = found
        // Documents are accessible whether the app runs or not.
        case .documents: return .yes(appVersion: try host.transport.device().appVersion)
        case .none(let reason, let hint): return .no(.accessRefused, reason, hint: hint)
        }
        let connection: ConnectionStatus?
        do {
            connection = try MarvinDevice.connection(host.transport, paths)
        } catch {
            switch error.status {
            case .protocolError:
                let hint = error.retryable ? "Try again in a moment." : MarvinHint.connect
                return .notNow(.notInConnectionMode, "Cannot read Marvin's connection file.", hint: hint)
            case .accessRefused:
                return .no(.accessRefused, error.message, hint: error.hint)
            default: throw error
            }
        }
        guard let connection else {
            return .notNow(
                .notInConnectionMode, "Marvin is not in connection mode.", hint: MarvinHint.connect,
                appVersion: connected.appVersion)
        }
        connected.appVersion = connection.appVersion
        guard connection.state == .online else {
            return .notNow(
                .appOffline, "Marvin is in the background, or the device is asleep.",
                hint: MarvinHint.connect,
                appVersion: connection.appVersion)
        }
        return .yes(appVersion: connection.appVersion)
    }

    /// The index of this instance's USB device. Does not send requests to the device.
    public func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        if connected.usb.udid == nil, !connected.usb.isEjected { identify() }
        return connected.usb.index(in: devices, presenceOnly: presenceOnly)
    }

    /// Remembers the session's device, if the host knows its UDID in this state.
    private func identify() {
        do throws(OverlayError) {
            connected.usb.remember(try host.transport.device())
        } catch {
            host.log.debug("marvin", "Cannot identify the device yet: \(error.message)")
        }
    }

    /// Ends the connection. The device is not notified, because nothing of it is in use between two calls.
    public func eject() throws(OverlayError) {
        connected.usb.eject()
    }

    /// Forgets the device.
    public func postYankCleanup() {
        connected = ConnectedDevice()
        shown = ReportedCollections()
        cache.forget()
    }
}
