import CommandProtocol
import Glibc
import OverlayKit

/// The overlay for Marvin, an EPUB reader for iPad and iPhone.
///
/// Marvin keeps its books in a database that only it writes. This overlay reads a copy of the database, and asks for
/// changes through command files that Marvin picks up while its connection mode is on.
public final class MarvinOverlay: Overlay {
    let host: HostServices
    /// Deadlines of commands; tests set others.
    var timing: CommandTiming
    /// The host's steady clock; tests set another.
    var now: () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    /// The host's time of day, in nanoseconds since 1970; tests set another.
    var wallClock: () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    /// What is known about the device this instance serves.
    var connected = ConnectedDevice()
    /// The collections that the host was shown.
    var shown = ReportedCollections()
    /// What is remembered of the library.
    let cache: BooklistCache

    /// Makes an instance that knows no device yet.
    public init(host: HostServices) throws(OverlayError) {
        self.host = host
        cache = BooklistCache(host)
        timing = .standard
        timing.longestPoll = .milliseconds(250)
        // After a cancel the host gives five seconds to tidy up, of which Marvin gets two to stop.
        timing.cancelGrace = .seconds(2)
    }

    /// Ends the instance; what it knew of the device goes.
    public func shutdown() throws(OverlayError) {
        connected = ConnectedDevice()
        shown = ReportedCollections()
        cache.forget()
    }

    /// The version that Marvin itself gave, or else the one iOS knows.
    func marvinVersion() throws(OverlayError) -> MarvinVersion? {
        if let version = connected.appVersion.flatMap(MarvinVersion.init) { return version }
        return try host.transport.device().appVersion.flatMap(MarvinVersion.init)
    }
}

/// What an instance remembers of its device between two calls.
struct ConnectedDevice: Equatable {
    /// The UDID, once it is known.
    var udid: String?
    /// The version that Marvin gave in its connection mode.
    var appVersion: String?
    /// The person ended the connection and the device is still plugged in.
    var isEjected = false
}

/// The collections of each book as the host was shown them.
///
/// A host hands the full list back, as it was or edited. Meanwhile another program may have put the book into others, so
/// the host wants only what differs between its two lists.
struct ReportedCollections {
    /// The books of the last listing.
    private let listed: LibraryBooks
    /// Where each of them is; made when it is first asked for.
    private lazy var places = Dictionary(
        zip(listed.lazy.map(\.fileName.bytes), listed.indices), uniquingKeysWith: { first, _ in first })
    /// What the host believes since; nil: that is not known.
    private var later: [[UInt8]: [String]?] = [:]

    /// - Parameter listed: the books that the host was shown.
    init(_ listed: LibraryBooks = LibraryBooks()) { self.listed = listed }

    /// What the host was shown of a book; nil: nothing, so that its list is the wish as a whole.
    mutating func of(_ path: String) -> [String]? {
        if let later = later[path.bytes] { return later }
        return places[path.bytes].map { listed[$0].collections }
    }

    /// Notes what the host believes from here on.
    mutating func note(_ path: String, _ collections: [String]) { later[path.bytes] = .some(collections) }

    /// Notes that it is not known what the host believes of a book.
    mutating func forget(_ path: String) { later[path.bytes] = .some(nil) }
}

extension MarvinOverlay: ProvidesSettings {
    /// What can be done with the Marvin at hand, and why not more. Asks the device nothing.
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
    /// What can be done with the app at hand; asks the device nothing.
    func access() throws(OverlayError) -> MarvinAccess {
        MarvinAccess(
            try MarvinPaths(version: try marvinVersion(), prefs: host.prefs), try host.transport.roots())
    }

    /// The app with its library.
    ///
    /// - Throws: `accessRefused` when only its documents can be reached, or nothing.
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
