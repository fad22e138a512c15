import BookFolders
import CommandProtocol
import OverlayKit

/// Marvin's container on one device, as the methods of the overlay use it.
struct MarvinDevice {
    let host: HostServices
    let paths: MarvinPaths
    /// How long commands may take.
    let timing: CommandTiming
    /// A clock that does not go back.
    let now: () -> Duration
    /// The host's time of day, in nanoseconds since 1970.
    let wallClock: () -> Int64
    /// What is remembered of the library.
    let cache: BooklistCache

    /// The root that all paths are below.
    var root: Root { paths.root }

    /// What `connected.xml` says; nil: Marvin is not in connection mode.
    ///
    /// - Throws: `protocolError` when the file cannot be understood, `retryable` while Marvin is writing it.
    static func connection(
        _ transport: TransportService, _ paths: MarvinPaths
    ) throws(OverlayError) -> ConnectionStatus? {
        let path = paths.staged(StagingFile.connection)
        guard let bytes = try smallFile(transport, paths.root, path) else { return nil }
        do {
            return try ConnectionStatus(decoding: bytes)
        } catch {
            throw OverlayError(
                .protocolError, error.message, subject: path, hint: error.hint, domain: .readerApp,
                nativeCode: error.native?.number ?? 0, retryable: error.isRetryable)
        }
    }

    /// A whole file of the protocol; nil: it is not there.
    ///
    /// These files are a few hundred bytes and are looked at again and again. One read is enough for one that ends as such
    /// a file does; any other is read again until its end is certain.
    static func smallFile(
        _ transport: TransportService, _ root: Root, _ path: String
    ) throws(OverlayError) -> [UInt8]? {
        for request in [ReadRequest(path, length: 65_536, once: true), ReadRequest(path)] {
            switch try transport.readMany(root, [request]).first {
            case .success(let bytes)?:
                if !request.once || endsWhole(bytes) { return bytes }
            case .failure(let error)?:
                if error.status == .notFound { return nil }
                throw error
            case nil:
                return nil
            }
        }
        return nil
    }

    /// Whether the last thing in the file is the end of its root element.
    private static func endsWhole(_ bytes: [UInt8]) -> Bool {
        // White space and NULs may follow.
        guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return false }
        return ["</status>", "</connection>"].contains {
            bytes[...last].suffix($0.utf8.count).elementsEqual($0.utf8)
        }
    }

    /// The names in a folder; nil: it is not there.
    func names(in folder: String) throws(OverlayError) -> [String]? {
        do {
            return try host.transport.list(root, folder).map(\.name)
        } catch {
            if error.status == .notFound { return nil }
            throw error
        }
    }

    /// Regular files among `paths`; nil: there is none of that name. In batches, so that progress moves on.
    func files(_ paths: [String], phase: String? = nil) throws(OverlayError) -> [FileInfo?] {
        try infos(paths, phase: phase).map { $0?.kind == .regular ? $0 : nil }
    }

    /// What is at `paths`; nil: nothing.
    func infos(_ paths: [String], phase: String? = nil) throws(OverlayError) -> [FileInfo?] {
        var found: [FileInfo?] = []
        found.reserveCapacity(paths.count)
        for start in stride(from: 0, to: paths.count, by: 1000) {
            if let phase { host.progress.report(start, of: paths.count, phase: phase) }
            for result in try host.transport.stat(root, Array(paths[start...].prefix(1000))) {
                switch result {
                case .success(let info): found.append(info)
                case .failure(let error):
                    guard error.status == .notFound else { throw error }
                    found.append(nil)
                }
            }
        }
        return found
    }

    /// Checks that Marvin takes commands.
    ///
    /// - Throws: `appUnavailable` when it does not.
    func requireOnline() throws(OverlayError) {
        guard let connection = try Self.connection(host.transport, paths) else {
            throw .notConnected("Marvin is not in connection mode.")
        }
        guard connection.state == .online else {
            throw .notConnected("Marvin is in the background, or the device is asleep.")
        }
    }
}

extension OverlayError {
    /// Marvin does not listen.
    static func notConnected(_ message: String) -> OverlayError {
        OverlayError(.appUnavailable, message, hint: MarvinHint.connect, retryable: true)
    }
}

/// Which of some books have their files among the documents, for as few requests as that takes.
struct BookFiles {
    /// So many files are asked for one by one; for more the folder is listed, which is one request however many books there are.
    private static let few = 16

    private let names: [String]
    private let device: MarvinDevice

    /// - Parameter names: names of files, each a safe name.
    init(_ names: [String], _ device: MarvinDevice) {
        (self.names, self.device) = (names, device)
    }

    /// The bytes of those names that are there now.
    func present() throws(OverlayError) -> Set<[UInt8]> {
        guard names.count > Self.few else { return try asked(names) }
        let listed = try device.names(in: device.paths.documents) ?? []
        let found = Set(listed.map(\.bytes)).intersection(names.map(\.bytes))
        // A folder may spell a name in another way than the library. Only the device knows whether both are one file.
        let alike = NameTable(listed)
        return found.union(try asked(names.filter { alike.contains($0) && !found.contains($0.bytes) }))
    }

    /// The bytes of those names that the device finds when it is asked for each.
    private func asked(_ names: [String]) throws(OverlayError) -> Set<[UInt8]> {
        let files = try device.files(names.map(device.paths.document))
        return Set(zip(names, files).compactMap { $1 == nil ? nil : $0.bytes })
    }

    /// The bytes of those names that are still there after a deletion: as a file, or in Marvin's library.
    func remaining() throws(OverlayError) -> Set<[UInt8]> {
        let listed = Set(try device.libraryNames().map(\.fileName.bytes))
        return try present().union(listed.intersection(names.map(\.bytes)))
    }
}

extension OverlayError {
    /// No book has that path; a row names it already.
    static func noSuchBook(_ path: String?) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no book with this path.", subject: path,
            hint: "List the books again.")
    }
}
