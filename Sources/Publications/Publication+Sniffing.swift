import Archives
import Formats
import FoundationEssentials

extension Publication {
    /// Media type of Mobipocket's and Amazon's older books.
    private static let mobipocket = MediaType("application/x-mobipocket-ebook") ?? .binary
    /// Media type of Amazon's books of the eighth format.
    private static let kindle = MediaType("application/vnd.amazon.ebook") ?? .binary

    /// Sniffers of the formats that are read here and that the `Formats` module does not know: Mobipocket, Kindle, plain text.
    public static let sniffers: [Format.Sniffer] = kindleSniffers + [textSniffer]

    /// The sniffers to ask after those of the proposal: the extended ones and those of `sniffers`, each where its rules
    /// can decide. Mobipocket and Kindle come before generic types, plain text comes last.
    public static let laterSniffers: [Format.Sniffer] =
        kindleSniffers + Format.extendedSniffers + [textSniffer]

    private static let kindleSniffers: [Format.Sniffer] = [
        { context, inspectingContent in
            let format = Format(mediaType: mobipocket, name: "MOBI", fileExtension: "mobi")
            if let hint = hint(context, ["mobi"], mobipocket) {
                return context.answer(format, sniffer: "mobi", because: hint)
            }
            guard inspectingContent, let version = mobipocketVersion(context), version < 8 else { return nil }
            return context.answer(format, sniffer: "mobi", because: "mark of a MOBI book")
        },
        { context, inspectingContent in
            let format = Format(mediaType: kindle, name: "AZW3", fileExtension: "azw3")
            if let hint = hint(context, ["azw3", "azw"], kindle) {
                return context.answer(format, sniffer: "kindle", because: hint)
            }
            guard inspectingContent, let version = mobipocketVersion(context), version >= 8 else {
                return nil
            }
            return context.answer(format, sniffer: "kindle", because: "mark of a MOBI book, version 8")
        },
    ]

    /// Plain text has no mark: it is what hints call so, once no other sniffer has recognised the content.
    private static let textSniffer: Format.Sniffer = { context, inspectingContent in
        guard inspectingContent || !context.hasContent, let hint = hint(context, ["txt", "text"], .text)
        else { return nil }
        let format = Format(mediaType: .text, name: "Plain Text", fileExtension: "txt")
        return context.answer(format, sniffer: "text", because: hint, round: .light)
    }

    /// The hint that one of the extensions, or the type, is met by.
    private static func hint(
        _ context: any Format.SnifferContext, _ extensions: [String], _ type: MediaType
    ) -> String? {
        if let known = extensions.first(where: { context.hasFileExtension($0) }) {
            return "extension \(known)"
        }
        return context.hasMediaType(type) ? "media type \(type.string)" : nil
    }

    /// The version in the first record of a Palm database of type `BOOK` by `MOBI`; 0 if that record does not tell. Nil for other
    /// content.
    private static func mobipocketVersion(_ context: any Format.SnifferContext) -> UInt32? {
        guard let start = context.read(0..<82), start.count == 82,
            start.dropFirst(60).prefix(8).elementsEqual("BOOKMOBI".utf8)
        else { return nil }
        let record = Int64(start.bigEndian32(at: 78))
        guard let header = context.read(record..<record + 40), header.count == 40,
            header.dropFirst(16).prefix(4).elementsEqual("MOBI".utf8)
        else { return 0 }
        return header.bigEndian32(at: 36)
    }

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

    /// The metadata of a publication of unknown format.
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
            throw PublicationError(.unsupportedFormat, "Its format is unknown.", subject: name)
        }
        do throws(PublicationError) {
            return try read(from: source, name: name, format: promised.mediaType)
        } catch {
            guard error.code == .damaged || error.code == .unsupportedFormat else { throw error }
            let actual = format(of: source)
            // Of an archive that was cut short, what is left at its beginning may still tell.
            if actual == .zip, let salvaged = SalvagedArchive(damaged: source),
                let left = format(of: DataByteSource(salvaged.bytes)), canRead(left.mediaType)
            {
                return try read(from: source, name: name, format: left.mediaType)
            }
            guard let actual, actual != promised else { throw error }
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
                error.code == .notFound ? .notFound : .unreadable, "Cannot open it: \(error.message)",
                subject: path, hint: error.hint, underlying: error)
        }
        return try read(from: source, name: String(EntryPath.name(of: path)))
    }
}

extension Data {
    /// The number in the four bytes at an offset, which must exist.
    fileprivate func bigEndian32(at offset: Int) -> UInt32 {
        self[(startIndex + offset)..<(startIndex + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
