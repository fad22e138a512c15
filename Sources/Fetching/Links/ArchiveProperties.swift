import Archives
import JSON

/// What a link says about an entry's place in its archive.
package enum ArchiveProperties {
    /// The proposal's own example: the compressed size, only of compressed entries.
    package static let compressedLength = "compressedLength"
    /// An object with the bytes stored in the archive and whether they are compressed.
    package static let archive = "https://readium.org/webpub-manifest/properties#archive"
    /// All names, to be removed where bytes are transformed.
    package static let names = [compressedLength, archive]

    /// The properties of an entry.
    static func of(_ entry: some ArchiveEntry) -> JSONObject {
        var properties = JSONObject()
        if let length = entry.compressedLength { properties[compressedLength] = .integer(length) }
        var object = JSONObject()
        object["entryLength"] = .integer(entry.compressedLength ?? entry.length)
        object["isEntryCompressed"] = .bool(entry.compressedLength != nil)
        properties[archive] = .object(object)
        return properties
    }
}

extension Link {
    /// Bytes that the resource takes in its archive, and whether they are compressed; nil if either is not told.
    public var archiveEntry: (length: Int64, isCompressed: Bool)? {
        guard let object = properties[ArchiveProperties.archive]?.object,
            let length = object["entryLength"]?.integer, length >= 0,
            let isCompressed = object["isEntryCompressed"]?.bool
        else { return nil }
        return (length, isCompressed)
    }
}
