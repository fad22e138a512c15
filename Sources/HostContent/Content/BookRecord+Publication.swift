import Formats
import BookModel
import HostContract
import Platform
import Publications

extension BookRecord {
    /// Creates a book from the metadata in its file.
    package init(path: String, _ info: PublicationInfo) { self.init(path: path, Book(info)) }
}

extension Book {
    /// Creates a book from the metadata in its file.
    package init(_ info: PublicationInfo) {
        self.init()
        let metadata = info.metadata
        uuid = metadata.uuid.map { Self.shortened($0) }
        title = metadata.title.map { Self.shortened($0) }
        titleSort = metadata.titleSort.map { Self.shortened($0) }
        authors = Self.shortened(metadata.authors.map(\.name))
        authorSort = metadata.authorSort.map { Self.shortened($0) }
        series = (metadata.series?.name).map { Self.shortened($0) }
        seriesIndex = metadata.series?.position.flatMap { $0.isFinite ? $0 : nil }
        publisher = metadata.publisher.map { Self.shortened($0) }
        pubdate = metadata.published?.dayText
        description = metadata.description.map { Self.shortened($0, to: 1 << 20) }
        tags = Self.shortened(metadata.subjects)
        rating = metadata.rating
        format = info.format.string
        cover = info.cover.map { cover in
            BookCover(mediaType: cover.mediaType.string, size: cover.size.map { UInt64(max(0, $0)) })
        }
    }

    /// Shortens a text to a length that real books do not exceed, so that the metadata in a file cannot make a list
    /// of books unreadable.
    private static func shortened(_ text: String, to limit: Int = 16 << 10) -> String {
        String(text.prefix(bytes: limit))
    }

    /// The first thousand texts of a list; nil if there are none.
    private static func shortened(_ texts: [String]) -> [String]? {
        texts.isEmpty ? nil : texts.prefix(1000).map { shortened($0) }
    }
}
