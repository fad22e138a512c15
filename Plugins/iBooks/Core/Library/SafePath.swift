import OverlayKit

/// A relative path that stays inside its folder.
///
/// Paths are compared and split byte by byte, because two names that look alike may be two files, and a slash stays a
/// slash even with a combining mark.
struct SafePath: Hashable, Sendable {
    /// The longest path in bytes.
    private static let longest = 1024
    private static let slash = UInt8(ascii: "/")

    /// The path, its parts separated by `/`.
    let text: String

    /// Nil if the path leads outside, is empty, or has characters that file names on a device cannot have.
    init?(_ path: String) {
        var bytes = path.utf8[...]
        // Some lists write a folder with a slash at the end.
        while bytes.last == Self.slash { bytes.removeLast() }
        let parts = bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
        guard bytes.count <= Self.longest,
            parts.allSatisfy({ part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        text = String(Substring(bytes))
    }

    /// Whether it is a single name.
    var isName: Bool { !text.utf8.contains(Self.slash) }

    /// The last component.
    var name: String { String(text[nameStart...]) }

    /// The folder that contains it; nil for a single name.
    var folder: SafePath? {
        text.utf8.lastIndex(of: Self.slash).flatMap { SafePath(String(text[..<$0])) }
    }

    /// The part of the name after the last dot, in lower case; empty if there is none.
    var fileExtension: String {
        let name = name
        return Self.dot(name).map { name[name.utf8.index(after: $0)...].lowercased() } ?? ""
    }

    /// The name without its extension.
    var stem: String {
        let name = name
        return Self.dot(name).map { String(name[..<$0]) } ?? name
    }

    /// The rest of a path that begins with `prefix`; nil for any other path.
    func rest(after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
    }

    private var nameStart: String.Index {
        text.utf8.lastIndex(of: Self.slash).map { text.utf8.index(after: $0) } ?? text.startIndex
    }

    /// The index of the extension, including its dot.
    private static func dot(_ name: String) -> String.Index? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
            name.utf8.index(after: dot) != name.endIndex
        else { return nil }
        return dot
    }

    /// Whether two paths have the same bytes.
    static func == (left: SafePath, right: SafePath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes of the path.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension OverlayError {
    /// Whether the error concerns only this file or folder, so that a list or folder of books can be skipped.
    ///
    /// iOS may say that a file does not exist when it refuses access, and the reverse.
    var isOfOnePlace: Bool {
        [.notFound, .accessRefused, .damaged, .invalidArgument].contains(status)
    }
}
