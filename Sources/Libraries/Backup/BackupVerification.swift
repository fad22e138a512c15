import Glibc
import HostErrors
import Platform

/// Compares every file of a backup with the manifest, and the manifest with its own checksum. Does not change anything,
/// and knows nothing of the device.
///
/// ```swift
/// let verification = try BackupVerification.run("/home/reader/Backup")
/// print(verification.books, verification.files)
/// for finding in verification.findings { print(finding.path, finding.problem.rawValue) }
/// ```
public struct BackupVerification: Sendable {
    /// The problem of a file.
    public enum Problem: String, Sendable, CaseIterable {
        /// The file does not exist.
        case missing
        /// The content of the file changed.
        case damaged
        /// The file cannot be read.
        case unreadable
    }

    /// A file that is missing, damaged or unreadable.
    public struct Finding: Sendable, Equatable {
        /// The path of the file.
        public var path: String
        /// The problem.
        public var problem: Problem
        /// The title of the book; nil for the manifest.
        public var title: String?
    }

    /// The files with problems, in the order of the manifests.
    public private(set) var findings: [Finding] = []
    /// The number of books.
    public private(set) var books = 0
    /// The number of files of these books.
    public private(set) var files = 0
    /// The size of these files in bytes.
    public private(set) var bytes: UInt64 = 0

    private init() {}

    /// Verifies the backups in a folder, which may be that of all devices, of one device, or of one app. Blocks.
    ///
    /// - Parameter progress: called with the number of bytes that have been read, and their total.
    /// - Throws: `inputUnreadable` if the folder does not exist or has no backup, or a folder cannot be read;
    ///   `cancelled`.
    public static func run(
        _ folder: String, isCancelled: () -> Bool = { false },
        progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(HostError) -> BackupVerification {
        let backups = try BackupFolder.all(in: folder.isEmpty ? "." : folder)
        guard !backups.isEmpty else {
            guard folder.isEmpty || access(folder, F_OK) == 0 || errno != ENOENT else {
                throw HostError(
                    .inputUnreadable, systemText(ENOENT) + ".", subject: folder, native: .posix(ENOENT))
            }
            throw HostError(
                .inputUnreadable, "There is no backup in this folder.", subject: folder,
                hint: "Make one with: overlayhost backup DIR")
        }
        var verification = BackupVerification()
        var parts: [(BackupFolder, [BackupEntry])] = []
        for backup in backups {
            switch try backup.content(isCancelled: isCancelled) {
            case .manifest(let manifest): parts.append((backup, manifest.entries))
            case .found(let entries, manifest: let manifest?):
                // The run was interrupted. Entries that it wrote take precedence.
                let found = Set(entries.map { ExactText($0.folder) })
                parts.append(
                    (backup, entries + manifest.entries.filter { !found.contains(ExactText($0.folder)) }))
            case .found(let entries, manifest: nil):
                verification.noteManifest(of: backup)
                parts.append((backup, entries))
            case .empty: verification.noteManifest(of: backup)
            }
        }
        let total = parts.reduce(into: UInt64(0)) { sum, part in
            for entry in part.1 { for file in entry.files { sum &+= file.size } }
        }
        for (backup, entries) in parts {
            for entry in entries {
                verification.books += 1
                for file in entry.files {
                    if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
                    verification.check(
                        file, at: "\(backup.path)/\(entry.folder)/\(file.name)", entry.title ?? entry.path,
                        isCancelled)
                    progress(verification.bytes, total)
                }
            }
        }
        if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
        return verification
    }

    /// Reports a manifest that is missing or damaged.
    private mutating func noteManifest(of backup: BackupFolder) {
        let path = backup.path + "/" + BackupFolder.manifestName
        findings.append(
            Finding(path: path, problem: access(path, F_OK) == 0 ? .damaged : .missing, title: nil))
    }

    private mutating func check(
        _ file: BackupFile, at path: String, _ title: String, _ isCancelled: () -> Bool
    ) {
        files += 1
        bytes &+= file.size
        let problem = Self.problem(file, path, isCancelled)
        if let problem { findings.append(Finding(path: path, problem: problem, title: title)) }
    }

    /// The problem of the file at a path; nil if the file is complete.
    static func problem(_ file: BackupFile, _ path: String, _ isCancelled: () -> Bool) -> Problem? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : errno == ELOOP ? .damaged : .unreadable
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            UInt64(clamping: status.st_size) == file.size
        else { return .damaged }
        guard let digest = FileDigest.of(descriptor, isCancelled: isCancelled) else { return .unreadable }
        return digest == file.digest.lowercased() ? nil : .damaged
    }
}

/// The checksum of an open file.
package enum FileDigest {
    /// The SHA-256 in hexadecimal of the bytes from the current position to the end; nil if reading fails or is
    /// cancelled.
    package static func of(_ descriptor: Int32, isCancelled: () -> Bool = { false }) -> String? {
        let digest = Digest(.sha256)
        guard digest.add(contentOf: descriptor, isCancelled: isCancelled) == 0 else { return nil }
        return digest.finish().map { Hex.text($0) }
    }
}
