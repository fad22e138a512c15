import Archives
import JSON

/// The properties of a link that describe how its entry is stored in the archive.
package enum ArchiveProperties {
    /// The compressed size, only for compressed entries. This is the proposal's own example.
    package static let compressedLength = "compressedLength"
    /// An object with the stored size in bytes and whether the entry is compressed.
    package static let archive = "https://readium.org/webpub-manifest/properties#archive"
    /// All names. Remove these properties if the bytes are transformed.
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
    /// The stored size of the resource in its archive in bytes, and whether it is compressed; nil if either is
    /// unknown.
    public var archiveEntry: (length: Int64, isCompressed: Bool)? {
        guard let object = properties[ArchiveProperties.archive]?.object,
            let length = object["entryLength"]?.integer, length >= 0,
            let isCompressed = object["isEntryCompressed"]?.bool
        else { return nil }
        return (length, isCompressed)
    }
}
