/// Names for files and folders that every app, and every file system an iPhone ever had, takes.
public enum BookName {
    /// Bytes of the longest name, in UTF-8: what APFS takes; HFS+ takes 255 UTF-16 units, which are never more bytes.
    public static let longest = 255

    /// A title made fit to be a name, of any length; `Untitled` if nothing is left of it.
    ///
    /// `/` becomes `-`; control characters and line breaks become spaces, and spaces that follow each other one space;
    /// marks that turn the writing direction, which can hide an extension, and leading dots go.
    public static func cleaned(_ text: String) -> String {
        var name = String.UnicodeScalarView()
        var isSpace = true
        for scalar in text.unicodeScalars {
            switch clean(scalar) {
            case " "?:
                if !isSpace { name.append(" ") }
                isSpace = true
            case let scalar?:
                // A name that begins with a dot is hidden.
                if name.isEmpty, scalar == "." { continue }
                name.append(scalar)
                isSpace = false
            case nil: break
            }
        }
        while let last = name.last, last == " " || last == "." { name.removeLast() }
        return name.isEmpty ? "Untitled" : String(name)
    }

    /// What a character becomes in a name; nil: nothing.
    private static func clean(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar == "/" { return "-" }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
        // APFS refuses names with characters that Unicode does not know.
        case .unassigned: return "-"
        case .format:
            switch scalar.value {
            case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: return nil
            default: return scalar
            }
        default: return scalar
        }
    }

    /// A name of a file: the cleaned title, a suffix such as ` (2)`, and the extension, all within the longest name.
    ///
    /// A title that is too long loses its end; extension and suffix stay.
    public static func file(_ title: String, suffix: String = "", fileExtension: String) -> String {
        let ending = fileExtension.isEmpty ? "" : "." + cleanedExtension(fileExtension)
        return cut(cleaned(title), to: longest - suffix.utf8.count - ending.utf8.count) + suffix + ending
    }

    /// A name of a folder.
    public static func folder(_ title: String) -> String { cut(cleaned(title), to: longest) }

    private static func cleanedExtension(_ text: String) -> String {
        cut(text.filter { ($0.isLetter || $0.isNumber) && $0.isASCII }, to: 32)
    }

    /// As many whole characters from the beginning as fit, without a space or dot at the end.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        while let last = kept.last, last == " " || last == "." { kept.removeLast() }
        guard kept.isEmpty else { return kept }
        // One character of hundreds of bytes: its first scalars are a name, too.
        var scalars = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= bytes else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// What two names have in common that a device would take for one: neither case nor the composed or decomposed form of
    /// a letter counts. For comparison only.
    ///
    /// HFS+ stores names decomposed and APFS compares them so; whether case counts depends on how a volume was made, so
    /// that here it never makes a difference.
    public static func key(_ name: String) -> NameKey { NameKey(name) }
}

/// What is compared of a name: ``BookName/key(_:)``.
public struct NameKey: Hashable, Sendable {
    /// Swift compares strings by canonical equivalence, which makes both Unicode forms of a name equal.
    private let folded: String

    init(_ name: String) {
        // Upper case first: letters with several lower-case forms, such as the two sigmas, are one then.
        folded = name.uppercased().lowercased()
    }
}
