import Archives
import FoundationEssentials
import JSON
import Markup

extension PublicationArchive {
    /// The limits for a document with metadata. The largest known package documents, those of dictionaries with ten
    /// thousand chapters, have 2 MB.
    static let documentLimits = MarkupLimits(bytes: 4 << 20, elements: 200_000, depth: 64)

    /// Parses an XML part and returns its root element; nil if nothing can be read. Problems become shortcomings.
    func document(_ entry: ZipEntry) -> MarkupElement? {
        guard let bytes = part(entry, limit: Self.documentLimits.bytes) else { return nil }
        return document(bytes, path: entry.path)
    }

    /// Parses an XML document that was already read, and returns its root element.
    func document(_ bytes: Data, path: String) -> MarkupElement? {
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: Self.documentLimits).read(raw) }
        }
        do throws(MarkupError) {
            let document = try result.get()
            if document.declaresEntities {
                note(.entitiesDeclared, path, "It declares its own entities, which are not expanded.")
            }
            if let fault = document.fault {
                note(.damagedPart, path, "It is not well-formed: \(fault.text).")
            }
            return document.root
        } catch {
            note(.damagedPart, path, error.message)
            return nil
        }
    }

    /// The images that a page shows, in order, as entries of the archive.
    ///
    /// - Parameter largest: the largest page, in bytes, that is read.
    func images(ofPage entry: ZipEntry, largest: Int64) -> [ZipEntry] {
        guard entry.length <= largest, let bytes = beginning(entry, limit: HTMLOutline.mostBytes) else {
            return []
        }
        let outline = bytes.withUnsafeBytes { HTMLOutline($0) }
        let path = entry.path
        return outline.images.compactMap { self.entry(for: $0, relativeTo: path) }
    }
}

extension PublicationArchive {
    /// The largest manifest that is read, in bytes.
    static let largestManifest = 16 << 20

    /// The object in a JSON entry; nil, with a shortcoming, if the entry is missing, too large, or not an object.
    func object(_ path: String) -> JSONObject? {
        guard let entry = entry(path) else {
            note(.missingPart, path, "It is missing.")
            return nil
        }
        let largest = Self.largestManifest
        guard entry.length <= Int64(largest) else {
            note(.tooLarge, path, "It has \(entry.length) bytes; at most \(largest) are read.")
            return nil
        }
        guard let bytes = part(entry, limit: largest) else { return nil }
        do throws(JSONSyntaxError) {
            if let object = try JSONValue(parsingDocument: Array(bytes)).object { return object }
            note(.damagedPart, path, "It is not a JSON object.")
        } catch {
            note(.damagedPart, path, "It is not well-formed: \(error)")
        }
        return nil
    }
}
