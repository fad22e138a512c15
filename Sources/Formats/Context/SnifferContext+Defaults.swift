public import Archives
public import FoundationEssentials

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
