public import Archives
public import FoundationEssentials

extension Format {
    /// The format of a file, nil if no sniffer knows it.
    ///
    /// First each sniffer is asked about the hints alone, without touching the file; then, if none answered, each about the
    /// content. In both rounds the first that answers wins, so the order of sniffers counts, and that of hints does not.
    /// What cannot be read matches nothing.
    ///
    /// - `path`: a path whose extension is a hint too. The file need not exist.
    /// - `fileExtensions`: extensions that other sources tell, such as an address.
    /// - `mediaTypes`: media types that other sources tell.
    public static func guess(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(path, fileExtensions, mediaTypes, sniffers) {
            FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// The format of bytes, which are asked for at most once and only if the hints do not tell.
    public static func guess(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(nil, fileExtensions, mediaTypes, sniffers) {
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// The format of a source, of which only the ranges are read that the rules name. The source stays open.
    public static func guess(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(nil, fileExtensions, mediaTypes, sniffers) {
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// The format that hints alone tell.
    public static func guess(
        fileExtensions: [String] = [], mediaTypes: [String] = [], sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(nil, fileExtensions, mediaTypes, sniffers) {
            MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// The format of a context, which is closed afterwards.
    public static func guess(
        _ context: any SnifferContext, sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        defer { context.close() }
        return rounds(context, sniffers)?.format
    }

    /// The same answer as that of `guess(_:sniffers:)`, but the light round of the proposal's own list is one look into a
    /// table, and needs no context.
    private static func guess(
        _ path: String?, _ fileExtensions: [String], _ mediaTypes: [String], _ sniffers: [Sniffer],
        _ context: () -> any SnifferContext
    ) -> Format? {
        guard BuiltInSniffer.isDraft(sniffers) else { return guess(context(), sniffers: sniffers) }
        if let format = BuiltInSniffer.lightAnswer(
            path: path, fileExtensions: fileExtensions, mediaTypes: mediaTypes)
        {
            return format
        }
        let context = context()
        defer { context.close() }
        return context.hasContent ? round(.heavy, context, sniffers)?.format : nil
    }

    /// Which format a list of sniffers finds, by which of them and in which round.
    static func rounds(
        _ context: any SnifferContext, _ sniffers: [Sniffer]
    ) -> (format: Format, place: Int, round: GuessReport.Round)? {
        if let found = round(.light, context, sniffers) { return (found.format, found.place, .light) }
        guard context.hasContent, let found = round(.heavy, context, sniffers) else { return nil }
        return (found.format, found.place, .heavy)
    }

    /// The first of the sniffers that answers in a round.
    private static func round(
        _ round: GuessReport.Round, _ context: any SnifferContext, _ sniffers: [Sniffer]
    ) -> (format: Format, place: Int)? {
        for place in sniffers.indices {
            if let format = sniffers[place](context, round == .heavy) { return (format, place) }
        }
        return nil
    }
}

// Guesses that also know the later formats: what the 18 do not know in either round, the extended sniffers are asked, with
// the same context.
extension Format {
    /// The format of a file, among the later ones too.
    public static func guessExtended(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// The format of bytes, among the later ones too.
    public static func guessExtended(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// The format of a source, among the later ones too. The source stays open.
    public static func guessExtended(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// The format that hints alone tell, among the later ones too.
    public static func guessExtended(fileExtensions: [String] = [], mediaTypes: [String] = []) -> Format? {
        guessExtended(MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// The format of a context, which is closed afterwards.
    public static func guessExtended(_ context: any SnifferContext) -> Format? {
        defer { context.close() }
        return (rounds(context, defaultSniffers) ?? rounds(context, extendedSniffers))?.format
    }
}

extension MediaType {
    /// The canonical type of the format that this type names, without aliases and meaningless parameters; this type if the
    /// format is unknown.
    public var canonicalized: MediaType { Format.guessExtended(mediaTypes: [string])?.mediaType ?? self }
}
