import BookModel
import HostErrors
import JSON
import Platform

/// A book of a source, as far as known without reading its file.
package struct SourceEntry: Sendable {
    /// Identifies the book while it is in the source: the path in a folder, or the uuid in a calibre library.
    package var key: String
    /// The path of the file, relative to the source.
    package var item: String
    /// The folder of the source, shared by all its entries.
    private var root: String
    /// The size of the file in bytes.
    package var size: UInt64
    /// The stamps of all files that are read for the book. A book with an unchanged stamp is not read again.
    package var stamp: String
    /// The metadata in the library; nil if only the file and its sidecar have metadata.
    @Boxed package var book: Book?
    /// The cover in the library.
    @Boxed package var cover: LibraryCover?
    /// The values of the library's custom columns.
    package var columns: [LibraryColumn]
    /// The reason why the book cannot be read; nil if no problem is known.
    package var problem: HostError?

    /// The complete path of the file.
    package var file: String { root + "/" + item }

    package init(
        key: String, item: String, in root: String, size: UInt64 = 0, stamp: String = "", book: Book? = nil,
        cover: LibraryCover? = nil, columns: [LibraryColumn] = [], problem: HostError? = nil
    ) {
        (self.key, self.item, self.root, self.size, self.stamp) = (key, item, root, size, stamp)
        (self.book, self.cover, self.columns, self.problem) = (book, cover, columns, problem)
    }
}

/// A cover that a library stores beside a book.
package struct LibraryCover: Hashable, Sendable {
    /// The path of the image.
    package var file: String
    /// The stamp of the image.
    package var stamp: String
}

/// The value of a custom column of a calibre library for one book.
package struct LibraryColumn: Hashable, Sendable {
    /// The lookup name, such as `#shelf`.
    package var lookupName: String
    /// The heading.
    package var heading: String
    /// A text, a list of texts, a number or a truth value.
    package var value: Value

    /// A value of a column.
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

/// The books of a source.
package struct SourceListing: Sendable {
    /// The selected books, ordered by item.
    package var entries: [SourceEntry]
    /// The keys of all books in the source, including those that are not selected.
    package var present: Set<ExactText>
    /// The selected books without a format that the app supports, ordered by item.
    package var unsupported: [UnsupportedBook] = []
    /// The first file or folder whose name is not valid UTF-8, with such bytes replaced; nil if there is none. It may
    /// hold any book that seems to be gone.
    package var unnamed: String?
    /// The paths of symbolic links, relative to the source. What is behind them is not known.
    package var links: Set<ExactText> = []

    package init(entries: [SourceEntry], present: Set<ExactText>) {
        self.entries = entries
        self.present = present
    }
}

/// A book of a source without a format that the app supports.
package struct UnsupportedBook: Hashable, Sendable {
    /// The path of its file, or of the first file, relative to the source.
    package var item: String
    /// The formats: extensions in lower case, in the order of the source.
    package var formats: [String]

    package init(item: String, formats: [String]) { (self.item, self.formats) = (item, formats) }
}
