import ArgumentParser
import FoundationEssentials
import Glibc
import JSON
import OverlayHost
import Platform

/// The names that completion offers: of devices, apps, books and preferences in earlier commands. Completion does not
/// ask devices.
///
/// They are stored in the cache; losing them affects only completion, so read and write errors are ignored. Any
/// thread.
struct KnownNames {
    /// The most names of a kind that are stored.
    static let most = 5000

    /// A kind of names.
    enum Kind: String, CaseIterable {
        case devices, apps, books, prefs, collections, overlays
        /// Preferences with a Boolean value.
        case flags
        /// Reader apps that overlays serve.
        case served
    }

    private let file: String

    init(_ paths: HostPaths) { file = paths.caches + "/names.json" }

    /// The names of a kind, in the order in which they were stored.
    func names(_ kind: Kind) -> [String] { object[kind.rawValue]?.strings ?? [] }

    /// Stores names of a kind.
    ///
    /// - Parameter replacing: whether to forget earlier names; otherwise the new ones are put before them.
    func keep(_ names: [String], _ kind: Kind, replacing: Bool = false) {
        var object = object
        let before = object[kind.rawValue]?.strings ?? []
        var seen: Set<String> = []
        let all = (names + (replacing ? [] : before)).filter { !$0.isEmpty && seen.insert($0).inserted }
        let kept = Array(all.prefix(Self.most))
        guard kept != before else { return }
        object[kind.rawValue] = .texts(kept)
        guard let folder = file.pathFolder, makeFolders(String(folder), mode: 0o700) == 0 else { return }
        // Write errors are ignored, as said above.
        _ = TemporaryFile.write(Array(JSONValue.object(object).text(.line).utf8), to: file, mode: 0o600)
    }

    private var object: JSONObject {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
            return try JSONValue(parsing: Array(data.prefix(8 << 20))).object ?? JSONObject()
        } catch {
            return JSONObject()
        }
    }

    // MARK: completion

    private static var current: KnownNames { KnownNames(.current()) }

    /// UDIDs and names of devices, and `all`.
    @Sendable static func devices(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(current.names(.devices) + ["all"], prefix)
    }

    /// Reader apps.
    @Sendable static func apps(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(current.names(.apps) + current.names(.served) + KnownReaderApp.all.map(\.name), prefix)
    }

    /// Titles of books.
    @Sendable static func books(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(current.names(.books), prefix)
    }

    /// Names of collections.
    @Sendable static func collections(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(current.names(.collections), prefix)
    }

    /// Ids of overlays, and their reader apps.
    @Sendable static func overlays(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(current.names(.overlays) + KnownReaderApp.all.map(\.name), prefix)
    }

    /// Titles of books, and local files.
    @Sendable static func booksAndFiles(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        let folder = prefix.pathFolder.map { $0 + "/" } ?? ""
        let isHidden = prefix.pathName.utf8.first == UInt8(ascii: ".")
        let files = (FolderListing.names(folder.isEmpty ? "." : folder) ?? []).filter {
            isHidden || $0.utf8.first != UInt8(ascii: ".")
        }.map { name in
            var isFolder = false
            let isThere = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
            return folder + name + (isThere && isFolder ? "/" : "")
        }
        return books(words, place, prefix) + offered(files.sorted(), prefix)
    }

    /// Keys of preferences.
    @Sendable static func keys(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        offered(PreferenceSchema.builtIn.preferences.map(\.key) + current.names(.prefs), prefix)
    }

    /// Values of the preference named before the word.
    @Sendable static func values(_ words: [String], _ place: Int, _ prefix: String) -> [String] {
        guard let set = words.lastIndex(of: "set"), set + 1 < words.count else { return [] }
        let key = words[set + 1]
        if key == "preferred_reader_app" { return apps(words, place, prefix) }
        if current.names(.flags).contains(key) { return offered(["true", "false"], prefix) }
        guard let preference = PreferenceSchema.builtIn[key] else { return [] }
        if preference.type == .bool { return offered(["true", "false"], prefix) }
        return offered(preference.allowed ?? preference.known ?? [], prefix)
    }

    /// The names that begin with the typed text, without duplicates, as the script of the shell reads them.
    private static func offered(_ names: [String], _ prefix: String) -> [String] {
        var seen: Set<String> = []
        let typed = prefix.lowercased()
        return names.filter { name in
            // Names are printed one per line, and some shells show what is printed to the terminal.
            // A name that begins with a dash would be read as an option.
            name.utf8.first != UInt8(ascii: "-") && !name.contains(where: \.isNewline)
                && !name.unicodeScalars.contains(where: \.isControl)
                && name.lowercased().hasPrefix(typed) && seen.insert(name).inserted
        }.map { printed($0, for: shell) }
    }

    /// The shell whose script asks for completions, as the script says in the environment. The parser's own value also
    /// changes when a script is generated.
    private static var shell: CompletionShell? {
        getenv("SAP_SHELL").flatMap { CompletionShell(rawValue: String(cString: $0)) }
    }

    /// A name as the completion script of a shell reads it. Names come from devices, so they can contain anything.
    static func printed(_ name: String, for shell: CompletionShell?) -> String {
        switch shell {
        // The script passes the names to `compgen -W`, which expands each of them like a word of a command line.
        case .bash?:
            name.escaped { scalar in
                scalar.isASCII && !scalar.properties.isAlphabetic
                    && !"0123456789_-./".unicodeScalars.contains(scalar)
            }
        // The script passes them to `_describe`, which separates a name from its description with a colon.
        case .zsh?: name.escaped { $0 == ":" || $0 == "\\" }
        default: name
        }
    }
}

extension String {
    /// The text with a backslash before each scalar that needs one.
    fileprivate func escaped(_ needsBackslash: (Unicode.Scalar) -> Bool) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if needsBackslash(scalar) { text.append("\\") }
            text.unicodeScalars.append(scalar)
        }
    }
}
