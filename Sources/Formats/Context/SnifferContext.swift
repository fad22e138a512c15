public import Archives
public import FoundationEssentials
public import JSON

extension Format {
    /// One recogniser: what the hints, and if asked the content, of a context are; nil if it does not know.
    ///
    /// Any thread may call it. It must not keep the context.
    ///
    /// ```swift
    /// let dvi = Format(mediaType: MediaType("application/x-dvi") ?? .binary, name: "DVI", fileExtension: "dvi")
    /// Format.defaultSniffers.append { context, inspectingContent in
    ///     if context.hasFileExtension("dvi") { return dvi }
    ///     return inspectingContent && context.contentBegins(with: [0xF7, 0x02]) ? dvi : nil
    /// }
    /// ```
    public typealias Sniffer = @Sendable (_ context: any SnifferContext, _ inspectingContent: Bool) -> Format?

    /// What a sniffer can ask: the hints, and lazy views of the content that all sniffers of one guess share.
    ///
    /// Every view is made at most once, also when it turns out to be nil. A context belongs to one guess and one
    /// thread; a sniffer must not keep it. A type of one's own needs only the members without a default.
    public protocol SnifferContext: AnyObject {
        /// The media type hints as they were given.
        var mediaTypes: [String] { get }

        /// The file extension hints as they were given, before them the one of the path if there is a path.
        var fileExtensions: [String] { get }

        /// The same hints, normalised once. The default normalises at every call.
        var hints: SnifferHints { get }

        /// Whether there is content to inspect; without any there is no heavy round. True by default.
        var hasContent: Bool { get }

        /// The content as text, without byte order mark; nil if it is longer than 16 MiB or cannot be decoded.
        var contentAsString: String? { get }

        /// The content as JSON; nil unless it is an object of at most 16 MiB.
        var contentAsJson: JSONObject? { get }

        /// The root element of the content; nil unless an XML root's start tag is found in the first 64 KiB.
        var contentAsXml: XmlDocument? { get }

        /// The content as a ZIP archive, opened by its directory alone.
        var contentAsZip: ZipArchive? { get }

        /// What precedes and opens the root element, also of HTML that is not XML. By default from `contentAsXml`.
        var markupStart: MarkupStart? { get }

        /// What the rules ask of a JSON document, read no further than they need. By default read at every call.
        var jsonOutline: JSONOutline? { get }

        /// The same of the entry `manifest.json` of an archive. By default read at every call.
        var archiveManifest: JSONOutline? { get }

        /// The bytes of a range, fewer at the end of the content; nil if there is no content or it cannot be read.
        func read(_ range: Range<Int64>) -> Data?

        /// Whether the content begins with these bytes. By default asks `read(_:)`.
        func contentBegins(with bytes: [UInt8]) -> Bool

        /// A new stream at the start of the content, which the caller closes.
        func stream() -> ContentStream?

        /// Releases what the context holds open; its views are nil from then on. A second call does nothing.
        func close()

        /// Bytes of the content that were looked at so far. 0 by default.
        var bytesRead: Int64 { get }

        /// Why content could not be read. Nil by default.
        var readError: ByteSourceError? { get }

        /// Why content that begins like an archive cannot be opened as one, once a sniffer asked. Nil by default.
        var damage: ArchiveError? { get }
    }
}

// What a context of one's own need not write.
extension Format.SnifferContext {
    /// The hints, normalised anew at every call.
    public var hints: SnifferHints { SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes) }

    /// True.
    public var hasContent: Bool { true }

    /// The start of the XML document, if the content is one.
    public var markupStart: MarkupStart? {
        contentAsXml.map { MarkupStart(doctype: nil, beginsWithDoctype: false, root: $0.documentNode) }
    }

    /// The outline of the content, read by `read(_:)`.
    public var jsonOutline: JSONOutline? {
        guard let content = read(0..<Int64(SniffLimits.document + 1)), content.count <= SniffLimits.document
        else { return nil }
        return JSONOutline(document: [UInt8](content))
    }

    /// The outline of the archive's manifest.
    public var archiveManifest: JSONOutline? { contentAsZip?.outline(ofRootEntry: "manifest.json") }

    /// 0: the context does not count.
    public var bytesRead: Int64 { 0 }

    /// Nil: the context does not tell.
    public var readError: ByteSourceError? { nil }

    /// Nil: the context does not tell.
    public var damage: ArchiveError? { nil }
}

// What every context can do.
extension Format.SnifferContext {
    /// Whether one of the extensions equals a hint, ignoring case and one leading dot.
    public func hasFileExtension(_ extensions: String...) -> Bool {
        let hints = hints
        return extensions.contains { hints.hasFileExtension($0) }
    }

    /// Whether one of the media types contains a hint, so that further parameters of the hint are ignored.
    public func hasMediaType(_ mediaTypes: String...) -> Bool {
        let hints = hints
        return mediaTypes.contains { MediaType($0).map(hints.hasMediaType) ?? false }
    }

    /// Whether one of the media types contains a hint, so that further parameters of the hint are ignored.
    public func hasMediaType(_ mediaTypes: MediaType...) -> Bool {
        let hints = hints
        return mediaTypes.contains(where: hints.hasMediaType)
    }

    /// The encoding that the first hint with a known charset names; nil if none does.
    public var encoding: String.Encoding? { hints.encoding }

    /// The outline of the content if it is a Readium Web Publication Manifest.
    public var contentAsRwpm: JSONOutline? { jsonOutline.flatMap { $0.isRwpm ? $0 : nil } }

    /// Whether the content begins with these bytes.
    public func contentBegins(with bytes: [UInt8]) -> Bool {
        read(0..<Int64(bytes.count))?.elementsEqual(bytes) ?? false
    }

    /// Gives a sniffer's answer with its name and reason, which `Format.explain` reports.
    ///
    /// A sniffer that just returns the format works as well; the report then names it by its place in the list.
    ///
    /// - Parameters:
    ///   - format: the format to answer with.
    ///   - sniffer: the name of the sniffer.
    ///   - evidence: the reason for the answer.
    ///   - round: the round to report, by default that of the call: `light` for a sniffer that takes a hint's word in the heavy
    ///     round.
    @discardableResult
    public func answer(
        _ format: Format, sniffer: String, because evidence: String, round: GuessReport.Round? = nil
    ) -> Format {
        hints.trace?.answer = (sniffer, evidence, round)
        return format
    }
}
