import Formats
import Archives
import Glibc
import OverlayServices
import Platform
import Publications
import Synchronization

/// What was found out about copies while the next ones came from the device: their checksums, and where their covers
/// are. The backup needs both later, and would have to read and parse each copy again. Any thread.
final class CopyFindings: Sendable {
    /// The largest number of copies to remember. A larger library is mostly limited by the device.
    private static let most = 4096
    /// The most bytes of a cover's path and of its type that are remembered.
    private static let longestText = (path: 1024, mediaType: 255)

    /// The findings about one copy.
    struct Finding: Sendable {
        /// The file to which they belong.
        var identity: LocalIdentity
        /// The size and digest of its bytes.
        var checksum: BackupCopy.Checksum
        /// The cover; nil if none was found in an archive.
        var cover: CoverEntry?
    }

    /// A cover that is probably an entry of an archive.
    struct CoverEntry: Sendable {
        /// The type of the image.
        var mediaType: String
        /// The path of the entry.
        var path: String
        /// The size of the entry in bytes.
        var size: Int64

        /// The image; nil if the copy has no such entry, or if it cannot be read.
        func read(from copy: String) -> [UInt8]? {
            do throws(ArchiveError) {
                let archive = try ZipArchive.open(path: copy)
                defer { archive.close() }
                guard let entry = archive.entry(path), entry.length == size, size <= Int64(Cover.largest)
                else { return nil }
                return [UInt8](try archive.read(entry))
            } catch {
                // The caller looks for the cover in the usual way.
                return nil
            }
        }
    }

    private let findings = Mutex<[String: Finding]>([:])

    /// Records the findings about a copy, unless too many are recorded or it cannot be read.
    func examine(_ copy: String, _ publication: PublicationInfo?) {
        guard findings.withLock({ $0.count < Self.most }),
            let file = FileDescriptor(opening: copy, O_RDONLY | O_NOFOLLOW),
            let identity = LocalIdentity(descriptor: file.number),
            case .success(let checksum) = BackupCopy.Checksum.of(file, path: copy),
            // The copy may have been moved meanwhile.
            LocalIdentity(path: copy) == identity
        else { return }
        let finding = Finding(
            identity: identity, checksum: checksum, cover: publication?.cover.flatMap(Self.entry))
        findings.withLock { $0[copy] = finding }
    }

    /// Notes that a copy has another path now.
    func moved(_ copy: String, to path: String) {
        findings.withLock { $0[path] = $0.removeValue(forKey: copy) }
    }

    /// Removes and returns the findings about a copy; nil if there are none, or if it has changed.
    func take(_ copy: String) -> Finding? {
        guard let finding = findings.withLock({ $0.removeValue(forKey: copy) }),
            LocalIdentity(path: copy) == finding.identity
        else { return nil }
        return finding
    }

    private static func entry(of cover: Cover) -> CoverEntry? {
        let mediaType = cover.mediaType.string
        guard let size = cover.size, cover.href.utf8.count <= longestText.path,
            mediaType.utf8.count <= longestText.mediaType
        else { return nil }
        return CoverEntry(mediaType: mediaType, path: cover.href, size: size)
    }
}
