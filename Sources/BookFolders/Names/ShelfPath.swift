import Platform

/// The path of a book relative to the app's shared folder: names joined by `/`, such as `Novels/Emma.epub`.
///
/// Paths are compared byte by byte, because two names that look alike may be two files. Use ``BookName/key(_:)`` to ask
/// whether a device would treat two names as the same.
public struct ShelfPath: Hashable, Sendable, CustomStringConvertible {
    /// The longest accepted path, in bytes.
    public static let longest = 1024

    /// The path as the booklist shows it.
    public let text: String

    /// Creates a path from an untrusted text; nil if it is empty, absolute or too long, or could lead out of the
    /// folder.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest,
            text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy({ Self.isName($0) })
        else { return nil }
        self.text = text
    }

    /// The path of a name in a folder; a nil folder is the shared folder itself. Nil if the name is invalid or the
    /// path too long.
    public init?(_ folder: ShelfPath?, _ name: String) {
        self.init(folder.map { $0.text + "/" + name } ?? name)
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    }

    /// The text after the last `/`.
    public var name: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// The part before the last `/`; nil for something in the shared folder itself.
    public var folder: ShelfPath? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return ShelfPath(String(text[..<slash]))
    }

    /// The extension in lower case, without its dot: the text after the *last* dot; empty if there is none.
    public var fileExtension: String { writtenExtension.lowercased() }

    /// The extension in its original case.
    var writtenExtension: String {
        let name = name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return String(name[name.utf8.index(after: dot)...])
    }

    /// The name without its extension.
    public var stem: String {
        let name = name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// The path.
    public var description: String { text }

    /// Checks bytes, as a device does. Swift treats a slash with a combining mark as one character.
    private static func isName(_ name: Substring.UTF8View) -> Bool {
        !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8) && !name.contains(0)
    }

    /// Whether two paths have the same bytes.
    public static func == (left: ShelfPath, right: ShelfPath) -> Bool {
        ExactText(left.text) == ExactText(right.text)
    }

    /// Hashes the bytes of the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(text))
    }
}
