import OverlayABI
import OverlayBridge

/// Parts of publications, on the device, the host or the web; the Swift form of `ovl_fetch_service`. Follows Readium's Composite Fetcher
/// API. All functions: [device thread].
///
/// Valid as long as the instance. A function that this host does not have throws `notSupported`.
///
///     let book = ContentSource.device(.documents, "/Documents/Emma.epub")
///     let package = try host.fetch.readAll(book, "/OEBPS/content.opf", limit: 1 << 20)
public struct FetchService {
    private let table: ovl_fetch_service

    /// The service of a table.
    package init(_ table: ovl_fetch_service) { self.table = table }

    /// The resources of an archive, without folders, in its order.
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

    /// What is known about one resource; of the source itself without `href`.
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

    /// Reads `length` bytes (nil: to the end) from `offset` of one resource, decompressed, in pieces; of the source itself
    /// without `href`. A range that extends past the end is shortened, possibly to nothing.
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
    /// - Throws: `damaged` if more than `limit` bytes arrive.
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

    /// Lends a text that may be absent as a whole: a null pointer, not an absent view.
    private static func lend(
        _ href: String?, in arena: Arena, _ body: (UnsafePointer<ovl_text>?) -> ovl_status
    ) -> ovl_status {
        guard let href else { return body(nil) }
        return withUnsafePointer(to: arena.text(href)) { body($0) }
    }
}
