import Archives
import Formats
import FoundationEssentials
import HostContract
import JSON
import Platform

/// A sniffer that an overlay has registered as data (`ovl_sniffer`).
package struct OverlaySniffer: Sendable {
    /// A rule for the content (`ovl_sniff_rule`).
    enum Rule: Sendable, Equatable {
        case magic([UInt8], offset: Int64)
        case xmlRoot(String, namespace: String?)
        case jsonMember(String, text: String?)
        case zipEntry(String, beginning: [UInt8])
        /// A rule of a kind that this host does not know. It never applies.
        case unknown
    }

    /// The largest offset in a rule, and the largest number of bytes.
    static let furthest: UInt64 = 65_536
    static let longest = 4096
    /// The largest number of sniffers for an instance, and of rules and hints for a sniffer.
    package static let most = 64

    package let format: Format
    let extensions: [String]
    let mediaTypes: [MediaType]
    let rules: [Rule]
    /// The id of the overlay that registered it, for explanations.
    package let owner: String

    /// The sniffer as a function.
    package var sniffer: Format.Sniffer {
        { context, inspectingContent in
            guard inspectingContent else {
                let isHinted =
                    extensions.contains { context.hasFileExtension($0) }
                    || mediaTypes.contains { context.hasMediaType($0) }
                return isHinted ? context.answer(format, sniffer: owner, because: "a hint") : nil
            }
            guard !rules.isEmpty, rules.allSatisfy({ Self.applies($0, to: context) }) else { return nil }
            return context.answer(format, sniffer: owner, because: "the content")
        }
    }

    private static func applies(_ rule: Rule, to context: any Format.SnifferContext) -> Bool {
        switch rule {
        case .magic(let bytes, let offset):
            guard let found = context.read(offset..<offset + Int64(bytes.count)) else { return false }
            return found.elementsEqual(bytes)
        case .xmlRoot(let name, let namespace):
            guard let root = context.contentAsXml?.documentNode else { return false }
            return ExactText(root.tag) == ExactText(name)
                && (namespace == nil
                    || root.namespace.map { ExactText($0) } == namespace.map { ExactText($0) })
        case .jsonMember(let name, let text):
            guard let value = context.contentAsJson?[name] else { return false }
            return text == nil || value.string.map { ExactText($0) } == text.map { ExactText($0) }
        case .zipEntry(let name, let beginning):
            guard let archive = context.contentAsZip, let entry = archive.entry(name) else { return false }
            if beginning.isEmpty { return true }
            do throws(ArchiveError) {
                return try archive.read(entry, range: 0..<Int64(beginning.count)).elementsEqual(beginning)
            } catch {
                return false
            }
        case .unknown: return false
        }
    }
}
