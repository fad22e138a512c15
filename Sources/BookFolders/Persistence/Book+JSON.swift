import JSON
import OverlayKit

extension Book {
    /// What is kept of a book between two connections: everything but its place, size and cover bytes.
    func keptJSON() -> JSONObject {
        var object = JSONObject()
        func put(_ name: String, _ text: String?) { object[name] = text.map { .string($0) } }
        func put(_ name: String, _ texts: [String]?) { object[name] = texts.map { .texts($0) } }
        func put(_ name: String, _ number: Double?) {
            object[name] = number.flatMap { JSONNumber($0) }.map { .number($0) }
        }
        put("uuid", uuid)
        put("title", title)
        put("title_sort", titleSort)
        put("authors", authors)
        put("author_sort", authorSort)
        put("series", series)
        put("series_index", seriesIndex)
        put("publisher", publisher)
        put("pubdate", pubdate)
        object["date_added"] = dateAdded.map { .integer($0) }
        put("description", description)
        put("tags", tags)
        put("rating", rating)
        object["word_count"] = wordCount.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        put("format", format)
        put("cover_media_type", coverMediaType)
        object["cover_size"] = coverSize.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        return object
    }

    /// A kept book. Members with other types of values are passed over, for any program can write the file.
    init(keptJSON object: JSONObject) {
        self.init(
            uuid: object["uuid"]?.string, title: object["title"]?.string,
            titleSort: object["title_sort"]?.string, authors: object["authors"]?.strings,
            authorSort: object["author_sort"]?.string, series: object["series"]?.string,
            seriesIndex: object["series_index"]?.double, publisher: object["publisher"]?.string,
            pubdate: object["pubdate"]?.string.flatMap { Self.isDay($0) ? $0 : nil },
            dateAdded: object["date_added"]?.integer, description: object["description"]?.string,
            tags: object["tags"]?.strings,
            rating: object["rating"]?.double.flatMap { (0...5).contains($0) ? $0 : nil },
            format: object["format"]?.string, coverMediaType: object["cover_media_type"]?.string,
            coverSize: object["cover_size"]?.integer.flatMap { UInt64(exactly: $0) })
        wordCount = object["word_count"]?.integer.flatMap { UInt64(exactly: $0) }
    }

    /// `YYYY-MM-DD`, the only form that the contract allows.
    private static func isDay(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
            return false
        }
        let parts = [bytes[0..<4], bytes[5..<7], bytes[8..<10]].map {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard let month = parts[1], let day = parts[2], parts[0] != nil else { return false }
        return (1...12).contains(month) && (1...31).contains(day)
    }

    /// This book with every field that `other` has taken from there. Place, size, format and cover stay.
    public func overlaid(with other: Book) -> Book {
        var book = self
        book.uuid = other.uuid ?? uuid
        book.title = other.title ?? title
        book.titleSort = other.titleSort ?? (other.title == nil ? titleSort : nil)
        book.authors = other.authors ?? authors
        book.authorSort = other.authorSort ?? (other.authors == nil ? authorSort : nil)
        book.series = other.series ?? series
        book.seriesIndex = other.seriesIndex ?? (other.series == nil ? seriesIndex : nil)
        book.publisher = other.publisher ?? publisher
        book.pubdate = other.pubdate ?? pubdate
        book.dateAdded = other.dateAdded ?? dateAdded
        book.description = other.description ?? description
        book.tags = other.tags ?? tags
        book.rating = other.rating ?? rating
        book.wordCount = other.wordCount ?? wordCount
        return book
    }
}
