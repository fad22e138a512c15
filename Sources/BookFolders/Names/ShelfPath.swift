/// Where a book is below the folder that an app shares: names joined by `/`, such as `Novels/Emma.epub`.
///
/// Compared byte by byte, as two names that only look alike may be two files. Use ``BookName/key(_:)`` to ask whether a
/// device would take two names for one.
public struct ShelfPath: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of the longest path that is looked at.
    public static let longest = 1024

    /// The path as the booklist shows it.
    public let text: String

    /// A path from elsewhere; nil if it is empty, absolute, too long, or could lead out of the folder.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest,
            text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy({ Self.isName($0) })
        else { return nil }
        self.text = text
    }

    /// A name below a folder; nil as folder is the shared folder itself. Nil if the name is none or the path too long.
    public init?(_ folder: ShelfPath?, _ name: String) {
        self.init(folder.map { $0.text + "/" + name } ?? name)
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    }

    /// The text after the last `/`.
    public var name: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// What stands before the last `/`; nil for something in the shared folder itself.
    public var folder: ShelfPath? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return ShelfPath(String(text[..<slash]))
    }

    /// The extension in lower case without its dot: the text after the *last* dot; empty if there is none.
    public var fileExtension: String {
        let name = name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return name[name.utf8.index(after: dot)...].lowercased()
    }

    /// The extension as it is written.
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

    /// Whether this path is below a folder.
    public func isBelow(_ folder: ShelfPath) -> Bool {
        text.utf8.count > folder.text.utf8.count + 1 && text.utf8.starts(with: folder.text.utf8)
            && text.utf8.dropFirst(folder.text.utf8.count).first == UInt8(ascii: "/")
    }

    /// The path.
    public var description: String { text }

    /// By its bytes, as a device reads it: Swift takes a slash and a mark that combines with it for one character.
    private static func isName(_ name: Substring.UTF8View) -> Bool {
        !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8) && !name.contains(0)
    }

    /// Whether two paths have the same bytes.
    public static func == (left: ShelfPath, right: ShelfPath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes of the path.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
