import Archives
import FoundationEssentials
import JSON

extension PublicationArchive {
    /// The largest manifest that is read, in bytes.
    static let largestManifest = 16 << 20

    /// The object that a JSON entry holds; nil, with a shortcoming, when it is missing, too large or something else.
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
