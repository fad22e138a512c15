public import Archives
public import FoundationEssentials
public import JSON

extension Format {
    /// A function that recognizes formats. It returns the format of a context by its hints and, if asked, by its
    /// content; nil if it does not recognize it.
    ///
    /// It may be called from any thread. It must not keep the context.
    ///
    /// ```swift
    /// let dvi = Format(mediaType: MediaType("application/x-dvi") ?? .binary, name: "DVI", fileExtension: "dvi")
    /// Format.defaultSniffers.append { context, inspectingContent in
    ///     if context.hasFileExtension("dvi") { return dvi }
    ///     return inspectingContent && context.contentBegins(with: [0xF7, 0x02]) ? dvi : nil
    /// }
    /// ```
    public typealias Sniffer = @Sendable (_ context: any SnifferContext, _ inspectingContent: Bool) -> Format?

    /// The interface for sniffers: the hints, and lazy views of the content that all sniffers of one guess share.
    ///
    /// Each view is created at most once, even if it is nil. A context is used by one guess on one thread; a sniffer
    /// must not keep it. A custom context needs to implement only the members without a default.
    public protocol SnifferContext: AnyObject {
        /// The media type hints as given.
        var mediaTypes: [String] { get }

        /// The file extension hints as given, preceded by the extension of the path if there is a path.
        var fileExtensions: [String] { get }

        /// The same hints, normalized once. The default implementation normalizes them at every call.
        var hints: SnifferHints { get }

        /// Whether there is content to inspect. Without content there is no heavy round. True by default.
        var hasContent: Bool { get }

        /// The content as text, without a byte order mark; nil if it is longer than 16 MiB or cannot be decoded.
        var contentAsString: String? { get }

        /// The content as JSON; nil unless it is an object of at most 16 MiB.
        var contentAsJson: JSONObject? { get }

        /// The root element of the content; nil unless an XML root's start tag is found in the first 64 KiB.
        var contentAsXml: XmlDocument? { get }

        /// The content as a ZIP archive. Only its directory is read to open it.
        var contentAsZip: ZipArchive? { get }

        /// The document type and the start tag of the root element, also for HTML that is not XML. By default derived
        /// from `contentAsXml`.
        var markupStart: MarkupStart? { get }

        /// The facts about a JSON document that the rules need. The document is read only as far as necessary. By
        /// default read at every call.
        var jsonOutline: JSONOutline? { get }

        /// The same facts about the entry `manifest.json` of an archive. By default read at every call.
        var archiveManifest: JSONOutline? { get }

        /// The bytes of a range; fewer at the end of the content. Nil if there is no content or it cannot be read.
        func read(_ range: Range<Int64>) -> Data?

        /// Whether the content begins with these bytes. Uses `read(_:)` by default.
        func contentBegins(with bytes: [UInt8]) -> Bool

        /// A new stream at the start of the content. The caller closes it.
        func stream() -> ContentStream?

        /// Releases the resources of the context. Its views are nil afterwards. A second call does nothing.
        func close()

        /// The number of bytes of the content that were read so far. 0 by default.
        var bytesRead: Int64 { get }

        /// The reason why the content could not be read. Nil by default.
        var readError: ByteSourceError? { get }

        /// The reason why content that begins like an archive cannot be opened as one. Available after a sniffer used
        /// the archive. Nil by default.
        var damage: ArchiveError? { get }
    }
}

// Defaults for custom contexts.
extension Format.SnifferContext {
    /// The hints, normalized at every call.
    public var hints: SnifferHints { SnifferHints(fileExtensions: fileExtensions, mediaTypes: mediaTypes) }

    /// True.
    public var hasContent: Bool { true }

    /// The document type and root start tag, if the content is an XML document.
    public var markupStart: MarkupStart? {
        contentAsXml.map { MarkupStart(doctype: nil, beginsWithDoctype: false, root: $0.documentNode) }
    }

    /// The outline of the content, which is read with `read(_:)`.
    public var jsonOutline: JSONOutline? {
        guard let content = read(0..<Int64(SniffLimits.document + 1)), content.count <= SniffLimits.document
        else { return nil }
        return JSONOutline(document: [UInt8](content))
    }

    /// The outline of the archive's manifest.
    public var archiveManifest: JSONOutline? { contentAsZip?.outline(ofRootEntry: "manifest.json") }

    /// 0, because the context does not count.
    public var bytesRead: Int64 { 0 }

    /// Nil, because the context does not record errors.
    public var readError: ByteSourceError? { nil }

    /// Nil, because the context does not record damage.
    public var damage: ArchiveError? { nil }
}

// Members that all contexts have.
extension Format.SnifferContext {
    /// Whether one of the extensions equals a hint, ignoring case and one leading dot.
    public func hasFileExtension(_ extensions: String...) -> Bool {
        let hints = hints
        return extensions.contains { hints.hasFileExtension($0) }
    }

    /// Whether one of the media types contains a hint. Additional parameters of the hint are ignored.
    public func hasMediaType(_ mediaTypes: String...) -> Bool {
        let hints = hints
        return mediaTypes.contains { MediaType($0).map(hints.hasMediaType) ?? false }
    }

    /// Whether one of the media types contains a hint. Additional parameters of the hint are ignored.
    public func hasMediaType(_ mediaTypes: MediaType...) -> Bool {
        let hints = hints
        return mediaTypes.contains(where: hints.hasMediaType)
    }

    /// The encoding of the first hint with a known charset; nil if there is none.
    public var encoding: String.Encoding? { hints.encoding }

    /// The outline of the content if it is a Readium Web Publication Manifest.
    public var contentAsRwpm: JSONOutline? { jsonOutline.flatMap { $0.isRwpm ? $0 : nil } }

    /// Whether the content begins with these bytes.
    public func contentBegins(with bytes: [UInt8]) -> Bool {
        read(0..<Int64(bytes.count))?.elementsEqual(bytes) ?? false
    }

    /// Answers with a format and records the sniffer's name and reason, which `Format.explain` reports.
    ///
    /// A sniffer may also return the format directly. The report then names it by its position in the list.
    ///
    /// - Parameters:
    ///  - format: the format to answer with.
    ///  - sniffer: the name of the sniffer.
    ///  - evidence: the reason for the answer.
    ///  - round: the round to report; by default, the round of the call. A sniffer that trusts a hint in the heavy
    ///    round passes `light`.
    @discardableResult
    public func answer(
        _ format: Format, sniffer: String, because evidence: String, round: GuessReport.Round? = nil
    ) -> Format {
        hints.trace?.answer = (sniffer, evidence, round)
        return format
    }
}
