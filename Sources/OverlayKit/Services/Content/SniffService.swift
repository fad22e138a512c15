import OverlayABI
import OverlayBridge

/// Recognizes formats of files. The Swift form of `ovl_sniff_service`. Follows Readium's File and Format API.
///
/// Valid as long as the instance. A function that is missing in this host throws `notSupported`.
///
/// ```swift
/// let format = try host.sniff.sniff(.device(.documents, "/Documents/book"))
/// let isEPUB = format.mediaType == "application/epub+zip"
/// ```
public struct SniffService {
    private let table: ovl_sniff_service

    /// Creates the service for a table of the host.
    package init(_ table: ovl_sniff_service) { self.table = table }

    /// Recognizes the format of each source, in their order. [device thread]
    ///
    /// The result for an unknown format has no media type. If a source cannot be read, its result is a failure, but
    /// the call does not throw.
    public func sniff(
        _ sources: [ContentSource], hints: SniffHints = SniffHints()
    ) throws(OverlayError) -> [Result<SniffResult, OverlayError>] {
        let arena = Arena()
        var list = arena.list(sources) { $0.record(in: arena) }
        var hints = hints.record(in: arena)
        let receiver = RowReceiver<ContentRow<SniffResult>>()
        var sink = receiver.formatSink()
        try receiver.finish { () throws(OverlayError) in
            try ServiceCall.perform(table.sniff, "sniff.sniff") { $0(table.ctx, &list, &hints, &sink, $1) }
        }
        var results = BatchResults<SniffResult>(count: sources.count, "sniff.sniff")
        for row in receiver.rows {
            try results.set(row.index) { index in row.result.mapError { $0.about(sources[index].subject) } }
        }
        return try withExtendedLifetime(arena) { () throws(OverlayError) in try results.complete() }
    }

    /// Recognizes the format of one source. [device thread]
    ///
    /// - Throws: an error if the source cannot be read.
    public func sniff(
        _ source: ContentSource, hints: SniffHints = SniffHints()
    ) throws(OverlayError) -> SniffResult {
        guard let result = try sniff([source], hints: hints).first else {
            throw ServiceCall.withoutResult("sniff.sniff")
        }
        return try result.get()
    }

    /// Adds a sniffer that this host uses for the overlay, until the instance is destroyed. [any thread]
    ///
    /// - Throws: `invalidArgument` for a missing media type or an exceeded limit, `alreadyExists` for a media type
    ///   that is already registered, `busy` after 64.
    public func register(_ sniffer: FormatSniffer) throws(OverlayError) {
        let arena = Arena()
        var record = sniffer.record(in: arena)
        try ServiceCall.perform(table.register_sniffer, "sniff.register_sniffer") {
            $0(table.ctx, &record, $1)
        }
        withExtendedLifetime(arena) {}
    }
}
