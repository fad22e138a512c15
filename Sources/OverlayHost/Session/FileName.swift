import Glibc
import Platform

/// The name of a fetched book on the host: a valid form of its title, and the extension of its format.
///
/// Text from a device cannot lead out of the folder, hide the file, or reorder the text that a terminal displays.
package struct FileName: Sendable, Equatable {
    /// The largest size in bytes of the part before the extension, so that number and extension still fit into 255.
    private static let longestStem = 200

    /// The part before the extension.
    package let stem: String
    /// The extension without the dot; empty if the format is unknown.
    package let ending: String

    /// Creates the name for a book.
    package init(_ book: BookRecord) {
        let last = String(book.path.pathNames.last ?? "")
        let own = LocalBook.fileExtension(of: last)
        // Several extensions may name one format, such as azw and azw3.
        let known = book.format.flatMap {
            FileFormat.has(own, mediaType: $0) ? own : FileFormat.fileExtension(ofMediaType: $0)
        }
        let isPlain = !own.isEmpty && own.utf8.count <= 8 && own.utf8.allSatisfy(Self.isLetterOrDigit)
        ending = known ?? (isPlain ? own : "")
        let titled = Self.harmless(book.title ?? "")
        let named = Self.harmless(isPlain ? String(last.dropLast(own.count + 1)) : last)
        stem = !titled.isEmpty ? titled : (named.isEmpty ? "book" : named)
    }

    /// The name, with a number if it is greater than 1.
    package func text(_ number: Int = 1) -> String {
        let stem = number == 1 ? stem : "\(stem) (\(number))"
        return ending.isEmpty ? stem : "\(stem).\(ending)"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte)
    }

    /// The text without characters that common file systems do not allow; may be empty.
    static func harmless(_ text: String) -> String {
        if isHarmless(text) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": result.unicodeScalars.append("_")
            case "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}": break
            default:
                let isSpace = scalar.properties.isWhitespace
                if scalar.isControl, !isSpace { continue }
                result.unicodeScalars.append(isSpace ? " " : scalar)
            }
        }
        let words = result.split(separator: " ").joined(separator: " ")
        // A leading dot hides a file, a leading dash looks like an option, and some systems remove a trailing dot.
        var trimmed = Substring(words)
        while let first = trimmed.first, first == "." || first == "-" || first == " " {
            trimmed = trimmed.dropFirst()
        }
        trimmed = trimmed.prefix(bytes: longestStem)
        while let last = trimmed.last, last == "." || last == " " { trimmed = trimmed.dropLast() }
        return String(trimmed)
    }

    /// Whether a text is already harmless: words of ASCII letters, digits and a few signs, with one space between
    /// them. Most titles and names of authors are.
    private static func isHarmless(_ text: String) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: ","), UInt8(ascii: "'"):
                break
            case UInt8(ascii: " ") where previous != UInt8(ascii: " "): break
            default: return false
            }
            previous = byte
        }
        return previous != UInt8(ascii: " ") && text.utf8.count <= longestStem
    }

    // MARK: placing

    /// The final place of a file.
    struct Placed {
        var path: String
        /// A message for the user; nil if the file has the expected name.
        var note: String?
    }

    /// Moves a file into a folder on the same file system. An existing file is not changed: it is used if it has the
    /// same content, otherwise the new file gets a number.
    static func place(_ file: String, in folder: String, _ name: FileName) throws(HostError) -> Placed {
        for number in 1...9_999 {
            let path = folder + "/" + name.text(number)
            if renameWithoutReplacing(file, to: path) {
                return Placed(
                    path: path,
                    note: number == 1
                        ? nil
                        : "Another file has the name \(name.text()), so a number was "
                            + "added.")
            }
            guard errno == EEXIST else {
                throw HostError(
                    .outputNotCreated, "Cannot write the book: \(systemText(errno)).", subject: path,
                    native: .posix(errno))
            }
            if SameContent.isSame(file, path) {
                unlink(file)
                return Placed(path: path, note: "The same file already exists.")
            }
        }
        throw HostError(
            .outputNotCreated, "Too many files have this name.", subject: folder + "/" + name.text())
    }
}

/// Compares files byte by byte.
enum SameContent {
    /// Whether two regular files have the same content; false if one cannot be read.
    static func isSame(_ one: String, _ other: String) -> Bool {
        guard let first = FileDescriptor(opening: one, O_RDONLY | O_NONBLOCK),
            let second = FileDescriptor(opening: other, O_RDONLY | O_NONBLOCK),
            let a = first.status, let b = second.status, a.st_mode & S_IFMT == S_IFREG,
            b.st_mode & S_IFMT == S_IFREG,
            a.st_size == b.st_size
        else { return false }
        let (one, other) = (first.number, second.number)
        var (left, right) = ([UInt8](repeating: 0, count: 1 << 18), [UInt8](repeating: 0, count: 1 << 18))
        while true {
            guard let count = left.withUnsafeMutableBytes({ readFully(one, into: $0) }),
                right.withUnsafeMutableBytes({ readFully(other, into: $0) }) == count
            else { return false }
            guard left[..<count] == right[..<count] else { return false }
            if count < left.count { return true }
        }
    }
}
