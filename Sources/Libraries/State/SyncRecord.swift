import BookModel
import JSON
import Platform

/// What was agreed last of one book: how it was in the source, and how it was on the device.
///
/// The values are kept once, however many plans and states have the record.
@dynamicMemberLookup
package struct SyncRecord: Hashable, Sendable {
    /// What a record holds.
    package struct Values: Hashable, Sendable {
        /// What names the book in its source.
        package var key: String
        /// Where its file was, from the source.
        package var item: String
        /// The stamps of what was read for it.
        package var stamp: String
        /// Identifies the content that was agreed on; nil if it is not known.
        package var contentID: String?
        /// The metadata of the source.
        package var metadata: MetadataDigest?
        /// The stamp of the library's cover.
        package var cover: String?
        /// Where the book is on the device; nil if it is not there as far as is known.
        package var path: String?
        /// Whether the book came from this source: only then may it be removed.
        package var isOwned: Bool
        /// Whether it was to be sent or changed, and the end was not seen.
        package var isPending: Bool
        /// How the device described it; nil if it was not listed since.
        package var copy: DeviceCopy?
        /// What identifies a book whose end was not seen.
        @Boxed package var identity: Book?
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

    /// One of the values.
    package subscript<Value>(dynamicMember value: WritableKeyPath<Values, Value>) -> Value {
        get { storage.values[keyPath: value] }
        set {
            var values = storage.values
            values[keyPath: value] = newValue
            storage = Storage(values)
        }
    }

    package static func == (one: SyncRecord, other: SyncRecord) -> Bool {
        one.storage === other.storage || one.storage.values == other.storage.values
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }
}

extension SyncRecord {
    /// Whether another record has the same texts byte by byte where Swift compares by Unicode equivalence.
    package func hasSameNames(as other: SyncRecord) -> Bool {
        func path(_ record: SyncRecord) -> ExactText? { record.path.map { ExactText($0) } }
        return ExactText(self.key) == ExactText(other.key) && ExactText(self.item) == ExactText(other.item)
            && path(self) == path(other)
    }

    /// The record of a copy that its book left behind: no book of a source has its key.
    package func ofFormerCopy(at path: String?) -> SyncRecord {
        var record = self
        record.key = "\(self.key)\u{0}\(path ?? "")"
        record.path = path
        return record
    }
}

extension SourceEntry {
    /// The same entry with the texts of a record that says the same, so that both are not in memory twice.
    package func sharing(_ record: SyncRecord) -> SourceEntry {
        var entry = self
        if record.stamp == stamp { entry.stamp = record.stamp }
        guard ExactText(record.key) == ExactText(key) else { return entry }
        entry.key = record.key
        if ExactText(record.item) == ExactText(item) { entry.item = record.item }
        return entry
    }
}

/// How a device described a book when it was last agreed on.
package struct DeviceCopy: Hashable, Sendable {
    /// Bytes of its file.
    package var size: UInt64?
    /// Identifies its content.
    package var contentID: String?
    /// What a person can change; in states of earlier versions only what the source gave, too.
    package var metadata: MetadataDigest

    package init(size: UInt64?, contentID: String?, metadata: MetadataDigest) {
        (self.size, self.contentID, self.metadata) = (size, contentID, metadata)
    }

    /// The copy as it is listed now.
    package init(_ book: Book) {
        self.init(size: book.size, contentID: book.contentID, metadata: MetadataDigest(ofCopy: book))
    }

    /// What of a book is not as it was, in words such as `size`; empty if nothing is.
    package func differences(from book: Book) -> [String] {
        var words: [String] = []
        if let size, let now = book.size, size != now { words.append("size") }
        if let contentID, let now = book.contentID, contentID != now { words.append("content") }
        if !metadata.fits(book) { words.append("metadata") }
        return words
    }
}

extension SyncRecord {
    /// The record as one JSON object.
    package var json: JSONValue {
        var object = JSONObject()
        object["key"] = .string(self.key)
        if !self.item.utf8.elementsEqual(self.key.utf8) { object["item"] = .string(self.item) }
        object["stamp"] = .string(self.stamp)
        object["content"] = self.contentID.map { .string($0) }
        object["metadata"] = self.metadata.map(Self.json)
        object["cover"] = self.cover.map { .string($0) }
        object["path"] = self.path.map { .string($0) }
        if self.isOwned { object["owned"] = .bool(true) }
        if self.isPending { object["pending"] = .bool(true) }
        if let copy = self.copy {
            var device = JSONObject()
            device["size"] = copy.size.flatMap { Int64(exactly: $0) }.map { .integer($0) }
            device["content"] = copy.contentID.map { .string($0) }
            device["metadata"] = Self.json(copy.metadata)
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

    /// The record of a JSON object; nil if it is not one.
    package init?(_ value: JSONValue) {
        guard let object = value.object, let key = object["key"]?.string,
            let stamp = object["stamp"]?.string
        else { return nil }
        // All at once, because each change of a record makes it anew.
        var metadata: MetadataDigest?
        if let value = object["metadata"] {
            guard let mark = Self.mark(value) else { return nil }
            metadata = mark
        }
        var copy: DeviceCopy?
        if let device = object["device"] {
            guard let device = device.object, let mark = device["metadata"].flatMap(Self.mark) else {
                return nil
            }
            copy = DeviceCopy(
                size: device["size"]?.integer.flatMap { UInt64(exactly: $0) },
                contentID: device["content"]?.string, metadata: mark)
        }
        let identity = object["identity"]?.object.map { known in
            Book(
                uuid: known["uuid"]?.string, title: known["title"]?.string,
                authors: known["authors"]?.strings)
        }
        self.init(
            key: key, item: object["item"]?.string ?? key, stamp: stamp, contentID: object["content"]?.string,
            metadata: metadata, cover: object["cover"]?.string, path: object["path"]?.string,
            isOwned: object["owned"]?.bool ?? false, isPending: object["pending"]?.bool ?? false,
            copy: copy, identity: identity)
    }

    /// A number of 64 bits does not fit every reader of JSON, so that it is a text.
    private static func json(_ mark: MetadataDigest) -> JSONValue {
        .texts([Hex.text(mark.number)] + mark.names)
    }

    private static func mark(_ value: JSONValue) -> MetadataDigest? {
        guard let texts = value.strings, let first = texts.first, let number = UInt64(first, radix: 16) else {
            return nil
        }
        return MetadataDigest(fields: Array(texts.dropFirst()), number: number)
    }
}
