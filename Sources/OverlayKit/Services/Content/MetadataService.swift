import OverlayABI
import OverlayBridge

/// The metadata in book files. The Swift form of `ovl_metadata_service`.
///
/// Valid as long as the instance. A function that is missing in this host throws `notSupported`.
///
/// ```swift
/// let metadata = try host.metadata.read(.device(.documents, "/Documents/Emma.epub"))
/// let title = metadata.book.title
/// ```
public struct MetadataService {
    private let table: ovl_metadata_service

    /// Creates the service for a table of the host.
    package init(_ table: ovl_metadata_service) { self.table = table }

    /// Reads the metadata of each source, in their order. [device thread]
    ///
    /// If a source is not a book, or cannot be read, its result is a failure, but the call does not throw. `covers`:
    /// whether to include the bytes of the covers.
    public func read(
        _ sources: [ContentSource], covers: Bool = false
    ) throws(OverlayError) -> [Result<BookMetadata, OverlayError>] {
        let arena = Arena()
        var list = arena.list(sources) { $0.record(in: arena) }
        let receiver = RowReceiver<ContentRow<BookMetadata>>()
        var sink = receiver.metadataSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.read, "metadata.read") {
                $0(table.ctx, &list, covers ? OVL_METADATA_WITH_COVERS : 0, &sink, $1)
            }
        }
        var results = BatchResults<BookMetadata>(count: sources.count, "metadata.read")
        for row in receiver.rows {
            try results.set(row.index) { index in row.result.mapError { $0.about(sources[index].subject) } }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in try results.complete() }
    }

    /// Reads the metadata of one source. [device thread]
    ///
    /// - Throws: an error if the source cannot be read.
    public func read(_ source: ContentSource, covers: Bool = false) throws(OverlayError) -> BookMetadata {
        guard let result = try read([source], covers: covers).first else {
            throw ServiceCall.withoutResult("metadata.read")
        }
        return try result.get()
    }
}
