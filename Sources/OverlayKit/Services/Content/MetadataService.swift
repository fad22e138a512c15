import OverlayABI
import OverlayBridge

/// The metadata in book files; the Swift form of `ovl_metadata_service`.
///
/// Valid as long as the instance. A function that this host does not have throws `notSupported`.
///
///     let metadata = try host.metadata.read(.device(.documents, "/Documents/Emma.epub"))
///     let title = metadata.book.title
public struct MetadataService {
    private let table: ovl_metadata_service

    /// The service of a table.
    package init(_ table: ovl_metadata_service) { self.table = table }

    /// The metadata of each source, in their order. [device thread]
    ///
    /// A source that is not a book, or too damaged to read, is a failed result, not an error of the call.
    /// `covers`: whether the bytes of the covers are wanted, too.
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

    /// The metadata of one source. [device thread]
    ///
    /// - Throws: why it cannot be read.
    public func read(_ source: ContentSource, covers: Bool = false) throws(OverlayError) -> BookMetadata {
        guard let result = try read([source], covers: covers).first else {
            throw ServiceCall.withoutResult("metadata.read")
        }
        return try result.get()
    }
}
