import Glibc
import Platform

/// The name of a fetched book on this computer: its title, made harmless, and the extension of its format.
///
/// Nothing a device says can lead out of the folder, hide the file, or reorder what a terminal shows.
package struct FileName: Sendable, Equatable {
    /// Bytes of the part before the extension, so that number and extension still fit into 255.
    private static let longestStem = 200

    /// Before the extension.
    package let stem: String
    /// Without its dot; empty if the format is not known.
    package let ending: String

    /// The name for a book.
    package init(_ book: BookRecord) {
        let last = String(book.path.pathNames.last ?? "")
        let known = book.format.flatMap { MediaTypes.fileExtension(ofType: $0) }
        let own = LocalBook.fileExtension(of: last)
        let isPlain = !own.isEmpty && own.utf8.count <= 8 && own.utf8.allSatisfy(Self.isLetterOrDigit)
        ending = known ?? (isPlain ? own : "")
        let titled = Self.harmless(book.title ?? "")
        let named = Self.harmless(isPlain ? String(last.dropLast(own.count + 1)) : last)
        stem = !titled.isEmpty ? titled : (named.isEmpty ? "book" : named)
    }

    /// The name, with a number from the second of its kind on.
    package func text(_ number: Int = 1) -> String {
        let stem = number == 1 ? stem : "\(stem) (\(number))"
        return ending.isEmpty ? stem : "\(stem).\(ending)"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte)
    }

    /// The text without what a file name must not hold on any common file system; it may be empty then.
    static func harmless(_ text: String) -> String {
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
        // A leading dot hides a file, a leading dash looks like an option, a trailing dot is lost on some systems.
        var trimmed = Substring(words)
        while let first = trimmed.first, first == "." || first == "-" || first == " " {
            trimmed = trimmed.dropFirst()
        }
        var length = 0
        var end = trimmed.startIndex
        while end < trimmed.endIndex, length + trimmed[end].utf8.count <= longestStem {
            length += trimmed[end].utf8.count
            end = trimmed.index(after: end)
        }
        trimmed = trimmed[..<end]
        while let last = trimmed.last, last == "." || last == " " { trimmed = trimmed.dropLast() }
        return String(trimmed)
    }

    // MARK: placing

    /// Where a file ended up.
    struct Placed {
        var path: String
        /// What the person should know; nil when it has the name one expects.
        var note: String?
    }

    /// Gives a file of the folder's file system its name in the folder. A file that is there stays: when it has the same
    /// content it serves, else the new one gets a number.
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
    /// Whether two regular files hold the same; false when one cannot be read.
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
