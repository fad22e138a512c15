import Archives
import HostContent
import OverlayServices
import Publications
import Synchronization

/// What was found out about copies while the next ones came from the device: their checksums, and where their covers
/// are. The backup needs both later, and would have to read and parse each copy again. Any thread.
final class CopyFindings: Sendable {
    /// The largest number of copies to remember. A larger library is mostly limited by the device.
    private static let most = 4096

    /// The findings about one copy.
    struct Finding: Sendable {
        /// The size and digest of its bytes.
        var checksum: BackupCopy.Checksum
        /// The cover; nil if the copy has none or is not a ZIP archive.
        var cover: CoverEntry?
    }

    /// A cover that is an entry of an archive.
    struct CoverEntry: Sendable {
        /// The type of the image.
        var mediaType: String
        /// The path of the entry.
        var path: String
        /// The size of the entry in bytes.
        var size: Int64

        /// The image; nil if it cannot be read.
        func read(from copy: String) -> [UInt8]? {
            do throws(ArchiveError) {
                let archive = try ZipArchive.open(path: copy)
                defer { archive.close() }
                guard size <= Int64(Cover.largest), let entry = archive.entry(path) else { return nil }
                return [UInt8](try archive.read(entry))
            } catch {
                // An image that cannot be read counts as missing.
                return nil
            }
        }
    }

    private let findings = Mutex<[UInt64: (identity: LocalIdentity, finding: Finding)]>([:])

    /// Records the findings about a copy, unless too many are recorded or it cannot be read.
    func examine(_ copy: String, _ content: OpenContent) {
        guard findings.withLock({ $0.count < Self.most }), let identity = LocalIdentity(path: copy),
            case .success(let checksum) = BackupCopy.Checksum.of(copy)
        else { return }
        let finding = Finding(checksum: checksum, cover: Self.cover(in: content))
        findings.withLock { $0[identity.inode] = (identity, finding) }
    }

    /// Removes and returns the findings about a copy, which may have been moved; nil if there are none.
    func take(_ copy: String) -> Finding? {
        guard findings.withLock({ !$0.isEmpty }), let identity = LocalIdentity(path: copy) else { return nil }
        return findings.withLock { findings in
            guard findings[identity.inode]?.identity == identity else { return nil }
            return findings.removeValue(forKey: identity.inode)?.finding
        }
    }

    private static func cover(in content: OpenContent) -> CoverEntry? {
        do throws(HostError) {
            guard let cover = try content.publication().cover, let size = cover.size,
                let entry = try content.openArchive().entry(cover.href), entry.length == size
            else { return nil }
            return CoverEntry(mediaType: cover.mediaType.string, path: cover.href, size: size)
        } catch {
            // Only archives are examined.
            return nil
        }
    }
}
