import Markup
import Platform

/// Finds the few facts about an unpacked EPUB that are needed before the host can read the rest: where its package
/// document is, which image is its cover, and whether it is protected.
enum UnpackedEPUBReader {
    /// Longer documents are not read.
    static let largest = 4 << 20
    private static let reader = MarkupReader(
        limits: MarkupLimits(bytes: largest, elements: 200_000, depth: 64))

    /// The package document that `META-INF/container.xml` names (OCF 3.3, 4.2.6.3).
    static func packagePath(container: [UInt8]) -> SafePath? {
        guard let root = root(container) else { return nil }
        let files = (root.firstAnywhere("rootfiles") ?? root).all("rootfile")
        let packages = files.filter { $0["media-type"]?.contains("oebps-package") ?? true }
        return (packages.isEmpty ? files : packages).lazy
            .compactMap { $0["full-path"].flatMap { SafePath(PercentCoding.decoded(repairing: $0)) } }.first
    }

    /// The cover that a package document names, by the property of EPUB 3 or else the `meta` of EPUB 2.
    static func coverPath(package: [UInt8], at path: SafePath) -> SafePath? {
        guard let root = root(package), let manifest = root.firstAnywhere("manifest") else { return nil }
        let items = manifest.all("item")
        let named = (root.firstAnywhere("metadata")?.all("meta") ?? []).first { $0["name"] == "cover" }
        let item =
            items.first { $0["properties"]?.split(separator: " ").contains("cover-image") ?? false }
            ?? named?["content"].flatMap { id in items.first { $0["id"] == id } }
        guard let item, let href = item["href"] else { return nil }
        guard item["media-type"]?.hasPrefix("image/") ?? true else { return nil }
        return resolved(href, from: path)
    }

    /// Whether a book is protected: it is encrypted with a method other than those that only obfuscate fonts (OCF
    /// 3.3, 4.2.6.3.2).
    static func isProtected(encryption: [UInt8]) -> Bool {
        guard let root = root(encryption) else { return false }
        let fonts = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]
        return methods(root).contains { !fonts.contains($0) }
    }

    private static func methods(_ element: MarkupElement) -> [String] {
        var found: [String] = []
        var pending = [element]
        while let next = pending.popLast() {
            // The method for a key does not show how the content is encrypted.
            if next.name == "EncryptedData",
                let method = next.first("EncryptionMethod")?["Algorithm"]
            {
                found.append(method)
            }
            pending += next.children
        }
        return found
    }

    private static func root(_ bytes: [UInt8]) -> MarkupElement? {
        do throws(MarkupError) {
            let result: Result<MarkupDocument, MarkupError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(MarkupError) in try reader.read(bytes) }
            }
            return try result.get().root
        } catch {
            return nil
        }
    }

    /// Resolves a reference from a document to another file, without the fragment.
    private static func resolved(_ href: String, from base: SafePath) -> SafePath? {
        var parts = base.text.pathNames.dropLast().map(String.init)
        let path = PercentCoding.decoded(repairing: href.prefix { $0 != "#" && $0 != "?" })
        for part in path.pathNames {
            switch part {
            case ".": continue
            case "..": if parts.popLast() == nil { return nil }
            default: parts.append(String(part))
            }
        }
        return SafePath(parts.joined(separator: "/"))
    }
}
