import Platform

/// Makes names of files and folders that are valid for every app and every file system of an iPhone.
public enum BookName {
    /// The longest name in bytes of UTF-8, which is the limit of APFS. HFS+ allows 255 UTF-16 units, and a text never
    /// has more of these than bytes.
    public static let longest = 255

    /// A title as a valid name of any length; `Untitled` if no characters are left.
    ///
    /// `/` becomes `-`. Control characters and line breaks become spaces, and several spaces become one. Leading dots
    /// are removed, and so are marks that change the writing direction, because they can hide an extension.
    public static func cleaned(_ text: String) -> String {
        var name = String.UnicodeScalarView()
        var isSpace = true
        for scalar in text.unicodeScalars {
            switch clean(scalar) {
            case " "?:
                if !isSpace { name.append(" ") }
                isSpace = true
            case let scalar?:
                // A name that begins with a dot would be hidden.
                if name.isEmpty, scalar == "." { continue }
                name.append(scalar)
                isSpace = false
            case nil: break
            }
        }
        while let last = name.last, last == " " || last == "." { name.removeLast() }
        return name.isEmpty ? "Untitled" : String(name)
    }

    /// The replacement for a character in a name; nil removes it.
    private static func clean(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar == "/" { return "-" }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
        // APFS refuses names with unassigned characters.
        case .unassigned: return "-"
        case .format:
            switch scalar.value {
            case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: return nil
            default: return scalar
            }
        default: return scalar
        }
    }

    /// A file name: the cleaned title, a suffix such as ` (2)`, and the extension, within the length limit.
    ///
    /// A title that is too long is cut at its end; the extension and the suffix are kept. Dashes at the beginning,
    /// which may come from slashes, are removed, because commands take such a name for an option.
    public static func file(_ title: String, suffix: String = "", fileExtension: String) -> String {
        let ending = fileExtension.isEmpty ? "" : "." + cleanedExtension(fileExtension)
        var name = cleaned(title)
        if name.utf8.first == UInt8(ascii: "-") {
            name = cleaned(String(name.unicodeScalars.drop(while: { "-. ".unicodeScalars.contains($0) })))
        }
        return cut(name, to: longest - suffix.utf8.count - ending.utf8.count) + suffix + ending
    }

    /// A folder name within the length limit.
    public static func folder(_ title: String) -> String { cut(cleaned(title), to: longest) }

    private static func cleanedExtension(_ text: String) -> String {
        cut(text.filter { ($0.isLetter || $0.isNumber) && $0.isASCII }, to: 32)
    }

    /// As many whole characters as fit, without a space or dot at the end.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = String(text.prefix(bytes: bytes))
        while let last = kept.last, last == " " || last == "." { kept.removeLast() }
        guard kept.isEmpty else { return kept }
        // If a single character has hundreds of bytes, its first scalars are a valid name too.
        var scalars = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= bytes else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// A key for comparison only, equal for names that a device would treat as the same: case and the composed or
    /// decomposed form do not matter.
    ///
    /// HFS+ stores names decomposed, and APFS compares them so. Whether case matters depends on the volume's format,
    /// so it is always ignored here.
    public static func key(_ name: String) -> NameKey { NameKey(name) }
}

/// The key by which names are compared: ``BookName/key(_:)``.
public struct NameKey: Hashable, Sendable {
    /// Swift compares strings by canonical equivalence, so both Unicode forms of a name are equal.
    private let folded: String

    init(_ name: String) {
        // Upper case first, so that letters with several lower-case forms, such as the two sigmas, become the same.
        folded = name.uppercased().lowercased()
    }
}
