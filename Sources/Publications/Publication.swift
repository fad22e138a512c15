import Archives
import Fetching
import Formats

/// Reading metadata and covers of publications of any supported format.
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

    /// Whether `read` understands the format; parameters of the type do not matter unless they are part of its name.
    public static func canRead(_ format: MediaType) -> Bool {
        reader(for: format) != nil
    }

    /// The metadata of a publication whose format is known, with a cover that is not read yet.
    ///
    /// Blocks while reading; may be called from any thread.
    ///
    /// - Parameters:
    ///   - source: the bytes. The cover reads from it too; the caller closes it after that.
    ///   - name: the file's name without folders, which stands in for a missing title.
    ///   - format: what to read it as.
    /// - Throws: `unsupportedFormat`, or another error when nothing at all can be read. All that is less is among the
    ///   shortcomings of the result.
    public static func read(
        from source: any ByteSource, name: String? = nil, format: MediaType
    ) throws(PublicationError) -> PublicationInfo {
        guard let reader = reader(for: format) else {
            throw PublicationError(
                .unsupportedFormat, "Reading metadata from \(format.string) is not supported.", subject: name)
        }
        return try reader.read(PublicationInput(source: source, name: name, format: format))
    }

    /// The metadata of a publication that is a resource: on a device, behind HTTP, within an archive.
    ///
    /// - Parameters:
    ///   - resource: the bytes. The cover reads from it too; the caller closes it after that.
    ///   - format: what to read it as; the type of the resource's link if nil.
    /// - Throws: as `read(from:name:format:)`.
    public static func read(
        from resource: any Resource, format: MediaType? = nil
    ) throws(PublicationError) -> PublicationInfo {
        let link = resource.link
        let name = EntryPath.candidates(for: link.href, relativeTo: "").first
        return try read(
            from: ResourceByteSource(resource), name: name.map { String(EntryPath.name(of: $0)) },
            format: format ?? link.mediaType)
    }

    private static func reader(for format: MediaType) -> (any PublicationReader.Type)? {
        if let exact = readersByType[format] { return exact }
        return readers.first { $0.mediaTypes.contains { $0.contains(format) } }
    }
}
