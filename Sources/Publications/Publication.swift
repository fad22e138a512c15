import Archives
import Formats

/// Reads the metadata and covers of publications of all supported formats.
public enum Publication {
    /// The readers, one for each kind of publication.
    static let readers: [any PublicationReader.Type] = [
        EPUBReader.self,
        PDFReader.self,
        MOBIReader.self,
        CBZReader.self,
        ReadiumPackageReader.self,
        ReadiumManifestReader.self,
        LPFReader.self,
        OPDSEntryReader.self,
        ZABReader.self,
        HTMLReader.self,
        TextReader.self,
    ]

    private static let readersByType: [MediaType: any PublicationReader.Type] = {
        var table: [MediaType: any PublicationReader.Type] = [:]
        for reader in readers {
            for type in reader.mediaTypes where table[type] == nil { table[type] = reader }
        }
        return table
    }()

    /// Whether `read` supports the format. Parameters of the type count only if they are part of the format's name.
    public static func canRead(_ format: MediaType) -> Bool {
        reader(for: format) != nil
    }

    /// Reads the metadata of a publication whose format is known. The cover is not read yet.
    ///
    /// Blocks while reading; may be called from any thread.
    ///
    /// - Parameters:
    ///   - source: the bytes. The cover reads from it too, so the caller closes it only when the cover is no longer
    ///     needed.
    ///   - name: the file's name without folders, which replaces a missing title.
    ///   - format: the format to read it as.
    /// - Throws: `unsupportedFormat`, or another error if nothing at all can be read. Less serious problems are
    ///   listed in the shortcomings of the result.
    public static func read(
        from source: any ByteSource, name: String? = nil, format: MediaType
    ) throws(PublicationError) -> PublicationInfo {
        guard let reader = reader(for: format) else {
            throw PublicationError(
                .unsupportedFormat, "Reading metadata from \(format.string) is not supported.", subject: name)
        }
        return try reader.read(PublicationInput(source: source, name: name, format: format))
    }

    private static func reader(for format: MediaType) -> (any PublicationReader.Type)? {
        if let exact = readersByType[format] { return exact }
        return readers.first { $0.mediaTypes.contains { $0.contains(format) } }
    }
}
