import OverlayKit

/// A relative path that stays below the folder it begins in.
///
/// Compared and taken apart byte by byte: two names that only look alike may be two files, and a mark that combines with a slash
/// makes it no other byte.
struct SafePath: Hashable, Sendable {
    /// Bytes a path may have.
    private static let longest = 1024
    private static let slash = UInt8(ascii: "/")

    /// The path, its parts separated by `/`.
    let text: String

    /// Nil for a path that leads elsewhere, is empty, or has characters that no file of a device has.
    init?(_ path: String) {
        var bytes = path.utf8[...]
        // Some lists write a folder with a slash at its end.
        while bytes.last == Self.slash { bytes.removeLast() }
        let parts = bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
        guard bytes.count <= Self.longest,
            parts.allSatisfy({ part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        text = String(Substring(bytes))
    }

    /// Whether it is a name and nothing more.
    var isName: Bool { !text.utf8.contains(Self.slash) }

    /// The last part.
    var name: String { String(text[nameStart...]) }

    /// The folder it is in; nil for a name and nothing more.
    var folder: SafePath? {
        text.utf8.lastIndex(of: Self.slash).flatMap { SafePath(String(text[..<$0])) }
    }

    /// What follows the last dot of the name, in lower case; empty without one.
    var fileExtension: String {
        let name = name
        return Self.dot(name).map { name[name.utf8.index(after: $0)...].lowercased() } ?? ""
    }

    /// The name without its extension.
    var stem: String {
        let name = name
        return Self.dot(name).map { String(name[..<$0]) } ?? name
    }

    /// The rest of a path that begins with `prefix`; nil for other paths.
    func rest(after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
    }

    private var nameStart: String.Index {
        text.utf8.lastIndex(of: Self.slash).map { text.utf8.index(after: $0) } ?? text.startIndex
    }

    /// Where an extension begins, with its dot.
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

    /// Feeds the bytes of the path.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension OverlayError {
    /// Whether only this file or folder cannot be read: a list of books, or a folder of them, is worth passing over then.
    ///
    /// What iOS refuses it may as well say is not there, and the other way round.
    var isOfOnePlace: Bool {
        [.notFound, .accessRefused, .damaged, .invalidArgument].contains(status)
    }
}
