/// An entry in the table of a book's values: the name of a value, its place in a ``Book``, and its kind.
///
/// Code that treats all values in the same way (JSON, merging, the records of the C contract) iterates over
/// ``Book/fields``, so that a new value is added in one place.
///
/// ```swift
/// let book = Book(title: "Emma", authors: ["Jane Austen"])
/// let names = Book.fields.filter { $0.isPresent(in: book) }.map(\.name)
/// print(names)
/// ```
public struct BookField: Sendable {
    /// The place of a value in a ``Book``.
    public typealias Place<Kind> = any WritableKeyPath<Book, Kind?> & Sendable

    /// The place of a value in a ``Book``, and its kind.
    public enum Value: Sendable {
        /// A text.
        case text(Place<String>)
        /// A list of texts.
        case texts(Place<[String]>)
        /// A number.
        case number(Place<Double>)
        /// A count of bytes or words.
        case count(Place<UInt64>)
        /// A time in seconds since 1970-01-01 00:00 UTC.
        case time(Place<Int64>)
        /// True or false.
        case flag(Place<Bool>)
        /// The bytes of an image.
        case bytes(Place<[UInt8]>)
    }

    /// Whether a value describes the book or one copy of it.
    public enum Subject: Sendable {
        /// The value describes the book. A better source can override it.
        case book
        /// The value describes the file on the device.
        case copy
    }

    /// The name in the C contract. It is also the name in JSON, except for the three values of the cover.
    public let name: String
    /// The place of the value, and its kind.
    public let value: Value
    /// Whether the value describes the book or one copy of it.
    public let subject: Subject
    /// The word for this value in `settable_metadata`; nil if overlays cannot change the value.
    public let settableWord: String?
    /// The field that this one depends on. Overriding a title, for example, also overrides its sort form.
    public let leader: String?
    /// The distance of the value from the beginning of a ``Book``, in bytes.
    @usableFromInline package let offset: Int
    private let slot: Slot
    /// The slot of the field that this one depends on.
    private let leadingSlot: Slot?

    fileprivate init(
        _ name: String, _ value: Value, _ subject: Subject = .book, settable: Bool = true,
        word: String? = nil, leader: BookField? = nil
    ) {
        self.name = name
        self.value = value
        self.subject = subject
        settableWord = settable && subject == .book ? word ?? name : nil
        slot = Slot(value)
        offset = slot.offset
        self.leader = leader?.name
        leadingSlot = leader?.slot
    }

    /// The value in a book, read without copying the book as a key path does.
    ///
    /// - Parameter place: the place in `value`. Other places have other types.
    @inlinable
    package func read<Kind>(_ place: Place<Kind>, in book: borrowing Book) -> Kind? {
        assert(MemoryLayout<Book>.offset(of: place) == offset)
        return book.value(at: offset)
    }

    /// Sets the value in a book without copying the book as a key path does.
    ///
    /// - Parameter place: the place in `value`. Other places have other types.
    @inlinable
    package func write<Kind>(_ value: Kind?, _ place: Place<Kind>, in book: inout Book) {
        assert(MemoryLayout<Book>.offset(of: place) == offset)
        book.setValue(value, at: offset)
    }

    /// Whether the book has this value.
    public func isPresent(in book: Book) -> Bool { slot.isFilled(in: book) }

    /// Whether the book has this value or the one that it depends on.
    fileprivate func isDetermined(by book: borrowing Book) -> Bool {
        slot.isFilled(in: book) || leadingSlot?.isFilled(in: book) == true
    }

    /// Copies this value from `other` to `book`, even if it is nil.
    public func copy(from other: Book, to book: inout Book) { slot.copy(from: other, to: &book) }

    /// The memory of a value in a ``Book``.
    private struct Slot: Sendable {
        private let value: Value
        /// The distance from the beginning of the book, in bytes.
        let offset: Int

        init(_ value: Value) {
            let offset: Int? =
                switch value {
                case .text(let place): MemoryLayout<Book>.offset(of: place)
                case .texts(let place): MemoryLayout<Book>.offset(of: place)
                case .number(let place): MemoryLayout<Book>.offset(of: place)
                case .count(let place): MemoryLayout<Book>.offset(of: place)
                case .time(let place): MemoryLayout<Book>.offset(of: place)
                case .flag(let place): MemoryLayout<Book>.offset(of: place)
                case .bytes(let place): MemoryLayout<Book>.offset(of: place)
                }
            guard let offset else { preconditionFailure("A field must be a stored value of a book.") }
            (self.value, self.offset) = (value, offset)
        }

        @inline(__always)
        func read<Kind>(_: Kind.Type, in book: borrowing Book) -> Kind? { book.value(at: offset) }

