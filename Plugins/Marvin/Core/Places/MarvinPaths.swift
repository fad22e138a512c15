import OverlayKit
import Platform

/// The paths of an app's files, below one root of the device.
struct MarvinPaths: Equatable, Sendable {
    /// The root to which all paths are relative.
    var root = Root.container
    /// The library's database.
    var library = "/Library/mainDb.sqlite"
    /// The folder of commands, their status, and files for Marvin to take in.
    var staging = "/Library/calibre"
    /// The books.
    var documents = "/Documents"
    /// The folders of small covers `<hash>.jpg`, the most likely first. If it is empty, the database contains the
    /// covers.
    var covers: [String]

    private static let inCaches = "/Library/Caches/com.appstafarian.marvin.covers"
    private static let inSupport = "/Library/Application Support/com.appstafarian.marvin.covers"

    /// The paths of a version; nil means that the version is not known.
    ///
    /// Version 2.1 moved covers out of the database. Versions after 2.5.64 store them in the application support
    /// folder instead of the caches, which iOS may delete. The other folder is searched second, for a library that
    /// has not been moved yet.
    init(version: MarvinVersion?) {
        switch version {
        case .some(let version) where version < MarvinVersion(2, 1): covers = []
        case .some(let version) where version <= MarvinVersion(2, 5, 64):
            covers = [Self.inCaches, Self.inSupport]
        default: covers = [Self.inSupport, Self.inCaches]
        }
    }

    /// The path of a book's file. `name` must be a safe name.
    func document(_ name: String) -> String { documents + "/" + name }

    /// The path of a file for Marvin to take in. `name` must be a safe name.
    func staged(_ name: String) -> String { staging + "/" + name }

    /// Whether everything is in the part of the container that the app shares.
    var isShared: Bool { ([library, staging] + covers).allSatisfy { $0.hasPrefix(documents + "/") } }

    /// The folder of the booklist's copy on the device: beside the library, in the folder of the original driver's
    /// copy. The file has its own name, so that neither program reads the other's.
    var booklistFolder: String {
        let parent = library.pathParts.dropLast()
        return parent.joined(separator: "/") + "/calibre.mm"
    }
    /// The copy of the booklist in that folder.
    var booklistCopy: String { booklistFolder + "/overlayhost.booklist" }
}

extension MarvinPaths {
    /// The preference that sets the staging folder.
    static let stagingPreference = "marvin_staging_folder"
    /// The preference that sets the database.
    static let libraryPreference = "marvin_database_path"
    /// The preference that sets the folder of small covers.
    static let coversPreference = "marvin_covers_folder"

    /// The paths of a version, with changes from the preferences.
    ///
    /// - Throws: `invalidArgument` for a path that is impossible on a device.
    init(version: MarvinVersion?, prefs: PrefsService) throws(OverlayError) {
        self.init(version: version)
        if let place = try Self.place(Self.stagingPreference, prefs) { staging = place }
        if let place = try Self.place(Self.libraryPreference, prefs) { library = place }
        if let place = try Self.place(Self.coversPreference, prefs) {
            covers = [place]
        } else if library.hasPrefix(documents + "/") {
            // If an app keeps its library in its documents, covers in other folders cannot be reached.
            let parent = library.pathParts.dropLast()
            covers = [parent.joined(separator: "/") + "/com.appstafarian.marvin.covers"]
        }
    }

    private static func place(_ key: String, _ prefs: PrefsService) throws(OverlayError) -> String? {
        guard var text = try prefs.text(key)?.trimmed(of: \.isWhitespace), !text.isEmpty else { return nil }
        while text.utf8.count > 1, text.endsInSlash { text.removeLast() }
        let parts = text.pathParts
        guard parts.count >= 2, parts[0].isEmpty, parts.dropFirst().allSatisfy({ isSafeName(String($0)) })
        else {
            throw OverlayError(
                .invalidArgument, "The preference \(key) is not a path in the app's container.",
                subject: text,
                hint: "Give a path such as /Documents/calibre, or unset the preference.")
        }
        return text
    }
}

/// A version of Marvin in Marvin's format: up to three numbers, such as `2.5.64`.
struct MarvinVersion: Comparable, Sendable {
    var major: Int
    var minor: Int
    var patch: Int

    init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Reads up to three numbers and ignores what follows; nil if there is no number at the beginning.
    init?(_ text: String) {
        let parts = text.trimmed(of: \.isWhitespace).split(separator: ".", omittingEmptySubsequences: false)
        var numbers: [Int] = []
        for part in parts.prefix(3) {
            let digits = part.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits) else { break }
            numbers.append(number)
            if digits.count != part.count { break }
        }
        guard let first = numbers.first else { return nil }
        self.init(first, numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    static func < (left: MarvinVersion, right: MarvinVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

/// Whether a name from the device or the host is safe as the last component of a path on the device.
///
/// Names come from a database that any program may have written; a name with a separator or `..` would leave its
/// folder. The device's file systems allow names of up to 255 bytes.
func isSafeName(_ name: String) -> Bool {
    let bytes = name.utf8
    return !bytes.isEmpty && bytes.count <= 255 && name != "." && name != ".."
        && !bytes.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }
}

extension String {
    /// The text's UTF-8, as a key for a path or file name in sets and dictionaries.
    ///
    /// Swift treats texts that look the same as equal, however they are composed ("é" is one scalar or two). A device
    /// may treat them as the names of two files.
    var bytes: [UInt8] { Array(utf8) }
}
