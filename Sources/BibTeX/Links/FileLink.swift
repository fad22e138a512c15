import FoundationEssentials
import Platform
import PropertyLists

/// A link from an entry to a file: the value of `bdsk-file-N`.
///
/// The value is kept as it was read, because only a Mac can make the alias or bookmark in it. Only a change of the path
/// makes a new value.
public struct FileLink: Hashable, Sendable {
    /// The form of the value.
    public enum Form: Hashable, Sendable {
        /// A keyed archive of a dictionary. BibDesk writes it, and its app for iPhone and iPad reads only this form.
        case keyedArchive
        /// A plain dictionary with the path and an alias.
        case alias
        /// A plain dictionary with the path and a bookmark.
        case bookmark
        /// A plain dictionary with the path alone.
        case pathOnly
        /// The path itself, not in Base64.
        case barePath
        /// Something else, such as a value made of macros.
        case unknown
    }

    /// The value as it was read, without delimiters. A value that uses macros is kept as it is written.
    public let value: String
    /// The value of the field.
    public let fieldValue: BibTeXValue
    /// The form of the value.
    public let form: Form
    /// The path of the file as it was read, relative to the folder of the `.bib` file; nil if only an alias refers to
    /// the file.
    public let relativePath: String?

    /// Reads the text of a field.
    public init(value: String) { self.init(BibTeXValue(value)) }

    /// Reads the value of a field. A value that uses macros is a link without a path.
    public init(_ fieldValue: BibTeXValue) {
        guard let value = fieldValue.plainText else {
            self.fieldValue = fieldValue
            value = fieldValue.written
            form = .unknown
            relativePath = nil
            return
        }
        self.value = value
        self.fieldValue = BibTeXValue(value)
        guard let bytes = Base64.decode(value.utf8), let list = Self.parsed(bytes) else {
            let path = TextFolding.trimmed(value)
            let isPath = !path.isEmpty && !Self.looksLikeArchive(path)
            form = isPath ? .barePath : .unknown
            relativePath = isPath ? path : nil
            return
        }
        if list["$archiver"] != nil {
            form = .keyedArchive
            relativePath = Self.archivedPath(list)
        } else if let entries = list.dictionary {
            form =
                entries["aliasData"] != nil
                ? .alias
                : entries["bookmark"] != nil
                    ? .bookmark : entries["relativePath"] != nil ? .pathOnly : .unknown
            relativePath = entries["relativePath"]?.string
        } else {
            form = .unknown
            relativePath = nil
        }
    }

    /// Creates a new link to a path, in the archive form that every BibDesk reads.
    public init(path: String) {
        let objects: [PropertyList] = [
            "$null",
            ["$class": .uid(4), "NS.keys": [.uid(2)], "NS.objects": [.uid(3)]],
            "relativePath", .string(path),
            ["$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]],
        ]
        let archive: PropertyList = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": .array(objects),
        ]
        // A binary property list can hold any text, and this one is far below the maximum size.
        let bytes = Self.encoded(archive)
        value = String(decoding: Base64.encode(bytes), as: UTF8.self)
        fieldValue = BibTeXValue(value)
        form = .keyedArchive
        relativePath = path
    }

    /// A link to the same file in the form that BibDesk's app for iPhone and iPad reads; nil without a path.
    public var forApp: FileLink? {
        guard let relativePath else { return nil }
        return form == .keyedArchive ? self : FileLink(path: relativePath)
    }

    /// The path by which links are compared: composed, without `name/..`, doubled slashes and `.`; nil without a
    /// path.
    public var normalizedPath: String? { relativePath.map(LinkedPath.normalized) }

    private static func encoded(_ list: PropertyList) -> [UInt8] {
        do { return try list.encoded(.binary) } catch { return [] }
    }

    private static func parsed(_ bytes: [UInt8]) -> PropertyList? {
        guard bytes.starts(with: "bplist".utf8) || bytes.starts(with: "<".utf8) else { return nil }
        let limits = PropertyListLimits(bytes: 4 << 20, values: 10_000, depth: 16, repetition: 4)
        do { return try PropertyList(parsing: bytes, limits: limits) } catch { return nil }
    }

    /// Whether a text is a damaged archive rather than a path: a binary property list in Base64 begins like this.
    private static func looksLikeArchive(_ text: String) -> Bool { text.hasPrefix("YnBsaXN0") }

    /// The path in an archive, whose keys and values are references in any order.
    private static func archivedPath(_ list: PropertyList) -> String? {
        guard let objects = list["$objects"]?.array else { return nil }
        func object(_ reference: PropertyList?) -> PropertyList? {
            guard case .uid(let number)? = reference, number < UInt64(objects.count) else { return nil }
            return objects[Int(number)]
        }
        guard let root = object(list["$top"]?["root"]), let keys = root["NS.keys"]?.array,
            let values = root["NS.objects"]?.array
        else { return nil }
        for (key, value) in zip(keys, values) where object(key)?.string == "relativePath" {
            guard let path = object(value) else { return nil }
            return path.string ?? path["NS.string"]?.string
        }
        return nil
    }
}

/// Paths of linked files.
public enum LinkedPath {
    /// The path in composed letters, without `name/..`, doubled slashes and `.`.
    public static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        let path = TextFolding.composed(path)
        for part in path.pathNames where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return (path.isAbsolutePath ? "/" : "") + parts.joined(separator: "/")
    }

    /// Whether a path stays inside its folder: it is not absolute, does not go above the folder, and has no null
    /// byte.
    public static func isContained(_ path: String) -> Bool {
        let normal = normalized(path)
        return !normal.isEmpty && !normal.isAbsolutePath && normal.pathNames.first != ".."
            && !normal.utf8.contains(0)
    }
}
