/// A sniffer of this module. Its light rule is data, and its heavy rule is a function.
final class BuiltInSniffer: Sendable {
    /// The name of the format's constant, which reports use for the sniffer.
    let name: String
    /// The format that it recognizes.
    let format: Format
    /// The extensions of the light rule, in lower case.
    let extensions: [String]
    /// The media types of the light rule.
    let mediaTypes: [MediaType]
    /// A format that comes later but takes precedence if its light rule is satisfied.
    let exception: Format?
    /// The heavy rule. It returns the reason why the content has the format, or nil if it does not.
    let inspect: (@Sendable (any Format.SnifferContext) -> StaticString?)?

    init(
        _ name: String, _ format: Format, extensions: [String] = [], mediaTypes: [MediaType] = [],
        except exception: Format? = nil,
        inspect: (@Sendable (any Format.SnifferContext) -> StaticString?)? = nil
    ) {
        self.name = name
        self.format = format
        self.extensions = extensions
        self.mediaTypes = mediaTypes
        self.exception = exception
        self.inspect = inspect
    }

    /// A sniffer whose light rule has the bit `rule` in the table of light rules.
    private func sniffer(rule: UInt64) -> Format.Sniffer {
        { context, inspectingContent in
            self.answerByHints(context, rule) ?? (inspectingContent ? self.answerByContent(context) : nil)
        }
    }

    /// A sniffer for a generic type. It trusts hints only if there is no content.
    private func contentSniffer(rule: UInt64) -> Format.Sniffer {
        { context, inspectingContent in
            if inspectingContent { return self.answerByContent(context) }
            return context.hasContent ? nil : self.answerByHints(context, rule)
        }
    }

    /// A sniffer that accepts a hint for a generic type after the content was inspected.
    private func lastHintSniffer(rule: UInt64) -> Format.Sniffer {
        { context, inspectingContent in inspectingContent ? self.answerByHints(context, rule) : nil }
    }

    /// The format, if the hints satisfy the light rule with the bit `rule`.
    private func answerByHints(_ context: any Format.SnifferContext, _ rule: UInt64) -> Format? {
        let hints = context.hints
        guard hints.rules & rule != 0 else { return nil }
        if hints.trace != nil {
            context.answer(format, sniffer: name, because: hint(hints), round: .light)
        }
        return format
    }

    /// The format, if the content satisfies the heavy rule.
    private func answerByContent(_ context: any Format.SnifferContext) -> Format? {
        guard let evidence = inspect?(context) else { return nil }
        if context.hints.trace != nil {
            context.answer(format, sniffer: name, because: evidence.description)
        }
        return format
    }

    /// The hint that satisfies the light rule.
    private func hint(_ hints: SnifferHints) -> String {
        if let match = extensions.first(where: hints.hasFileExtension) { return "extension \(match)" }
        let match = hints.parsedMediaTypes.first { hint in mediaTypes.contains { $0.contains(hint) } }
        return match.map { "media type \($0.string)" } ?? "a hint"
    }

    /// The 18 sniffers of the proposal in its order, then the later ones, and the generic ones last.
    static let all = draft + later + generic

    /// The 18 sniffers of the proposal, in the order in which they run.
    private static let draft: [BuiltInSniffer] = [
        .html, .opds1Feed, .opds1Entry, .opds2Feed, .opds2Publication, .lcpLicense, .audiobookManifest,
        .diViNaManifest, .webPubManifest, .lcpProtectedAudiobook, .lcpProtectedPdf, .audiobook, .diViNa,
        .webPub,
        .epub, .cbz, .zab, .pdf,
    ]

    /// The later sniffers of specific types, in the order in which they run.
    private static let later: [BuiltInSniffer] = [
        .acsm, .avif, .bmp, .gif, .jpeg, .jxl, .png, .tiff, .webp, .lpf, .w3cWpubManifest,
        .opdsAuthentication, .audiobookManifestByOrder, .lcpProtectedAudiobookByOrder, .audiobookByOrder,
        .cbr, .zabByType,
        .rar, .aac, .aiff, .flac, .mp3, .mp4, .ogg, .opus, .wav, .webmAudio, .xhtml, .css, .javaScript,
        .problemDetails,
    ]

    /// The sniffers of generic types, in the order in which they run.
    private static let generic: [BuiltInSniffer] = [.json, .xml, .zip]

    /// The sniffers of the proposal as functions.
    static let draftSniffers: [Format.Sniffer] = sniffers(0..<draft.count)

    /// Whether a list is the unchanged list of the proposal.
    static func isDraft(_ sniffers: [Format.Sniffer]) -> Bool {
        sniffers.withUnsafeBufferPointer { list in
            draftSniffers.withUnsafeBufferPointer {
                list.baseAddress == $0.baseAddress && list.count == $0.count
            }
        }
    }

    /// The result of the light round for the proposal's list: the format of the first sniffer whose rule the hints
    /// satisfy.
    static func lightAnswer(path: String? = nil, fileExtensions: [String], mediaTypes: [String]) -> Format? {
        let rules = LightRuleTable.shared.rules(
            path: path, fileExtensions: fileExtensions, mediaTypes: mediaTypes)
        let place = rules.trailingZeroBitCount
        return place < draft.count ? draft[place].format : nil
    }

    /// The later sniffers as functions. The sniffers of generic types inspect the content after all others, and use
    /// hints only if no content was recognized.
    static let laterSniffers: [Format.Sniffer] = {
        let places = draft.count + later.count..<all.count
        return sniffers(draft.count..<places.lowerBound)
            + places.map { all[$0].contentSniffer(rule: 1 << UInt64($0)) }
            + places.map { all[$0].lastHintSniffer(rule: 1 << UInt64($0)) }
    }()

    private static func sniffers(_ places: Range<Int>) -> [Format.Sniffer] {
        places.map { all[$0].sniffer(rule: 1 << UInt64($0)) }
    }
}
