import Diagnostics
import BookFolders
import MarvinCommands
import OverlayKit

/// Marvin's container on one device, for the methods of the overlay.
struct MarvinDevice {
    let host: HostServices
    let paths: MarvinPaths
    /// How long commands may take.
    let timing: CommandTiming
    /// A monotonic clock.
    let now: () -> Duration
    /// The host's time of day in nanoseconds since 1970.
    let wallClock: () -> Int64
    /// The cached library.
    let cache: BooklistCache

    /// The root to which all paths are relative.
    var root: Root { paths.root }

    /// The content of `connected.xml`; nil if Marvin is not in connection mode.
    ///
    /// - Throws: `protocolError` if the file cannot be understood; it is `retryable` while Marvin is writing the
    ///   file.
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

    /// The content of a protocol file; nil if it does not exist.
    ///
    /// These files have a few hundred bytes and are read repeatedly. One read is enough if the bytes end like a
    /// complete file. Otherwise the file is read again until its end is certain.
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

    /// Whether the file ends with the end of its root element.
    private static func endsWhole(_ bytes: [UInt8]) -> Bool {
        // White space and NUL bytes may follow.
        guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return false }
        return ["</status>", "</connection>"].contains {
            bytes[...last].suffix($0.utf8.count).elementsEqual($0.utf8)
        }
    }

    /// The names in a folder; nil if it does not exist.
    func names(in folder: String) throws(OverlayError) -> [String]? {
        do {
            return try host.transport.list(root, folder).map(\.name)
        } catch {
            if error.status == .notFound { return nil }
            throw error
        }
    }

    /// The regular files among `paths`; nil for a path without one. Asks in batches, so that progress is reported.
    func files(_ paths: [String], phase: String? = nil) throws(OverlayError) -> [FileInfo?] {
        try infos(paths, phase: phase).map { $0?.kind == .regular ? $0 : nil }
    }

    /// The file information for `paths`; nil for a path that does not exist.
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

    /// Checks that Marvin accepts commands.
    ///
    /// - Throws: `appUnavailable` if it does not.
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
    /// The error if Marvin does not accept commands.
    static func notConnected(_ message: String) -> OverlayError {
        OverlayError(.appUnavailable, message, hint: MarvinHint.connect, retryable: true)
    }
}

/// Finds which books have their files among the documents, with as few requests as possible.
struct BookFiles {
    /// The most files that are requested individually. For more files, the folder is listed, which takes one request
    /// for any number of books.
    private static let few = 16

    private let names: [String]
    private let device: MarvinDevice

    /// - Parameter names: the names of the files, each a safe name.
    init(_ names: [String], _ device: MarvinDevice) {
        (self.names, self.device) = (names, device)
    }

    /// The names, as bytes, of the files that exist now.
    func present() throws(OverlayError) -> Set<[UInt8]> {
        guard names.count > Self.few else { return try asked(names) }
        let listed = try device.names(in: device.paths.documents) ?? []
        let found = Set(listed.map(\.bytes)).intersection(names.map(\.bytes))
        // A folder may spell a name differently from the library. Only the device knows whether both are the same
        // file.
        let alike = NameTable(listed)
        return found.union(try asked(names.filter { alike.contains($0) && !found.contains($0.bytes) }))
    }

    /// The names, as bytes, that the device finds when asked for each.
    private func asked(_ names: [String]) throws(OverlayError) -> Set<[UInt8]> {
        let files = try device.files(names.map(device.paths.document))
        return Set(zip(names, files).compactMap { $1 == nil ? nil : $0.bytes })
    }

    /// The names, as bytes, that are still there after a deletion, as a file or in Marvin's library.
    func remaining() throws(OverlayError) -> Set<[UInt8]> {
        let listed = Set(try device.libraryNames().map(\.fileName.bytes))
        return try present().union(listed.intersection(names.map(\.bytes)))
    }
}

extension OverlayError {
    /// The error for a path without a book; the row already contains the path.
    static func noSuchBook(_ path: String?) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no book with this path.", subject: path,
            hint: "List the books again.")
    }
}
