import Archives
import DeviceTransport
import Glibc
import HostContent
import HostErrors
import Platform

/// Where copies are staged, and of which files.
package struct StagingPlace: Sendable {
    /// A folder on the file system that the copies are for. They wait in a private folder in it.
    package var folder: String
    /// Whether a file with this name and size is likely to be fetched.
    package var isWanted: @Sendable (_ name: String, _ size: UInt64) -> Bool

    package init(folder: String, isWanted: @escaping @Sendable (_ name: String, _ size: UInt64) -> Bool) {
        (self.folder, self.isWanted) = (folder, isWanted)
    }
}

/// Whole copies of small files that a listing looks into, for a command that fetches them next.
///
/// The parts of a small file take as many requests as all of it. So it is copied when its parts are asked for: parts and metadata
/// are read from the copy, and a `pull` takes it. The private folder is the only table: the name of a copy is the digest of
/// the path. For the device thread.
final class StagedCopies {
    /// Bytes of the largest file that is copied; a larger one takes longer for its bytes than for its requests.
    private static let largest: UInt64 = 1 << 20
    /// Bytes of all copies that wait.
    private static let most: UInt64 = 512 << 20

    /// A file on the device of which parts are asked for.
    struct File: Hashable {
        var path: String
        var size: UInt64
    }

    /// Gives the place when the first file could be copied; nil: none is copied.
    private let prepare: () -> StagingPlace?
    private lazy var place = prepare().map { (folder: PullFolder(parent: $0.folder), isWanted: $0.isWanted) }
    private var bytes: UInt64 = 0
    /// Whether this computer takes no more copies.
    private var isFull = false
    private let looks = StagedLooks()

    init(_ prepare: @escaping () -> StagingPlace?) { self.prepare = prepare }

    /// Copies those files that are small and wanted, all at once. One that has another size by now, or cannot be copied, is left
    /// out.
    func copy(_ files: [File], in root: UInt32, _ access: any FileAccess, _ context: OperationContext) {
        var (requests, room) = ([PullRequest](), Self.most - min(Self.most, bytes))
        for file in files where file.size > 0 && file.size <= min(Self.largest, room) && !isFull {
            guard place?.isWanted(OverlayPath.name(of: file.path), file.size) == true,
                find(file.path, in: root) == nil, let target = target(file.path, root)
            else { continue }
            room -= file.size
            requests.append(PullRequest(file.path, to: target, expectedSize: file.size))
        }
        guard !requests.isEmpty else { return }
        looks.forget()
        let results = access.pullMany(requests, context) { [looks] index, result in
            let request = requests[index]
            guard case .success(let status) = result, status.size == request.expectedSize else { return }
            looks.add(request.localPath, name: OverlayPath.name(of: request.path))
        }
        for (request, result) in zip(requests, results) {
            switch result {
            case .success(let status) where status.size == request.expectedSize: bytes += status.size
            case .success: unlink(request.localPath)
            case .failure(let error): isFull = isFull || error.subject == request.localPath
            }
        }
    }

    /// The copy of a file, and how many bytes it has; nil if there is none.
    func find(_ path: String, in root: UInt32) -> (path: String, size: UInt64)? {
        guard bytes > 0, let target = target(path, root) else { return nil }
        var status = stat()
        return lstat(target, &status) == 0 ? (target, UInt64(clamping: status.st_size)) : nil
    }

    /// The copy of a file, open to be read; nil if there is none.
    func open(_ path: String, in root: UInt32) -> OpenContent? {
        guard let copy = find(path, in: root) else { return nil }
        if let content = looks.take(copy.path) { return content }
        do throws(ByteSourceError) {
            return OpenContent(
                try FileByteSource(path: copy.path), name: OverlayPath.name(of: path), isFar: false)
        } catch {
            // The device still has the file.
            return nil
        }
    }

    /// Gives the copy of a file away, to another path; false if there is none.
    func take(_ path: String, in root: UInt32, to other: String) -> Bool {
        guard let copy = find(path, in: root), rename(copy.path, other) == 0 else { return false }
        bytes -= min(bytes, copy.size)
        return true
    }

    /// Where the copy of a file is or comes.
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
