import Glibc
import HostErrors
import Platform

/// A path in a folder to which an overlay has been granted access: names, none of which leads elsewhere or belongs to the host.
struct GrantedPath {
    /// As the overlay wrote it.
    let text: String
    /// The names on the way; none for the folder itself.
    let names: [String]

    /// Most names of a path.
    private static let deepest = 64
    /// Most bytes of a name, as file systems have it.
    private static let longest = 255

    /// Checks a path.
    ///
    /// - Throws: `invalidArgument` for a path that is absolute, has an empty name, `.` or `..`, is too long, or names what the host
    ///   keeps in the folder.
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

    /// The trash in a folder whose disk is not that of the person's trash.
    static let trash = ".Trash-overlayhost"
    /// What transfers name their unfinished files.
    static let transfers = ".overlayhost-"
    private static let begun = ".begun"
    private static let backups = ".overlayhost-backup"
    private static let fresh = ".overlayhost-new"
    private static let replaced = ".overlayhost-replaced"

    /// Whether the host keeps something of its own under a name, which overlays neither see nor use.
    static func isHosts(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.first == UInt8(ascii: ".") else { return false }
        return name == trash || bytes.starts(with: transfers.utf8)
            || [backups, fresh, replaced].contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    /// Where the former version of a file stays.
    static func backup(of name: String) -> String { hidden(name) + backups }

    /// Where the next version of a file is made.
    static func fresh(of name: String) -> String { hidden(name) + fresh }

    /// Whether a name is one that `fresh` gives.
    static func isFresh(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(fresh) }

    /// Where a file is put that a new version replaces, until it is certain that it is the one to be replaced.
    static func replaced(of name: String) -> String { hidden(name) + replaced }

    /// The file whose replaced version has a name, with a hash in place of the end of a long name, and its backup; nil for other names.
    static func file(ofReplaced name: String) -> (name: String, backup: String)? {
        guard name.hasPrefix("."), name.hasSuffix(replaced) else { return nil }
        let hidden = name.dropLast(replaced.count)
        return (String(hidden.dropFirst()), hidden + backups)
    }

    /// The process that writes an unfinished file of a transfer, `.overlayhost-PROCESS-NUMBER.part`; nil for other names.
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

    /// What the names of unfinished files of an app on a device begin with, which the next transfer goes on with.
    static func begun(of device: String, _ app: String) -> String {
        transfers + Hex.text(FNV1a.of("\(device)\0\(app)".utf8)) + "-"
    }

    /// Whether a name is one of an unfinished file that the next transfer goes on with.
    static func isBegun(_ name: String) -> Bool { name.hasPrefix(transfers) && name.hasSuffix(begun) }

    /// The name with a dot in front; a long one shortened, so that there is room behind it.
    private static func hidden(_ name: String) -> String {
        guard name.utf8.count > longest - 24 else { return "." + name }
        return "." + String(name.unicodeScalars.prefix(48)) + "." + Hex.text(FNV1a.of(name.utf8))
    }
}
