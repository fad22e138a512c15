import BookModel
import JSON
import Platform

/// The state of one book in the source and on the device at the last sync.
///
/// Copies of a record share the values.
package struct SyncRecord: Hashable, Sendable {
    private struct Values: Hashable, Sendable {
        var key: String
        var item: String
        var stamp: String
        var contentID: String?
        var metadata: MetadataDigest?
        var cover: String?
        var path: String?
        var isOwned: Bool
        var isPending: Bool
        var copy: DeviceCopy?
        @Boxed var identity: Book?
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private var storage: Storage

    package init(
        key: String, item: String, stamp: String = "", contentID: String? = nil,
        metadata: MetadataDigest? = nil, cover: String? = nil, path: String? = nil, isOwned: Bool = false,
        isPending: Bool = false, copy: DeviceCopy? = nil, identity: Book? = nil
    ) {
        storage = Storage(
            Values(
                key: key, item: item, stamp: stamp, contentID: contentID, metadata: metadata, cover: cover,
                path: path, isOwned: isOwned, isPending: isPending, copy: copy,
                identity: Boxed(wrappedValue: identity)))
    }

    private mutating func change(_ body: (inout Values) -> Void) {
        var values = storage.values
        body(&values)
        storage = Storage(values)
    }

    /// Identifies the book in its source.
    package var key: String {
        get { storage.values.key }
        set { change { $0.key = newValue } }
    }

    /// The path of its file, relative to the source.
    package var item: String {
        get { storage.values.item }
        set { change { $0.item = newValue } }
    }

    /// The stamps of the files that were read for the book.
    package var stamp: String {
        get { storage.values.stamp }
        set { change { $0.stamp = newValue } }
    }

    /// The identifier of the synced content; nil if unknown.
    package var contentID: String? {
        get { storage.values.contentID }
        set { change { $0.contentID = newValue } }
    }

    /// The metadata in the source.
    package var metadata: MetadataDigest? {
        get { storage.values.metadata }
        set { change { $0.metadata = newValue } }
    }

    /// The stamp of the cover in the library.
    package var cover: String? {
        get { storage.values.cover }
        set { change { $0.cover = newValue } }
    }

    /// The path of the book on the device; nil if the book is not known to be there.
    package var path: String? {
        get { storage.values.path }
        set { change { $0.path = newValue } }
    }

    /// Whether the book was sent from this source. Only such a book may be removed.
    package var isOwned: Bool {
        get { storage.values.isOwned }
        set { change { $0.isOwned = newValue } }
    }

    /// Whether the book was to be sent or changed, and the result is unknown.
    package var isPending: Bool {
        get { storage.values.isPending }
        set { change { $0.isPending = newValue } }
    }

    /// The copy as the device listed it; nil if it was not listed afterwards.
    package var copy: DeviceCopy? {
        get { storage.values.copy }
        set { change { $0.copy = newValue } }
    }

    /// Metadata that identifies a book whose result is unknown.
    package var identity: Book? {
        get { storage.values.identity }
        set { change { $0.identity = newValue } }
    }

    package static func == (one: SyncRecord, other: SyncRecord) -> Bool {
        one.storage === other.storage || one.storage.values == other.storage.values
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }

    /// Whether only the digest of the row has changed, from one known value to another. It does so after each change
    /// that a sync ignores, such as in reading progress.
    func differsOnlyInDigest(from other: SyncRecord) -> Bool {
        guard let digest = self.copy?.digest, let now = other.copy?.digest, digest != now,
            hasSameNames(as: other)
        else { return false }
        var other = other
        other.copy?.digest = digest
        return self == other
    }

    /// Whether both records are copies of one, so that they are equal byte by byte.
    package func sharesValues(with other: SyncRecord) -> Bool { storage === other.storage }
}

extension SyncRecord {
    /// Whether another record has the same names byte by byte. Swift compares texts by Unicode equivalence.
    package func hasSameNames(as other: SyncRecord) -> Bool {
        func path(_ record: SyncRecord) -> ExactText? { record.path.map { ExactText($0) } }
        return ExactText(self.key) == ExactText(other.key) && ExactText(self.item) == ExactText(other.item)
            && path(self) == path(other)
    }

    /// Whether a book of the source has the same names as this record byte by byte.
    func hasSameNames(as entry: SourceEntry) -> Bool {
        ExactText(self.key) == ExactText(entry.key) && ExactText(self.item) == ExactText(entry.item)
    }

    /// The record for a copy that its book no longer uses. Its key differs from the keys of all books.
    package func ofFormerCopy(at path: String?) -> SyncRecord {
        var record = self
        record.key = "\(self.key)\u{0}\(path ?? "")"
        record.path = path
        return record
    }
}

extension SourceEntry {
    /// This entry with equal texts taken from a record, so that they are not in memory twice.
    package func sharing(_ record: SyncRecord) -> SourceEntry {
        var entry = self
        if record.stamp == stamp { entry.stamp = record.stamp }
        guard ExactText(record.key) == ExactText(key) else { return entry }
        entry.key = record.key
        if ExactText(record.item) == ExactText(item) { entry.item = record.item }
        return entry
    }
}

/// A copy of a book as the device listed it at the last sync.
package struct DeviceCopy: Hashable, Sendable {
    /// The size of the file in bytes.
    package var size: UInt64?
    /// The identifier of the content.
    package var contentID: String?
    /// The values that a user can change. States of earlier versions only include the values from the source.
    package var metadata: MetadataDigest
    /// A digest of the row with which the device listed the copy. If it is equal, the row counts as unchanged; if not,
    /// the other values decide. Nil if unknown.
    package var digest: UInt64?

    package init(size: UInt64?, contentID: String?, metadata: MetadataDigest, digest: UInt64? = nil) {
        (self.size, self.contentID, self.metadata, self.digest) = (size, contentID, metadata, digest)
    }

    /// Creates the copy from the current listing.
    ///
    /// - Parameter content: the content that was synced. If the copy has it, the copy shares the text.
    package init(_ book: Book, content: String?, digest: UInt64? = nil) {
        self.init(
            size: book.size, contentID: book.contentID == content ? content : book.contentID,
            metadata: MetadataDigest(ofCopy: book), digest: digest)
    }

    /// The differences from a book, in words such as `size`; empty if there are none.
    package func differences(from book: Book) -> [String] {
        var words: [String] = []
        if let size, let now = book.size, size != now { words.append("size") }
        if let contentID, let now = book.contentID, contentID != now { words.append("content") }
        if !metadata.fits(book) { words.append("metadata") }
        return words
    }
}

extension SyncRecord {
    /// The record as one JSON object. The bits of its digests have the names in ``MetadataDigest/FieldTable/names``.
    package var json: JSONValue {
        var object = JSONObject()
        object["key"] = .string(self.key)
        if !self.item.utf8.elementsEqual(self.key.utf8) { object["item"] = .string(self.item) }
        object["stamp"] = .string(self.stamp)
        object["content"] = self.contentID.map { .string($0) }
        object["metadata"] = self.metadata.map { .string($0.text) }
        object["cover"] = self.cover.map { .string($0) }
        object["path"] = self.path.map { .string($0) }
        if self.isOwned { object["owned"] = .bool(true) }
        if self.isPending { object["pending"] = .bool(true) }
        if let copy = self.copy {
            var device = JSONObject()
            device["size"] = copy.size.flatMap { Int64(exactly: $0) }.map { .integer($0) }
            // In most records the copy has the content that was synced.
            device["content"] = copy.contentID.map { $0 == self.contentID ? .bool(true) : .string($0) }
            device["metadata"] = .string(copy.metadata.text)
            device["digest"] = copy.digest.map { .string(Hex.text($0)) }
            object["device"] = .object(device)
        }
        if let identity = self.identity {
            var known = JSONObject()
            known["uuid"] = identity.uuid.map { .string($0) }
            known["title"] = identity.title.map { .string($0) }
            known["authors"] = identity.authors.map { .texts($0) }
            object["identity"] = .object(known)
        }
        return .object(object)
    }

    /// Creates a record from a JSON object; nil if the value is not a record.
    ///
    /// - Parameter table: the fields for which its digests have bits; nil in a state of the first version.
    init?(_ value: JSONValue, _ table: MetadataDigest.FieldTable?) {
        guard let object = value.object, let key = object["key"]?.string,
            let stamp = object["stamp"]?.string
        else { return nil }
        // Set all values at once, because each change of a record copies it.
        var metadata: MetadataDigest?
        if let value = object["metadata"] {
            guard let mark = Self.digest(value, table) else { return nil }
            metadata = mark
        }
        let content = object["content"]?.string
        var copy: DeviceCopy?
        if let device = object["device"] {
            guard let device = device.object,
                let mark = device["metadata"].flatMap({ Self.digest($0, table) })
            else {
                return nil
            }
            copy = DeviceCopy(
                size: device["size"]?.integer.flatMap { UInt64(exactly: $0) },
                contentID: device["content"]?.bool == true ? content : device["content"]?.string,
                metadata: mark, digest: device["digest"]?.string.flatMap { UInt64($0, radix: 16) })
        }
        let identity = object["identity"]?.object.map { known in
            Book(
                uuid: known["uuid"]?.string, title: known["title"]?.string,
                authors: known["authors"]?.strings)
        }
        self.init(
            key: key, item: object["item"]?.string ?? key, stamp: stamp, contentID: content,
            metadata: metadata, cover: object["cover"]?.string, path: object["path"]?.string,
            isOwned: object["owned"]?.bool ?? false, isPending: object["pending"]?.bool ?? false,
            copy: copy, identity: identity)
    }

    /// A stored digest. In the first version, it is an array of its number and the names of its fields.
    private static func digest(_ value: JSONValue, _ table: MetadataDigest.FieldTable?) -> MetadataDigest? {
        if let table { return value.string.flatMap { MetadataDigest($0, table) } }
        guard let texts = value.strings, let first = texts.first, let number = UInt64(first, radix: 16) else {
            return nil
        }
        return MetadataDigest(fields: Array(texts.dropFirst()), number: number)
    }
}
