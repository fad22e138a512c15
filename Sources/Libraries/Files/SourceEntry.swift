import BookModel
import HostErrors
import JSON
import Platform

/// One book of a source, by what can be known without reading its file.
package struct SourceEntry: Sendable {
    /// What names the book for as long as it is in the source: its path in a folder, its uuid in a calibre library.
    package var key: String
    /// Where its file is, from the source.
    package var item: String
    /// The folder of the source, which all its entries share.
    private var root: String
    /// Bytes of the file.
    package var size: UInt64
    /// The stamps of everything that is read for the book: a book with the same stamp is not read again.
    package var stamp: String
    /// What the library says of the book; nil: only the file and its sidecar say something.
    @Boxed package var book: Book?
    /// The cover that the library has, and its stamp.
    @Boxed package var cover: LibraryCover?
    /// The library's own columns.
    package var columns: [LibraryColumn]
    /// Why the book cannot be read; nil if nothing is known against it.
    @Boxed package var problem: HostError?

    /// Where its file is.
    package var file: String { root + "/" + item }

    package init(
        key: String, item: String, in root: String, size: UInt64 = 0, stamp: String = "", book: Book? = nil,
        cover: LibraryCover? = nil, columns: [LibraryColumn] = [], problem: HostError? = nil
    ) {
        (self.key, self.item, self.root, self.size, self.stamp) = (key, item, root, size, stamp)
        (self.book, self.cover, self.columns, self.problem) = (book, cover, columns, problem)
    }
}

/// The image that a library keeps beside a book.
package struct LibraryCover: Hashable, Sendable {
    /// Where it is.
    package var file: String
    /// Its stamp.
    package var stamp: String
}

/// What a column that a person added to a calibre library says of one book.
package struct LibraryColumn: Hashable, Sendable {
    /// The lookup name, such as `#shelf`.
    package var lookupName: String
    /// The heading.
    package var heading: String
    /// A text, a list of texts, a number or a truth value.
    package var value: Value

    /// What a column can hold.
    package enum Value: Hashable, Sendable {
        case text(String)
        case texts([String])
        case number(Double)
        case flag(Bool)

        /// The value as JSON.
        package var json: JSONValue {
            switch self {
            case .text(let text): .string(text)
            case .texts(let texts): .texts(texts)
            case .number(let number): JSONNumber(number).map { .number($0) } ?? .null
            case .flag(let flag): .bool(flag)
            }
        }
    }
}

/// What is in a source.
package struct SourceListing: Sendable {
    /// The books that are wanted, by item.
    package var entries: [SourceEntry]
    /// The keys of all books that are there, also of those that are not wanted now.
    package var present: Set<ExactText>
    /// The wanted books of which the app takes no format, by item.
    package var unsupported: [UnsupportedBook] = []

    package init(entries: [SourceEntry], present: Set<ExactText>) {
        self.entries = entries
        self.present = present
    }
}

/// A book of a source of which the app takes no format.
package struct UnsupportedBook: Hashable, Sendable {
    /// Where its file, or the first of them, is from the source.
    package var item: String
    /// Its formats: extensions in lower case, in the order of the source.
    package var formats: [String]

    package init(item: String, formats: [String]) { (self.item, self.formats) = (item, formats) }
}
