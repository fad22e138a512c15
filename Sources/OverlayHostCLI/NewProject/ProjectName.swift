import OverlayHost

/// The name of a new overlay in the forms for its files. The templates are written for an app named Satchel.
struct ProjectName: Equatable {
    /// The overlay's id, also used in file names: lower-case letters, digits and `_`, beginning with a letter.
    let id: String
    /// The app's name and the beginning of type names: `MyBooks`.
    let title: String

    /// The longest name in bytes.
    private static let longest = 40

    /// Creates a name. It must begin with a letter and consist of ASCII letters, digits, `-` and `_`. Throws
    /// otherwise.
    init(_ name: String) throws(HostError) {
        let isWord = name.utf8.allSatisfy { byte in
            Self.isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
        }
        guard isWord, let first = name.utf8.first, Self.isLetter(first), name.utf8.count <= Self.longest
        else {
            throw HostError(
                .usage, "Invalid overlay name.", subject: name,
                hint: "Use at most \(Self.longest) letters, digits, - and _, and begin with a letter.")
        }
        id = name.lowercased().replacing("-", with: "_")
        title = name.split { $0 == "-" || $0 == "_" }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    /// The given bundle id, or an invented one.
    func bundleID(_ given: String?) throws(HostError) -> String {
        guard let given else { return "org.example.\(id.replacing("_", with: "-"))" }
        let parts = given.split(separator: ".", omittingEmptySubsequences: false)
        let fits =
            parts.count > 1 && given.utf8.count <= 155
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        Self.isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                    }
            }
        guard fits else {
            throw HostError(
                .usage, "Invalid bundle id.", subject: given,
                hint: "A bundle id looks like com.example.reader. 'overlayhost apps' shows those on "
                    + "a device.")
        }
        return given
    }
}
