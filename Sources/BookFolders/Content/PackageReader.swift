import Archives
import OverlayKit

/// Reads folders that are a single book, such as an unpacked EPUB on the device.
struct PackageReader {
    /// The largest part, in bytes, that is kept in memory.
    private static let small: UInt64 = 16 << 20
    /// The largest part, in bytes, that is read for metadata.
    private static let descriptive: UInt64 = 8 << 20
    private static let mediaType = "mimetype"

    private let host: HostServices
    private let place: BookPlace

    init(_ host: HostServices, _ place: BookPlace) {
        self.host = host
        self.place = place
    }

    /// The book's metadata, which the host reads from a small archive of the parts that contain it.
    func metadata(
        of file: FoundFile, covers: Bool
    ) throws(OverlayError) -> Result<BookMetadata, OverlayError> {
        let parts = (file.parts ?? []).filter { part in
            part.size <= Self.descriptive
                && (Self.isDescription(part.path) || covers && Self.isCover(part.path))
        }
        let requests = try parts.map { part throws(OverlayError) in
            ReadRequest(place.path(try Self.path(of: part, in: file.path)), length: max(1, part.size))
        }
        guard !requests.isEmpty else {
            return .failure(
                OverlayError(.damaged, "The folder does not contain a book.", subject: file.path.text))
        }
        let writer = ZipWriter()
        var archive: [UInt8] = []
        for (part, bytes) in zip(parts, try host.transport.readMany(place.root, requests)) {
            do throws(OverlayError) {
                let bytes = try bytes.get()
                archive += try Self.archiving { () throws(ArchiveError) in
                    try writer.add(part.path, bytes, .stored)
                }
            } catch {
                if error.endsTheCall { throw error }
                return .failure(error)
            }
        }
        do throws(OverlayError) {
            archive += try Self.archiving { () throws(ArchiveError) in try writer.finish() }
        } catch {
            return .failure(error)
        }
        guard
            let result = try host.metadata.read([.bytes(archive, name: file.path.name)], covers: covers).first
        else { return .failure(OverlayError(.failed, "The host did not answer.", subject: file.path.text)) }
        return result
    }

    private static func isDescription(_ path: String) -> Bool {
        let lower = path.lowercased()
        return lower == mediaType || lower == "meta-inf/container.xml" || lower.hasSuffix(".opf")
    }

    /// Whether a part is a cover, judged by its name because the package document has not been read.
    private static func isCover(_ path: String) -> Bool {
        let lower = path.lowercased()
        return lower.contains("cover")
            && [".jpg", ".jpeg", ".png", ".gif", ".webp"].contains { lower.hasSuffix($0) }
    }

    /// Passes an archive of the whole package to the closure, with `mimetype` first and uncompressed, as EPUB
    /// requires.
    ///
    /// - Throws: the device's error if anything in the package cannot be examined or read, so that no archive lacks a
    ///   part; `verificationFailed` if the package changes meanwhile.
    func pack(
        _ path: ShelfPath, _ each: (UnsafeRawBufferPointer, UInt64) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard let file = try FolderWalk(host, place).package(path), let parts = file.parts, !parts.isEmpty
        else {
            throw OverlayError(.damaged, "The folder does not contain a book.", subject: path.text)
        }
        let writer = ZipWriter()
        var sent: UInt64 = 0
        func send(_ make: () throws(ArchiveError) -> [UInt8]) throws(OverlayError) {
            let bytes = try Self.archiving(make)
            guard !bytes.isEmpty else { return }
            let result: Result<Void, OverlayError> = bytes.withUnsafeBytes { buffer in
                Result { () throws(OverlayError) in try each(buffer, sent) }
            }
            try result.get()
            sent += UInt64(bytes.count)
        }
        let first = parts.filter { $0.path == Self.mediaType }
        for part in first + parts.filter({ $0.path != Self.mediaType }) {
            try host.cancellation.check()
            let source = place.path(try Self.path(of: part, in: path))
            if part.size <= Self.small {
                let bytes = try Self.present(path) { () throws(OverlayError) in
                    try host.transport.readAll(place.root, source, limit: Int(Self.small))
                }
                try Self.require(bytes.count, part, path)
                try send { () throws(ArchiveError) in
                    try writer.add(part.path, bytes, part.path == Self.mediaType ? .stored : .deflated)
                }
            } else {
                try send { () throws(ArchiveError) in try writer.begin(part.path, expecting: part.size) }
                var count = 0
                try Self.present(path) { () throws(OverlayError) in
                    try host.transport.read(place.root, source, offset: 0, length: part.size) {
                        chunk, _, _ throws(OverlayError) in
                        count += chunk.count
                        try send { () throws(ArchiveError) in try writer.append(chunk) }
                    }
                }
                try Self.require(count, part, path)
                try send { () throws(ArchiveError) in try writer.end() }
            }
        }
        try send { () throws(ArchiveError) in try writer.finish() }
    }

    /// Reads something in a package. If it is missing, the package has changed, but the book itself is not missing.
    private static func present<Value>(
        _ package: ShelfPath, _ read: () throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        do throws(OverlayError) { return try read() } catch {
            throw error.status == .notFound ? FolderWalk.changed(package) : error
        }
    }

    private static func require(
        _ count: Int, _ part: FoundFile.Part, _ path: ShelfPath
    ) throws(OverlayError) {
        guard UInt64(count) == part.size else {
            throw OverlayError(
                .verificationFailed, "Received only \(count) of \(part.size) bytes of '\(part.path)'.",
                subject: path.text, hint: "Try again.", retryable: true)
        }
    }

    private static func path(of part: FoundFile.Part, in package: ShelfPath) throws(OverlayError) -> ShelfPath
    {
        guard let path = ShelfPath(package.text + "/" + part.path) else {
            throw OverlayError(.damaged, "A path in the folder is too long.", subject: package.text)
        }
        return path
    }

    private static func archiving(_ make: () throws(ArchiveError) -> [UInt8]) throws(OverlayError) -> [UInt8]
    {
        do throws(ArchiveError) { return try make() } catch {
            throw OverlayError(
                .damaged, "Cannot pack the folder: \(error.message)", subject: error.subject)
        }
    }
}
