public import Archives
public import FoundationEssentials

extension Format {
    /// Guesses the format of a file; nil if no sniffer recognizes it.
    ///
    /// In the light round, each sniffer sees only the hints, and the file is not accessed. If none answers, each
    /// sniffer inspects the content in the heavy round. In both rounds the first answer wins, so the order of the
    /// sniffers matters and the order of the hints does not. Content that cannot be read matches nothing.
    ///
    /// - `path`: a path whose extension is a hint too. The file need not exist.
    /// - `fileExtensions`: extensions from other sources, such as an address.
    /// - `mediaTypes`: media types from other sources.
    public static func guess(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(path, fileExtensions, mediaTypes, sniffers) {
            FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// Guesses the format of bytes. They are requested at most once, and only if the hints are not sufficient.
    public static func guess(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(nil, fileExtensions, mediaTypes, sniffers) {
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// Guesses the format of a source. Reads only the ranges that the rules need. The source stays open.
    public static func guess(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guess(nil, fileExtensions, mediaTypes, sniffers) {
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions)
        }
    }

    /// Guesses a format from hints only.
    public static func guess(
        fileExtensions: [String] = [], mediaTypes: [String] = [], sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        guard BuiltInSniffer.isDraft(sniffers) else {
            return guess(
                MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions),
                sniffers: sniffers)
        }
        // There is no content for a heavy round.
        return BuiltInSniffer.lightAnswer(path: nil, fileExtensions: fileExtensions, mediaTypes: mediaTypes)
    }

    /// Guesses the format of a context. Closes the context.
    public static func guess(
        _ context: any SnifferContext, sniffers: [Sniffer] = defaultSniffers
    ) -> Format? {
        defer { context.close() }
        return rounds(context, sniffers)?.format
    }

    /// Returns the same result as `guess(_:sniffers:)`. For the unchanged list of the proposal, the light round is a
    /// table lookup that needs no context.
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

    /// The format that a list of sniffers finds, the sniffer that found it, and the round.
    static func rounds(
        _ context: any SnifferContext, _ sniffers: [Sniffer]
    ) -> (format: Format, place: Int, round: GuessReport.Round)? {
        if let found = round(.light, context, sniffers) { return (found.format, found.place, .light) }
        guard context.hasContent, let found = round(.heavy, context, sniffers) else { return nil }
        return (found.format, found.place, .heavy)
    }

    /// The first answer of the sniffers in a round.
    private static func round(
        _ round: GuessReport.Round, _ context: any SnifferContext, _ sniffers: [Sniffer]
    ) -> (format: Format, place: Int)? {
        for place in sniffers.indices {
            if let format = sniffers[place](context, round == .heavy) { return (format, place) }
        }
        return nil
    }
}

// Guesses that also recognize the later formats. If the 18 sniffers find nothing in either round, the extended
// sniffers run with the same context.
extension Format {
    /// Guesses the format of a file, including later formats.
    public static func guessExtended(
        path: String, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(FileSnifferContext(path: path, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// Guesses the format of bytes, including later formats.
    public static func guessExtended(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(
            BytesSnifferContext(bytes: bytes, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// Guesses the format of a source, including later formats. The source stays open.
    public static func guessExtended(
        source: any ByteSource, fileExtensions: [String] = [], mediaTypes: [String] = []
    ) -> Format? {
        guessExtended(
            SourceSnifferContext(source: source, mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// Guesses a format from hints only, including later formats.
    public static func guessExtended(fileExtensions: [String] = [], mediaTypes: [String] = []) -> Format? {
        guessExtended(MetadataSnifferContext(mediaTypes: mediaTypes, fileExtensions: fileExtensions))
    }

    /// Guesses the format of a context, including later formats. Closes the context.
    public static func guessExtended(_ context: any SnifferContext) -> Format? {
        defer { context.close() }
        return (rounds(context, defaultSniffers) ?? rounds(context, extendedSniffers))?.format
    }
}

extension MediaType {
    /// The canonical type of the format of this type, without aliases and irrelevant parameters; this type if the
    /// format is unknown.
    public var canonicalized: MediaType { Format.guessExtended(mediaTypes: [string])?.mediaType ?? self }
}
