import Archives
import Formats

extension Publication {
    /// Media type of Mobipocket's and Amazon's older books.
    private static let mobipocket = MediaType("application/x-mobipocket-ebook") ?? .binary
    /// Media type of Amazon's books of the eighth format.
    private static let kindle = MediaType("application/vnd.amazon.ebook") ?? .binary

    /// Sniffers of the formats that are read here and are none of the `Formats` module's: Mobipocket, Kindle, plain text.
    ///
    /// They belong behind all others: plain text is told by its name and type alone.
    public static let sniffers: [Format.Sniffer] = [
        { context, inspectingContent in
            let format = Format(mediaType: mobipocket, name: "Mobipocket", fileExtension: "mobi")
            if context.hasFileExtension("mobi") || context.hasMediaType(mobipocket) { return format }
            guard inspectingContent, let mark = context.read(60..<68) else { return nil }
            return mark.elementsEqual("BOOKMOBI".utf8) ? format : nil
        },
        { context, _ in
            context.hasFileExtension("azw3", "azw") || context.hasMediaType(kindle)
                ? Format(mediaType: kindle, name: "Kindle", fileExtension: "azw3") : nil
        },
        { context, _ in
            context.hasFileExtension("txt", "text") || context.hasMediaType(.text)
                ? Format(mediaType: .text, name: "Plain Text", fileExtension: "txt") : nil
        },
    ]

    /// The format of a source as all sniffers see it, those of `sniffers` last; nil if none knows it.
    public static func format(
        of source: any ByteSource, name: String? = nil, mediaTypes: [String] = []
    ) -> Format? {
        let ending = name.map { EntryPath.fileExtension(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let extensions = [ending].compactMap { $0 }
        let known = Format.guessExtended(source: source, fileExtensions: extensions, mediaTypes: mediaTypes)
        // Any ZIP, XML or JSON file is one of these; a sniffer of a book knows better.
        if let known, canRead(known.mediaType) { return known }
        return Format.guess(
            source: source, fileExtensions: extensions, mediaTypes: mediaTypes, sniffers: sniffers) ?? known
    }

    /// The metadata of a publication whose format is to be found out.
    ///
    /// What name and type promise is believed first; if the bytes turn out not to be that, they decide alone.
    ///
    /// - Parameters:
    ///   - source: the bytes. The cover reads from it too; the caller closes it after that.
    ///   - name: the file's name without folders: a hint, and what stands in for a missing title.
    ///   - mediaTypes: what is said elsewhere about the type.
    /// - Throws: `unsupportedFormat`, or another error when nothing at all can be read.
    public static func read(
        from source: any ByteSource, name: String? = nil, mediaTypes: [String] = []
    ) throws(PublicationError) -> PublicationInfo {
        guard let promised = format(of: source, name: name, mediaTypes: mediaTypes) else {
            // Sniffers cannot say that a source is unreadable; its own error can.
            _ = try PublicationInput(source: source, name: name, format: .binary).bytes(at: 0, count: 1)
            throw PublicationError(.unsupportedFormat, "Its format is not known.", subject: name)
        }
        do throws(PublicationError) {
            return try read(from: source, name: name, format: promised.mediaType)
        } catch {
            guard error.code == .damaged || error.code == .unsupportedFormat,
                let actual = format(of: source), actual != promised
            else { throw error }
            return try read(from: source, name: name, format: actual.mediaType)
        }
    }

    /// The metadata of a publication in a file, which stays open until its cover is gone.
    public static func read(path: String) throws(PublicationError) -> PublicationInfo {
        let source: FileByteSource
        do throws(ByteSourceError) {
            source = try FileByteSource(path: path)
        } catch {
            throw PublicationError(
                error.code == .notFound ? .notFound : .unreadable, "It cannot be opened: \(error.message).",
                subject: path, hint: error.hint, underlying: error)
        }
        return try read(from: source, name: String(EntryPath.name(of: path)))
    }
}
