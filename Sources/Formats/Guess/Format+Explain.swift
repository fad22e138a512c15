public import Archives
public import FoundationEssentials

// The same guesses, with a report of how the result was reached. The sniffers in `otherwise`, such as
// `extendedSniffers`, run if the first ones find nothing. The report continues their positions after those of the
// first ones.
extension Format {
    /// Guesses the format of a file and explains the result.
    public static func explain(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// Guesses the format of bytes and explains the result.
    public static func explain(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// Guesses the format of a source and explains the result. The source stays open.
    public static func explain(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// Guesses a format from hints only and explains the result.
    public static func explain(
        fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// Guesses the format of a context and explains the result. Closes the context.
    public static func explain(
        _ context: any SnifferContext, sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        let trace = SnifferTrace()
        context.hints.trace = trace
        defer { context.close() }
        var found = rounds(context, sniffers)
        if found == nil, !otherwise.isEmpty {
            found = rounds(context, otherwise).map { ($0.format, sniffers.count + $0.place, $0.round) }
        }
        // A sniffer may record an answer and then return nil, so use the record only if there is a format.
        let answer = found == nil ? nil : trace.answer
        return GuessReport(
            format: found?.format, sniffer: found.map { answer?.sniffer ?? "sniffer \($0.place + 1)" },
            round: answer?.round ?? found?.round, evidence: answer?.evidence, bytesRead: context.bytesRead,
            readError: context.readError, damage: context.damage)
    }
}
