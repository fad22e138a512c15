public import Archives
public import FoundationEssentials

// The same guesses with the way to them. `otherwise` are sniffers to ask when the first ones know nothing, such as
// `extendedSniffers`; the report then counts their places on from the first ones'.
extension Format {
    /// How the format of a file is found.
    public static func explain(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// How the format of bytes is found.
    public static func explain(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// How the format of a source is found. The source stays open.
    public static func explain(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// How the format is found that hints alone tell.
    public static func explain(
        fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers, otherwise: [Sniffer] = []
    ) -> GuessReport {
        explain(
            MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions),
            sniffers: sniffers, otherwise: otherwise)
    }

    /// How the format of a context is found, which is closed afterwards.
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
        // A sniffer may note an answer and then return nothing; only the one that answered counts.
        let answer = found == nil ? nil : trace.answer
        return GuessReport(
            format: found?.format, sniffer: found.map { answer?.sniffer ?? "sniffer \($0.place + 1)" },
            round: answer?.round ?? found?.round, evidence: answer?.evidence, bytesRead: context.bytesRead,
            readError: context.readError, damage: context.damage)
    }
}
