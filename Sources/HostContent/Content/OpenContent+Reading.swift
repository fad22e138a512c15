import Archives
import Fetching
import FoundationEssentials
import HostErrors

/// A resource of an archive for display in a list.
package struct ContentResource: Sendable, Equatable {
    /// The HREF, beginning with `/`.
    package var href: String
    /// The media type that the publication declares, or otherwise that of the extension; nil if unknown.
    package var mediaType: String?
    /// The size in bytes.
    package var length: Int64
    /// The size in the archive in bytes.
    package var storedLength: Int64
}

extension OpenContent {
    /// The number of bytes that are passed together.
    private static let piece: Int64 = 256 << 10

    /// The resources of the archive, in its order, without folders.
    ///
    /// Reads the archive's directory, and the package document or manifest with the declared types.
    package func resources() throws(HostError) -> [ContentResource] {
        let archive = try openArchive()
        let declared = declaredTypes(archive)
        return archive.entries.map { entry in
            let path = entry.path
            return ContentResource(
                href: "/" + path,
                mediaType: declared[path] ?? MediaTypeByExtension.type(ofPath: path)?.string,
                length: entry.length, storedLength: entry.storedLength)
        }
    }

    /// Information about one resource, or about the complete content without `href`.
    package func resource(at href: String?) throws(HostError) -> ContentResource {
        guard let href else {
            let length = Int64(clamping: try length())
            let byName = name.flatMap { MediaTypeByExtension.type(ofPath: $0)?.string }
            return ContentResource(
                href: "", mediaType: try hints().mediaTypes.first ?? byName, length: length,
                storedLength: length)
        }
        let resource = try resource(href)
        defer { resource.close() }
        switch resource.length {
        case .success(let length):
            let path = resource.link.href
            let archive = try openArchive()
            let entry = archive.entry(path.utf8.first == UInt8(ascii: "/") ? String(path.dropFirst()) : path)
            let declared = entry.flatMap { declaredTypes(archive)[$0.path] }
            return ContentResource(
                href: path, mediaType: declared ?? resource.link.type, length: length,
                storedLength: entry?.storedLength ?? length)
        case .failure(let error): throw HostError(error, subject: href)
        }
    }

    /// Passes a range of a resource, or of the complete content, to `each` in pieces. Returns the number of bytes.
    ///
    /// A range is limited to the end. `each` receives the piece, and may throw to stop.
    ///
    /// - Parameter mustBegin: whether a range that begins at or after the end is an error, as in HTTP, instead of
    ///   empty. The complete range of an empty content is always allowed.
    @discardableResult
    package func read(
        _ href: String?, _ range: Range<Int64>? = nil, mustBegin: Bool = false,
        each: (Data) throws(HostError) -> Void
    ) throws(HostError) -> Int64 {
        try read(href, range, mustBegin: mustBegin) { piece, _, _ throws(HostError) in try each(piece) }
    }

    /// Passes a range to `each` in pieces, with the offset of the piece in the range and the size of the range.
    @discardableResult
    package func read(
        _ href: String?, _ range: Range<Int64>?, mustBegin: Bool = false,
        each: (Data, _ offset: Int64, _ total: Int64) throws(HostError) -> Void
    ) throws(HostError) -> Int64 {
        let resource = try href.map { href throws(HostError) in try self.resource(href) }
        defer { resource?.close() }
        let length: Int64
        if let resource {
            switch resource.length {
            case .success(let known): length = known
            case .failure(let error): throw HostError(error, subject: href)
            }
        } else {
            length = Int64(clamping: try self.length())
        }
        if mustBegin, let range, range.lowerBound >= length, range != 0..<Int64.max {
            let bytes = length == 1 ? "1 byte" : "\(length) bytes"
            throw HostError(
                .rangeNotSatisfiable,
                "The range begins at byte \(range.lowerBound), but the file has only \(bytes).",
                subject: href ?? name, hint: "The first byte is byte 0.")
        }
        let start = min(max(0, range?.lowerBound ?? 0), length)
        let total = max(0, min(range?.upperBound ?? length, length) - start)
        var done: Int64 = 0
        while done < total {
            let data = try part(resource, href, start + done, min(Self.piece, total - done))
            guard !data.isEmpty else {
                throw HostError(.damaged, "The file ended too early.", subject: href ?? name)
            }
            try each(data, done, total)
            done += Int64(data.count)
        }
        return done
    }

    private func part(
        _ resource: (any Resource)?, _ href: String?, _ start: Int64, _ count: Int64
    ) throws(HostError) -> Data {
        guard let resource else {
            do throws(ByteSourceError) { return try source.read(at: start, count: Int(count)) } catch {
                throw HostError(error)
            }
        }
        switch resource.read(range: start..<start + count) {
        case .success(let data): return data
        case .failure(let error): throw HostError(error, subject: href)
        }
    }
}
