import Glibc
import HostErrors
import Platform

/// A checked path in a granted folder. It does not lead out of the folder, and does not contain names that the host
/// uses.
struct GrantedPath {
    /// The path as given by the overlay.
    let text: String
    /// The components of the path; empty for the folder itself.
    let names: [String]

    /// The largest number of components in a path.
    private static let deepest = 64
    /// The largest size of a name in bytes, as in file systems.
    private static let longest = 255

    /// Checks a path.
    ///
    /// - Throws: `invalidArgument` for a path that is absolute, has an empty component, `.` or `..`, is too long, or
    ///   contains a name that the host uses in the folder.
    init(_ text: String) throws(HostError) {
        self.text = text
        guard !text.isEmpty else {
            names = []
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        names = parts.map { String(decoding: $0, as: UTF8.self) }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.count <= Self.longest && !part.contains(0)
                && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        }
        guard isPlain, names.count <= Self.deepest else {
            throw HostError(
                .invalidArgument,
                "A path in the source must be relative and must not contain empty, . or .. parts.",
                subject: text)
        }
        guard !names.contains(where: Self.isHosts) else {
            throw HostError(.invalidArgument, "The host uses this name for its own files.", subject: text)
        }
    }

    // MARK: names of the host

    /// The trash in a folder that is on another disk than the user's trash.
    static let trash = ".Trash-overlayhost"
    /// The prefix of unfinished files of transfers.
    static let transfers = ".overlayhost-"
    private static let partialSuffix = ".begun"
    private static let backups = ".overlayhost-backup"
    private static let fresh = ".overlayhost-new"
    private static let replaced = ".overlayhost-replaced"

    /// Whether the host uses a name for its own files. Overlays cannot see or use such names.
    static func isHosts(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.first == UInt8(ascii: ".") else { return false }
        return name == trash || bytes.starts(with: transfers.utf8)
            || [backups, fresh, replaced].contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    /// The name for the previous version of a file.
    static func backup(of name: String) -> String { hidden(name) + backups }

    /// The name for the next version of a file while it is written.
    static func fresh(of name: String) -> String { hidden(name) + fresh }

    /// Whether `fresh` returns a name for some file.
    static func isFresh(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(fresh) }

    /// The name for a file that is being replaced, until it is certain that it is the expected one.
    static func replaced(of name: String) -> String { hidden(name) + replaced }

    /// The original file and its backup for the name of a replaced version; nil for other names. For a long name, a
    /// hash replaces its end.
    static func file(ofReplaced name: String) -> (name: String, backup: String)? {
        guard name.hasPrefix("."), name.hasSuffix(replaced) else { return nil }
        let hidden = name.dropLast(replaced.count)
        return (String(hidden.dropFirst()), hidden + backups)
    }

    /// The process that writes an unfinished file `.overlayhost-PROCESS-NUMBER.part`; nil for other names.
    static func process(ofTransfer name: String) -> pid_t? {
        let end = ".part"
        guard name.hasPrefix(transfers), name.hasSuffix(end) else { return nil }
        let numbers = name.dropFirst(transfers.count).dropLast(end.count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
            Int(numbers[1]) != nil
        else { return nil }
        return pid_t(numbers[0]).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The prefix of unfinished files of an app on a device that the next transfer continues.
    static func partialPrefix(of device: String, _ app: String) -> String {
        transfers + Hex.text(FNV1a.of("\(device)\0\(app)".utf8)) + "-"
    }

    /// Whether a name belongs to an unfinished file that the next transfer continues.
    static func isPartial(_ name: String) -> Bool {
        name.hasPrefix(transfers) && name.hasSuffix(partialSuffix)
    }

    /// The name with a leading dot. A long name is shortened, so that a suffix can be added.
    private static func hidden(_ name: String) -> String {
        guard name.utf8.count > longest - 24 else { return "." + name }
        return "." + String(name.unicodeScalars.prefix(48)) + "." + Hex.text(FNV1a.of(name.utf8))
    }
}
