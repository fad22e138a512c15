import Formats
import JSON

extension PublicationInfo {
    /// The publication as the JSON object of one book: the members that `books` and `info` print, followed by those
    /// that only a file provides. Unknown values are left out.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - size: the size of the file in bytes.
    package func book(path: String, size: Int64?) -> JSONObject {
        var book = JSONObject()
        func text(_ name: String, _ value: String?) { if let value { book[name] = .string(value) } }
        func number(_ name: String, _ value: Double?) {
            guard let value else { return }
            if let whole = Int64(exactly: value) {
                book[name] = .integer(whole)
            } else if let number = JSONNumber(value) {
                book[name] = .number(number)
            }
        }
        text("path", path)
        text("uuid", metadata.uuid)
        text("title", metadata.title)
        text("title_sort", metadata.titleSort)
        if !metadata.authors.isEmpty { book["authors"] = .texts(metadata.authors.map(\.name)) }
        text("author_sort", metadata.authorSort)
        text("series", metadata.series?.name)
        number("series_index", metadata.series?.position)
        text("publisher", metadata.publisher)
        text("pubdate", metadata.published?.dayText)
        text("description", metadata.description)
        if !metadata.subjects.isEmpty { book["tags"] = .texts(metadata.subjects) }
        number("rating", metadata.rating)
        if let size { book["size"] = .integer(size) }
        text("format", format.string)
        book["cover"] = cover.map { .object($0.json) } ?? .null
        text("subtitle", metadata.subtitle)
        text("isbn", metadata.isbn)
        if !metadata.languages.isEmpty { book["languages"] = .texts(metadata.languages) }
        if !metadata.identifiers.isEmpty {
            book["identifiers"] = .array(metadata.identifiers.map { .object($0.json) })
        }
        if !metadata.contributors.isEmpty {
            book["contributors"] = .array(metadata.contributors.map { .object($0.json) })
        }
        text("modified", metadata.modified?.description)
        text("rights", metadata.rights)
        if let pages = metadata.pageCount { book["page_count"] = .integer(Int64(pages)) }
        number("duration", metadata.duration)
        if !shortcomings.isEmpty {
            book["shortcomings"] = .array(shortcomings.map { .object($0.json) })
        }
        return book
    }
}

extension Cover {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["media_type"] = .string(mediaType.string)
        object["size"] = size.map { .integer($0) } ?? .null
        return object
    }
}

extension PublicationIdentifier {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["scheme"] = scheme.map { .string($0) } ?? .null
        object["value"] = .string(value)
        return object
    }
}

extension Contributor {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["name"] = .string(name)
        object["roles"] = .texts(roles)
        return object
    }
}

extension Shortcoming {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["code"] = .string(code.rawValue)
        object["subject"] = .string(subject)
        object["message"] = .string(message)
        return object
    }
}
