import Archives
import Formats
import FoundationEssentials

extension Publication {
    /// The media type of Mobipocket books and of Amazon's older books.
    private static let mobipocket = MediaType("application/x-mobipocket-ebook") ?? .binary
    /// The media type of Amazon's KF8 (version 8) books.
    private static let kindle = MediaType("application/vnd.amazon.ebook") ?? .binary

    /// Sniffers for the formats that this module reads but the `Formats` module does not know: Mobipocket, Kindle and
    /// plain text.
    public static let sniffers: [Format.Sniffer] = kindleSniffers + [textSniffer]

    /// The sniffers to run after those of the proposal: the extended sniffers and those of `sniffers`, each in the
    /// round in which its rules can decide. Mobipocket and Kindle come before generic types, and plain text comes
    /// last.
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

    /// Plain text has no signature, so it is recognized by hints only, after no other sniffer recognized the content.
    private static let textSniffer: Format.Sniffer = { context, inspectingContent in
        guard inspectingContent || !context.hasContent, let hint = hint(context, ["txt", "text"], .text)
        else { return nil }
        let format = Format(mediaType: .text, name: "Plain Text", fileExtension: "txt")
        return context.answer(format, sniffer: "text", because: hint, round: .light)
    }

    /// Describes the hint that matches one of the extensions or the type; nil if none does.
    private static func hint(
        _ context: any Format.SnifferContext, _ extensions: [String], _ type: MediaType
    ) -> String? {
        if let known = extensions.first(where: { context.hasFileExtension($0) }) {
            return "extension \(known)"
        }
        return context.hasMediaType(type) ? "media type \(type.string)" : nil
    }

    /// The format version of a Mobipocket file, which is a Palm database of type `BOOK` and creator `MOBI`; 0 if its
    /// first record has no MOBI header. Nil for other content.
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

    /// Runs all sniffers on a source, those of `sniffers` last, and returns its format; nil if no sniffer recognizes
    /// it.
    public static func format(
        of source: any ByteSource, name: String? = nil, mediaTypes: [String] = []
    ) -> Format? {
        let ending = name.map { EntryPath.fileExtension(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let extensions = [ending].compactMap { $0 }
        let known = Format.guessExtended(source: source, fileExtensions: extensions, mediaTypes: mediaTypes)
        // Every ZIP, XML or JSON file matches a generic format; the sniffer of a book format is more specific.
        if let known, canRead(known.mediaType) { return known }
        return Format.guess(
            source: source, fileExtensions: extensions, mediaTypes: mediaTypes, sniffers: sniffers) ?? known
    }

    /// Reads the metadata of a publication of unknown format.
    ///
    /// Tries the format that the name and the media types suggest first. If the bytes are not of that format, only
    /// the bytes decide.
    ///
    /// - Parameters:
    ///   - source: the bytes. The cover reads from it too, so the caller closes it only when the cover is no longer
    ///     needed.
    ///   - name: the file's name without folders. It is a hint for the format and replaces a missing title.
    ///   - mediaTypes: media types that other sources state for the file, as hints.
    /// - Throws: `unsupportedFormat`, or another error when nothing at all can be read.
    public static func read(
        from source: any ByteSource, name: String? = nil, mediaTypes: [String] = []
    ) throws(PublicationError) -> PublicationInfo {
        guard let promised = format(of: source, name: name, mediaTypes: mediaTypes) else {
            // A sniffer cannot report that a source is unreadable, so read one byte to get the source's own error.
            let input = PublicationInput(source: source, name: name, format: .binary)
            _ = try input.bytes(at: 0, count: 1)
            try requireContent(input, .unsupportedFormat)
            throw PublicationError(.unsupportedFormat, "Its format is unknown.", subject: name)
        }
        do throws(PublicationError) {
            return try read(from: source, name: name, format: promised.mediaType)
        } catch {
            guard error.code == .damaged || error.code == .unsupportedFormat else { throw error }
            try requireContent(
                PublicationInput(source: source, name: name, format: promised.mediaType), error.code)
            let actual = format(of: source)
            // If the archive was cut short, the files at its beginning may still show its format.
            if actual == .zip, let salvaged = SalvagedArchive(damaged: source),
                let left = format(of: DataByteSource(salvaged.bytes)), canRead(left.mediaType)
            {
                return try read(from: source, name: name, format: left.mediaType)
            }
            guard let actual, actual != promised else { throw error }
            return try read(from: source, name: name, format: actual.mediaType)
        }
    }

    /// Throws an error that says so if a file that cannot be read is empty. If its length is unknown, it is not.
    private static func requireContent(
        _ input: PublicationInput, _ code: PublicationErrorCode
    ) throws(PublicationError) {
        let length: Int64
        do throws(PublicationError) { length = try input.length() } catch { return }
        if length == 0 { throw PublicationError(code, "The file is empty.", subject: input.name) }
    }

    /// Reads the metadata of a publication in a file. The file stays open until the cover is released.
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
    /// The big-endian number in the four bytes at an offset; all four bytes must exist.
    fileprivate func bigEndian32(at offset: Int) -> UInt32 {
        self[(startIndex + offset)..<(startIndex + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
