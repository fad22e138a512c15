import Archives
import FoundationEssentials
import Synchronization

/// One file of a `FileFetcher`. It is opened on first use and read by position.
final class FileResource: Resource {
    private enum State {
        case unopened
        case open(FileByteSource)
        case closed
    }

    let link: Link
    private let candidates: [MappedFile]
    private let life: FetcherLifetime
    private let state = Mutex(State.unopened)

    init(link: Link, candidates: [MappedFile], life: FetcherLifetime) {
        let name = candidates.first.map { $0.segments.last ?? Substring($0.root) } ?? ""
        self.link = link.filling(type: MediaTypeByExtension.type(ofPath: name))
        self.candidates = candidates
        self.life = life
    }

    deinit { close() }

    var length: Result<Int64, ResourceError> { opened().map(\.length) }

    var file: URL? {
        guard case .success(let source) = opened() else { return nil }
        return URL(filePath: source.path, directoryHint: .notDirectory)
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        // Opened before the range is clamped, so that a missing file is an error even for an empty range.
        opened().flatMap { source in
            let part = ByteRange.clamped(range, length: source.length)
            do throws(ByteSourceError) {
                return .success(
                    try source.read(at: part.lowerBound, count: Int(part.upperBound - part.lowerBound)))
            } catch {
                return .failure(ResourceError(error))
            }
        }
    }

    func close() {
        let open: FileByteSource? = state.withLock { state in
            defer { state = .closed }
            if case .open(let source) = state { return source }
            return nil
        }
        guard let open else { return }
        life.remove(open)
        open.close()
    }

    private func opened() -> Result<FileByteSource, ResourceError> {
        state.withLock { state in
            switch state {
            case .open(let source): return .success(source)
            case .closed: return .failure(.unavailable(RequestProblem.closed))
            case .unopened:
                guard !life.isClosed else { return .failure(.unavailable(RequestProblem.closed)) }
                let result = openFirst()
                guard case .success(let source) = result else { return result }
                guard life.add(source) else {
                    source.close()
                    return .failure(.unavailable(RequestProblem.closed))
                }
                state = .open(source)
                return result
            }
        }
    }

    /// The first location that has a file. Failures are not kept, because the file may be created later.
    private func openFirst() -> Result<FileByteSource, ResourceError> {
        var failure = ResourceError.notFound(
            RequestProblem(.noSuchResource, "No path is mapped to this link.", subject: link.href))
        for candidate in candidates {
            do throws(ByteSourceError) {
                return .success(try candidate.open())
            } catch {
                failure = ResourceError(error)
                if error.code != .notFound { break }
            }
        }
        return .failure(failure)
    }
}

/// A location that an HREF may mean: a mapped path, or a path below it.
struct MappedFile: Sendable {
    /// The mapped path.
    let root: String
    /// The segments below it; empty for the mapped path itself.
    let segments: [Substring]

    /// Opens the file by the same bytes, or else by a canonically equivalent name.
    func open() throws(ByteSourceError) -> FileByteSource {
        guard !segments.isEmpty else { return try FileByteSource(path: root) }
        let folder = try ContainedFolder(path: root)
        let relative = segments.joined(separator: "/")
        do throws(ByteSourceError) {
            return try FileByteSource(owning: try folder.open(relative), path: root + "/" + relative)
        } catch {
            guard error.code == .notFound, let equal = folder.canonicalPath(segments),
                !equal.utf8.elementsEqual(relative.utf8)
            else { throw error }
            return try FileByteSource(owning: try folder.open(equal), path: root + "/" + equal)
        }
    }
}
