import Archives
import Synchronization

/// Serves the entries of an archive, which it owns and closes with itself (fetcher reference 9.2).
public final class ArchiveFetcher: Fetcher {
    private enum State {
        case unopened(@Sendable () throws(ArchiveError) -> any Archive)
        case open(any Archive)
        case failed(ResourceError)
        case closed
    }

    private let state: Mutex<State>
    private let knownLinks = Mutex<[Link]?>(nil)

    /// Serves an archive that is open.
    public init(archive: any Archive) { state = Mutex(.open(archive)) }

    /// Serves an archive that is opened when it is first needed.
    ///
    /// If that fails, every resource fails: with `unavailable` for trouble with reading, which is then tried again at the next
    /// use, and with `other` for an archive that is malformed.
    public init(opening open: @escaping @Sendable () throws(ArchiveError) -> any Archive) {
        state = Mutex(.unopened(open))
    }

    /// Serves a ZIP file that is opened when it is first needed.
    public convenience init(path: String) {
        self.init { () throws(ArchiveError) in try ZipArchive.open(path: path) }
    }

    /// The entries in the order of the archive, with type and properties; none if it cannot be opened.
    public var links: [Link] {
        knownLinks.withLock { known in
            if let known { return known }
            guard case .success(let archive) = archive() else { return [] }
            let links = Self.links(of: archive)
            known = links
            return links
        }
    }

    /// The entry that the HREF names: as given, else without query and fragment, else percent-decoded.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        let expanded: Link
        switch link.expandedForNames(with: parameters) {
        case .success(let link): expanded = link
        case .failure(let error): return FailureResource(link: link, error: error)
        }
        let ready: Result<any Archive, ResourceError>? = state.withLock { state in
            switch state {
            case .open(let archive): .success(archive)
            case .failed(let error): .failure(error)
            case .closed: .failure(Self.closedError)
            case .unopened: nil
            }
        }
        guard let ready else {
            // Not opened yet, and `get` does no work.
            return LazyResource(link: expanded) { self.resource(expanded, in: self.archive()) }
        }
        return resource(expanded, in: ready)
    }

    /// Closes the archive. Resources handed out fail with `unavailable` when they are read.
    public func close() {
        let open: (any Archive)? = state.withLock { state in
            defer { state = .closed }
            if case .open(let archive) = state { return archive }
            return nil
        }
        guard let open else { return }
        // The entries are known without reading, and the last known list is what `links` gives from now on.
        knownLinks.withLock { $0 = $0 ?? Self.links(of: open) }
        open.close()
    }

    private static var closedError: ResourceError { .unavailable(RequestProblem.closed) }

    private func archive() -> Result<any Archive, ResourceError> {
        state.withLock { state in
            switch state {
            case .open(let archive): return .success(archive)
            case .failed(let error): return .failure(error)
            case .closed: return .failure(Self.closedError)
            case .unopened(let open):
                do throws(ArchiveError) {
                    let archive = try open()
                    state = .open(archive)
                    return .success(archive)
                } catch {
                    let error = ResourceError(error)
                    if !error.isTemporary { state = .failed(error) }
                    return .failure(error)
                }
            }
        }
    }

    private func resource(_ link: Link, in archive: Result<any Archive, ResourceError>) -> any Resource {
        switch archive {
        case .success(let archive): Self.resource(link, in: archive)
        case .failure(let error): FailureResource(link: link, error: error)
        }
    }

    private static func resource(_ link: Link, in archive: some Archive) -> any Resource {
        guard let entry = entry(link.href, in: archive) else {
            return FailureResource(
                link: link,
                error: .notFound(RequestProblem("the archive has no such entry", subject: link.href)))
        }
        return EntryResource(archive: archive, entry: entry, link: link)
    }

    private static func entry<Container: Archive>(_ href: String, in archive: Container) -> Container.Entry? {
        for candidate in LocalPath.candidates(href) {
            let literal =
                candidate.utf8.first == UInt8(ascii: "/") ? String(candidate.dropFirst()) : candidate
            if let entry = archive.entry(literal) { return entry }
            guard let path = LocalPath.segments(candidate)?.joined(separator: "/"), path != literal else {
                continue
            }
            if let entry = archive.entry(path) { return entry }
        }
        return nil
    }

    private static func links(of archive: some Archive) -> [Link] {
        archive.entries.map { entry in
            let path = entry.path
            return Link(
                href: "/" + path, type: MediaTypeByExtension.type(ofPath: path)?.string,
                properties: ArchiveProperties.of(entry))
        }
    }
}
