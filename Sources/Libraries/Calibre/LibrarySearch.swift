import BookModel
import Glibc
import HostErrors
import Platform

/// Selects books of a calibre library. A book is selected if it matches every part of the search.
///
/// A part is `tag:TEXT`, `author:TEXT` or `series:TEXT`, which finds the text anywhere in the value, ignoring case.
/// As in calibre, `=` before the text requires that it is the complete value. A part may also be `ids:FILE`, the name
/// of a file with book numbers.
package struct LibrarySearch: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case tag(String, isWhole: Bool)
        case author(String, isWhole: Bool)
        case series(String, isWhole: Bool)
        case ids(Set<Int64>)
    }

    /// The largest size of a file with book numbers, in bytes.
    private static let largestList = 16 << 20

    private var parts: [Part] = []

    /// Parses the parts of a search, and reads the files that they name.
    ///
    /// - Throws: `usage` for a malformed part, `inputUnreadable` for a file that cannot be read.
    package init(_ texts: [String]) throws(HostError) {
        for text in texts { parts.append(try Self.part(text)) }
    }

    private static func part(_ text: String) throws(HostError) -> Part {
        guard let colon = text.firstIndex(of: ":") else { throw malformed(text) }
        var value = String(text[text.index(after: colon)...].drop { $0 == " " })
        let kind = text[..<colon].lowercased()
        if kind == "ids" { return .ids(try ids(in: value)) }
        let quoted = value.hasPrefix("\"=") || value.hasPrefix("=")
        if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        let isWhole = quoted && value.hasPrefix("=")
        if isWhole { value.removeFirst() }
        if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
            value = String(value.dropFirst().dropLast())
        }
        guard !value.isEmpty else { throw malformed(text) }
        switch kind {
        case "tag", "tags": return .tag(value.lowercased(), isWhole: isWhole)
        case "author", "authors": return .author(value.lowercased(), isWhole: isWhole)
        case "series": return .series(value.lowercased(), isWhole: isWhole)
        default: throw malformed(text)
        }
    }

    private static func malformed(_ text: String) -> HostError {
        HostError(
            .usage, "A search has the form tag:TEXT, author:TEXT, series:TEXT or ids:FILE.", subject: text)
    }

    /// Reads the numbers in a file, which are separated by white space, commas or semicolons. Ignores a byte order
    /// mark.
    private static func ids(in path: String) throws(HostError) -> Set<Int64> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= largestList else { throw unreadable(path, EFBIG) }
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let words = bytes.split { byte in
            [0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","), UInt8(ascii: ";")].contains(byte)
        }
        var ids: Set<Int64> = []
        for word in words {
            let isNumber = word.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isNumber, let id = Int64(String(decoding: word, as: UTF8.self)), id > 0 else {
                let text = String(decoding: word.prefix(40), as: UTF8.self)
                throw HostError(
                    .usage, "The list of ids has '\(text)', which is not the number of a book.",
                    subject: path,
                    hint: "Give numbers only, separated by spaces, commas or new lines.")
            }
            ids.insert(id)
        }
        return ids
    }

    private static func unreadable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, fileProblem("Cannot read the list of ids", code), subject: path,
            native: .posix(code))
    }

    /// Whether the search selects a book.
    package func fits(_ id: Int64, _ book: Book) -> Bool {
        parts.allSatisfy { part in
            switch part {
            case .tag(let text, let isWhole): Self.finds(text, isWhole, book.tags ?? [])
            case .author(let text, let isWhole): Self.finds(text, isWhole, book.authors ?? [])
            case .series(let text, let isWhole): Self.finds(text, isWhole, [book.series].compactMap { $0 })
            case .ids(let ids): ids.contains(id)
            }
        }
    }

    private static func finds(_ text: String, _ isWhole: Bool, _ values: [String]) -> Bool {
        values.contains { value in
            let value = value.lowercased()
            return isWhole ? value == text : value.contains(text)
        }
    }
}
