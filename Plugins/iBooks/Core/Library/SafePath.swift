import BookFolders
import OverlayKit

/// A relative path that stays inside its folder and has no control characters.
struct SafePath: Hashable, Sendable {
    private let path: ShelfPath

    /// Nil if the path leads outside, is empty, or has characters that file names on a device cannot have.
    init?(_ path: String) {
        var bytes = path.utf8[...]
        // Some lists write a folder with a slash at the end.
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let path = ShelfPath(String(Substring(bytes)))
        else { return nil }
        self.path = path
    }

    /// The path, its parts separated by `/`.
    var text: String { path.text }

    /// Whether it is a single name.
    var isName: Bool { !text.utf8.contains(UInt8(ascii: "/")) }

    /// The last component.
    var name: String { path.name }

    /// The folder that contains it; nil for a single name.
    var folder: SafePath? { path.folder.flatMap { SafePath($0.text) } }

    /// The part of the name after the last dot, in lower case; empty if there is none.
    var fileExtension: String { path.fileExtension }

    /// The name without its extension. A dot at the end of a name does not begin one.
    var stem: String { fileExtension.isEmpty ? name : path.stem }

    /// The rest of a path that begins with `prefix`; nil for any other path.
    func rest(after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
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
