import OverlayABI
import OverlayBridge

/// Parts of publications on the device, the host or the web. The Swift form of `ovl_fetch_service`. Follows Readium's
/// Composite Fetcher API. All functions: [device thread].
///
/// Valid as long as the instance. A function that is missing in this host throws `notSupported`.
///
/// ```swift
/// let book = ContentSource.device(.documents, "/Documents/Emma.epub")
/// let package = try host.fetch.readAll(book, "/OEBPS/content.opf", limit: 1 << 20)
/// ```
public struct FetchService {
    private let table: ovl_fetch_service

    /// Creates the service for a table of the host.
    package init(_ table: ovl_fetch_service) { self.table = table }

    /// The resources of an archive, except folders, in the order of the archive.
    ///
    /// - Throws: `unsupportedFormat` if the source is not an archive, `damaged` if it cannot be read as one.
    public func links(_ source: ContentSource) throws(OverlayError) -> [ResourceInfo] {
        let arena = Arena()
        var record = source.record(in: arena)
        let receiver = RowReceiver<ResourceInfo>()
        var sink = receiver.resourceSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.links, "fetch.links") { $0(table.ctx, &record, &sink, $1) }
        }
        return withExtendedLifetime(arena) { receiver.rows }
    }

    /// Information about one resource, or about the source itself without `href`.
    ///
    /// - Throws: `notFound` if the source does not have the resource.
    public func info(_ source: ContentSource, _ href: String? = nil) throws(OverlayError) -> ResourceInfo {
        let arena = Arena()
        var record = source.record(in: arena)
        let receiver = RowReceiver<ResourceInfo>()
        var sink = receiver.resourceSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.info, "fetch.info") { function, error in
                Self.lend(href, in: arena) { function(table.ctx, &record, $0, &sink, error) }
            }
        }
        guard let info = receiver.rows.first, receiver.rows.count == 1 else {
            throw ServiceCall.withoutResult("fetch.info")
        }
        return withExtendedLifetime(arena) { info }
    }

    /// Reads `length` bytes (nil: to the end) from `offset` of one resource, decompressed, in pieces. Reads the
    /// source itself without `href`. A range that extends past the end is shortened, possibly to nothing.
    public func read(
        _ source: ContentSource, _ href: String? = nil, offset: UInt64 = 0, length: UInt64? = nil,
        each: ChunkHandler
    ) throws(OverlayError) {
        let arena = Arena()
        var record = source.record(in: arena)
        try ChunkedRead.receive(each) { (sink) throws(OverlayError) in
            try ServiceCall.perform(table.read, "fetch.read") { function, error in
                Self.lend(href, in: arena) {
                    function(table.ctx, &record, $0, offset, length ?? .max, sink, error)
                }
            }
        }
        withExtendedLifetime(arena) {}
    }

    /// Reads a resource, or a range of it, into memory.
    ///
    /// - Throws: `damaged` if the result would be larger than `limit` bytes.
    public func readAll(
        _ source: ContentSource, _ href: String? = nil, offset: UInt64 = 0, length: UInt64? = nil, limit: Int
    ) throws(OverlayError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(source, href, offset: offset, length: length) { (chunk, _, total) throws(OverlayError) in
            guard chunk.count <= limit - bytes.count else {
                throw OverlayError(
                    .damaged, "The resource is larger than \(limit) bytes.", subject: href ?? source.subject)
            }
            if bytes.isEmpty, let total { bytes.reserveCapacity(Int(clamping: min(total, UInt64(limit)))) }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Lends a text. An absent text is a null pointer, not an absent view.
    private static func lend(
        _ href: String?, in arena: Arena, _ body: (UnsafePointer<ovl_text>?) -> ovl_status
    ) -> ovl_status {
        guard let href else { return body(nil) }
        return withUnsafePointer(to: arena.text(href)) { body($0) }
    }
}
