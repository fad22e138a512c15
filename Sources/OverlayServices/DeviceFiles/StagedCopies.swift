import Archives
import DeviceTransport
import Glibc
import HostContent
import HostErrors
import Platform
import Publications

/// The place for staged copies, and the selection of files.
package struct StagingPlace: Sendable {
    /// A folder on the file system of the final place. The copies are in a private folder in it.
    package var folder: String
    /// Whether a file with this name and size will probably be fetched.
    package var isWanted: @Sendable (_ name: String, _ size: UInt64) -> Bool
    /// Called with the path of a copy after its metadata was read, on another thread, while the next ones are copied;
    /// the metadata is nil if there is none. Some copies are left out.
    package var examine: @Sendable (_ copy: String, PublicationInfo?) -> Void
    /// Called after a copy was moved to another path, on the device thread.
    package var moved: @Sendable (_ copy: String, _ path: String) -> Void

    package init(
        folder: String, isWanted: @escaping @Sendable (_ name: String, _ size: UInt64) -> Bool,
        examine: @escaping @Sendable (_ copy: String, PublicationInfo?) -> Void,
        moved: @escaping @Sendable (_ copy: String, _ path: String) -> Void
    ) {
        (self.folder, self.isWanted, self.examine, self.moved) = (folder, isWanted, examine, moved)
    }
}

/// Complete copies of small files from which a listing reads, for a command that fetches them afterwards.
///
/// Reading the parts of a small file needs as many requests as reading all of it. So it is copied when its parts are
/// requested. Parts and metadata are read from the copy, and `pull` uses it. The name of a copy is the digest of the
/// path, so a separate index is not needed. For use by the device thread.
final class StagedCopies {
    /// The size of the largest file that is copied. For a larger file, the bytes take longer than the requests.
    private static let largest: UInt64 = 1 << 20
    /// The largest size of all waiting copies together, in bytes.
    private static let most: UInt64 = 512 << 20

    /// A file on the device whose parts are requested.
    struct File: Hashable {
        var path: String
        var size: UInt64
    }

    /// Returns the place when the first file can be copied; nil to copy nothing.
    private let prepare: () -> StagingPlace?
    private lazy var place = prepare().map { place in
        (
            folder: PullFolder(parent: place.folder), isWanted: place.isWanted, moved: place.moved,
            reader: StagedCopyReader(place.examine)
        )
    }
    private var bytes: UInt64 = 0
    /// Whether the host's disk is full.
    private var isFull = false

    init(_ prepare: @escaping () -> StagingPlace?) { self.prepare = prepare }

    /// Copies the small and wanted files together. A file whose size has changed, or that cannot be copied, is
    /// skipped.
    func copy(_ files: [File], in root: UInt32, _ access: any FileAccess, _ context: OperationContext) {
        var (requests, room) = ([PullRequest](), Self.most - min(Self.most, bytes))
        for file in files where file.size > 0 && file.size <= min(Self.largest, room) && !isFull {
            guard place?.isWanted(OverlayPath.name(of: file.path), file.size) == true,
                find(file.path, in: root) == nil, let target = target(file.path, root)
            else { continue }
            room -= file.size
            requests.append(PullRequest(file.path, to: target, expectedSize: file.size))
        }
        guard !requests.isEmpty, let reader = place?.reader else { return }
        reader.forget()
        let results = access.pullMany(requests, context) { index, result in
            let request = requests[index]
            guard case .success(let status) = result, status.size == request.expectedSize else { return }
            reader.add(request.localPath, name: OverlayPath.name(of: request.path))
        }
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let status) where status.size == request.expectedSize: bytes += status.size
            case .success: unlink(request.localPath)
            case .failure(let error): isFull = isFull || error.subject == request.localPath
            }
        }
    }

    /// The path and size of a file's copy; nil if there is none.
    func find(_ path: String, in root: UInt32) -> (path: String, size: UInt64)? {
        guard bytes > 0, let target = target(path, root) else { return nil }
        var status = stat()
        return lstat(target, &status) == 0 ? (target, UInt64(clamping: status.st_size)) : nil
    }

    /// Opens the copy of a file; nil if there is none.
    func open(_ path: String, in root: UInt32) -> OpenContent? {
        guard let copy = find(path, in: root) else { return nil }
        if let content = place?.reader.take(copy.path) { return content }
        do throws(ByteSourceError) {
            return OpenContent(
                try FileByteSource(path: copy.path), name: OverlayPath.name(of: path), isFar: false)
        } catch {
            // Read the file from the device instead.
            return nil
        }
    }

    /// Moves the copy of a file to another path. Returns false if there is no copy.
    func take(_ path: String, in root: UInt32, to other: String) -> Bool {
        guard let copy = find(path, in: root), rename(copy.path, other) == 0 else { return false }
        bytes -= min(bytes, copy.size)
        place?.moved(copy.path, other)
        return true
    }

    /// The path for the copy of a file.
    private func target(_ path: String, _ root: UInt32) -> String? {
        guard let place, let digest = Digest.of(Array("\(root) \(path)".utf8), .sha256) else { return nil }
        do throws(HostError) {
            return try place.folder.path(of: Hex.text(digest))
        } catch {
            isFull = true
            return nil
        }
    }
}
