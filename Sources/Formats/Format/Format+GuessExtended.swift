public import Archives
public import FoundationEssentials

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