        func isFilled(in book: borrowing Book) -> Bool {
            switch value {
            case .text: read(String.self, in: book) != nil
            case .texts: read([String].self, in: book) != nil
            case .number: read(Double.self, in: book) != nil
            case .count: read(UInt64.self, in: book) != nil
            case .time: read(Int64.self, in: book) != nil
            case .flag: read(Bool.self, in: book) != nil
            case .bytes: read([UInt8].self, in: book) != nil
            }
        }

        func copy(from other: borrowing Book, to book: inout Book) {
            func set<Kind>(_ value: Kind?) { book.setValue(value, at: offset) }
            switch value {
            case .text: set(read(String.self, in: other))
            case .texts: set(read([String].self, in: other))
            case .number: set(read(Double.self, in: other))
            case .count: set(read(UInt64.self, in: other))
            case .time: set(read(Int64.self, in: other))
            case .flag: set(read(Bool.self, in: other))
            case .bytes: set(read([UInt8].self, in: other))
            }
        }
    }
}

extension Book {
    /// The value of this type at an offset in memory, in bytes.
    @inlinable
    package borrowing func value<Kind>(at offset: Int) -> Kind? {
        withUnsafePointer(to: self) {
            (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Kind?.self).pointee
        }
    }

    /// Sets the value of this type at an offset in memory, in bytes.
    @inlinable
    package mutating func setValue<Kind>(_ value: Kind?, at offset: Int) {
        withUnsafeMutablePointer(to: &self) {
            (UnsafeMutableRawPointer($0) + offset).assumingMemoryBound(to: Kind?.self).pointee = value
        }
    }
}

extension Book {
    private static let titleField = BookField("title", .text(\.title))
    private static let authorsField = BookField("authors", .texts(\.authors))
    private static let seriesField = BookField("series", .text(\.series))
    private static let coverTypeField = BookField("cover_media_type", .text(\.coverMediaType), word: "cover")

    /// All values except the annotations, in the order of the C contract.
    public static let fields: [BookField] = [
        BookField("path", .text(\.path), .copy),
        BookField("uuid", .text(\.uuid), settable: false),
        titleField,
        BookField("title_sort", .text(\.titleSort), leader: titleField),
        authorsField,
        BookField("author_sort", .text(\.authorSort), leader: authorsField),
        seriesField,
        BookField("series_index", .number(\.seriesIndex), leader: seriesField),
        BookField("publisher", .text(\.publisher)),
        BookField("pubdate", .text(\.pubdate)),
        BookField("date_added", .time(\.dateAdded), .copy),
        BookField("description", .text(\.description)),
        BookField("tags", .texts(\.tags)),
        BookField("collections", .texts(\.collections)),
        BookField("rating", .number(\.rating)),
        BookField("size", .count(\.size), .copy),
        BookField("format", .text(\.format), .copy),
        coverTypeField,
        BookField("cover_size", .count(\.coverSize), word: "cover", leader: coverTypeField),
        BookField("cover", .bytes(\.coverData), word: "cover", leader: coverTypeField),
        BookField("locked", .flag(\.isLocked)),
        BookField("word_count", .count(\.wordCount)),
        BookField("progress", .number(\.progress), .copy),
        BookField("content_id", .text(\.contentID), .copy),
        BookField("extra", .text(\.extra), .copy),
    ]

    /// The field with this name in the C contract; nil if there is none.
    public static func field(_ name: String) -> BookField? { fields.first { $0.name == name } }

    /// The values that describe the book.
    private static let descriptive = fields.filter { $0.subject == .book }

    /// This book with every value of `other` that describes the book. Use it, for example, where a library has better
    /// values than the file. A value that depends on an overridden one, such as the sort form of a title, is also
    /// taken from `other`, even if it is nil there.
    public func overridden(by other: Book) -> Book {
        overridden(by: other, in: Self.descriptive)
    }

    /// This book with the values of `other` for the given fields.
    package func overridden(by other: Book, in fields: [BookField]) -> Book {
        var book = self
        for field in fields where field.isDetermined(by: other) { field.copy(from: other, to: &book) }
        return book
    }

    /// The words of `settable_metadata` for the values that are present, in the order of the fields.
    public var settableWords: [String] {
        var words: [String] = []
        for field in Self.fields where field.isPresent(in: self) {
            if let word = field.settableWord, word != words.last { words.append(word) }
        }
        return words
    }

    /// The book with only the values that an overlay with these words of `settable_metadata` can change.
    public func limited(toSettable words: [String]) -> Book {
        var book = Book()
        for field in Self.fields {
            if let word = field.settableWord, words.contains(word) { field.copy(from: self, to: &book) }
        }
        return book
    }
}
