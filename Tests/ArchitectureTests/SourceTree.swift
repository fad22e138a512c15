import Foundation

/// The sources of the package, module by module.
struct SourceTree {
    /// A Swift file of a module.
    struct File {
        /// The path below the module's folder.
        let path: String
        let text: String
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The Swift files of each module in Sources and of each overlay's Core in Plugins.
    let modules: [String: [File]]

    init() throws {
        var modules: [String: [File]] = [:]
        for (folder, inside) in [("Sources", ""), ("Plugins", "Core")] {
            let place = Self.root.appendingPathComponent(folder)
            for module in try FileManager.default.contentsOfDirectory(atPath: place.path) {
                let top = place.appendingPathComponent(module).appendingPathComponent(inside)
                guard let paths = FileManager.default.subpaths(atPath: top.path) else { continue }
                let files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
                    File(
                        path: $0,
                        text: try String(contentsOf: top.appendingPathComponent($0), encoding: .utf8))
                }
                if !files.isEmpty { modules[module] = files }
            }
        }
        self.modules = modules
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}

/// What a Swift file defines and uses, as far as names of types at its outermost level and of members of extensions
/// go.
struct FileNames {
    /// Types that other files can name.
    private(set) var defined: Set<String> = []
    /// Names that begin with a capital and do not follow a full stop.
    private(set) var used: Set<String> = []
    /// Modules it imports.
    private(set) var imports: Set<String> = []
    /// Members of extensions that other files can name.
    private(set) var members: Set<String> = []
    /// Static members of extensions that other files can name, as `Type.member`.
    private(set) var statics: Set<String> = []
    /// What follows a type and a full stop, as `Type.member`.
    private(set) var qualified: Set<String> = []
    /// Every function, value and case that it declares, anywhere.
    private(set) var declarations: [String] = []
    /// Names that follow a full stop, or have brackets after them.
    private(set) var selected: Set<String> = []

    private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let values: Set<String> = ["func", "var", "let", "case"]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var index = 0
        var depth = 0
        var previous = ""
        var isPrivate = false
        var afterStop = false
        var own: Set<String> = []
        // Whether the outermost brackets are those of an extension that other files see, and this member is private.
        var (isExtension, isPrivateMember, isInCases) = (false, false, false)
        // The type that the extension extends, and whether this member belongs to the type itself.
        var (extended, isStatic) = ("", false)
        var last: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch byte {
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
                continue
            case UInt8(ascii: "\""):
                index = Self.end(ofString: index, in: bytes)
                continue
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { isExtension = false }
            case UInt8(ascii: "\n"), UInt8(ascii: ":"): isInCases = false
            case _ where Self.isNameByte(byte):
                let start = index
                while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
                let name = String(decoding: bytes[start..<index], as: UTF8.self)
                // `import class Module.Name`
                if previous == "import", Self.kinds.contains(name) { continue }
                if previous == "import" {
                    imports.insert(name)
                } else if Self.kinds.contains(previous) {
                    if depth == 0, !isPrivate { defined.insert(name) } else { own.insert(name) }
                } else if !afterStop, name.first?.isUppercase == true {
                    used.insert(name)
                }
                if !afterStop, Self.values.contains(previous) || (isInCases && last == UInt8(ascii: ",")) {
                    declarations.append(name)
                    if isExtension, depth == 1, !isPrivateMember {
                        members.insert(name)
                        if isStatic { statics.insert("\(extended).\(name)") }
                    }
                    if previous == "case" { isInCases = true }
                } else if afterStop || (index < bytes.count && bytes[index] == UInt8(ascii: "(")) {
                    selected.insert(name)
                    if afterStop, previous.first?.isUppercase == true {
                        qualified.insert("\(previous).\(name)")
                    }
                }
                if depth == 0, name == "extension" { isExtension = !isPrivate }
                if depth == 0, previous == "extension" { extended = name }
                if depth == 1, name == "static" { isStatic = true }
                if Self.values.contains(previous) { isStatic = false }
                if depth == 1 {
                    if name == "private" || name == "fileprivate" { isPrivateMember = true }
                    if Self.values.contains(previous) || Self.kinds.contains(previous) || name == "init" {
                        isPrivateMember = false
                    }
                }
                if depth == 0 {
                    if name == "private" || name == "fileprivate" { isPrivate = true }
                    if Self.kinds.contains(previous) || name == "func" || name == "let" || name == "extension"
                    {
                        isPrivate = false
                    }
                }
                previous = name
                afterStop = false
                continue
            default: break
            }
            if byte > UInt8(ascii: " ") {
                afterStop = byte == UInt8(ascii: ".")
                last = byte
            }
            index += 1
        }
        used.subtract(defined)
        used.subtract(own)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The index behind the literal that begins at `start`; its interpolations are passed over as well.
    static func end(ofString start: Int, in bytes: [UInt8]) -> Int {
        let quote = UInt8(ascii: "\"")
        let isLong = start + 2 < bytes.count && bytes[start + 1] == quote && bytes[start + 2] == quote
        var index = start + (isLong ? 3 : 1)
        var brackets = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                if bytes[index + 1] == UInt8(ascii: "(") { brackets += 1 }
                index += 2
                continue
            }
            if brackets > 0 {
                if byte == UInt8(ascii: "(") { brackets += 1 }
                if byte == UInt8(ascii: ")") { brackets -= 1 }
                if byte == quote {
                    index = end(ofString: index, in: bytes)
                    continue
                }
            } else if byte == quote {
                if !isLong { return index + 1 }
                if index + 2 < bytes.count, bytes[index + 1] == quote, bytes[index + 2] == quote {
                    return index + 3
                }
            } else if byte == UInt8(ascii: "\n"), !isLong {
                return index
            }
            index += 1
        }
        return index
    }
}
