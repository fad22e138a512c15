/// A relative path that stays below the folder it begins in.
struct SafePath: Hashable, Sendable {
    /// Bytes a path may have.
    private static let longest = 1024

    /// The path, its parts separated by `/`.
    let text: String

    /// Nil for a path that leads elsewhere, is empty, or has characters that no file of a device has.
    init?(_ path: String) {
        var text = path[...]
        // Some lists write a folder with a slash at its end.
        while text.hasSuffix("/") { text.removeLast() }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.isEmpty, text.utf8.count <= Self.longest,
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        self.text = String(text)
    }

    /// The last part.
    var name: String { String(text.split(separator: "/").last ?? "") }

    /// What follows the last dot of the name, in lower case; empty without one.
    var fileExtension: String {
        let name = name
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The name without its extension.
    var stem: String {
        let ending = fileExtension
        return ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
    }
}
