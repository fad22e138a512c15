import Archives
import FoundationEssentials
import Synchronization

/// Serves the entries of an archive. It owns the archive and closes it with itself.
///
/// ```swift
/// let book = ArchiveFetcher(path: "/books/emma.epub")
/// print(book.links.count)
/// book.close()
/// ```
public final class ArchiveFetcher: Fetcher {
    private typealias Opening = @Sendable () throws(ArchiveError) -> any Archive

    private enum State {
        case unopened(Opening)
        case open(any Archive)
        case failed(ResourceError)
        case closed
    }

    private let state: Mutex<State>
    /// Held while the archive is opened, so that it is opened once and `get` does not have to wait.
    private let opening = Mutex<Void>(())
    private let knownLinks = Mutex<[Link]?>(nil)

    /// Serves an archive that is already open.
    public init(archive: any Archive) { state = Mutex(.open(archive)) }

    /// Serves an archive that is opened on first use.
    ///
    /// If opening fails, all resources fail: with `unavailable` for read errors, in which case the next use tries
    /// again, and with `other` for a malformed archive.
    public init(opening open: @escaping @Sendable () throws(ArchiveError) -> any Archive) {
        state = Mutex(.unopened(open))
    }

    /// Serves a ZIP file that is opened on first use.
    public convenience init(path: String) {
        self.init { () throws(ArchiveError) in try ZipArchive.open(path: path) }
    }

    /// The entries in archive order, with type and properties; empty if the archive cannot be opened.
    public var links: [Link] {
        if let known = knownLinks.withLock({ $0 }) { return known }
        guard case .success(let archive) = archive() else { return [] }
        let links = Self.links(of: archive)
        knownLinks.withLock { $0 = links }
        return links
    }

    /// Returns the entry that the HREF names: as given, or else without query and fragment, or else percent-decoded.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        let expanded: Link
        switch link.expandedForNames(with: parameters) {
        case .success(let link): expanded = link
        case .failure(let error): return FailureResource(link: link, error: error)
        }
        guard let ready = known.result else {
            // The archive is not open yet, and `get` must not do work.
            return LazyResource(link: expanded) { self.resource(expanded, in: self.archive()) }
        }
        return resource(expanded, in: ready)
    }

    /// Closes the archive. Existing resources fail with `unavailable` when they are read.
    public func close() {
        let open: (any Archive)? = state.withLock { state in
            defer { state = .closed }
            if case .open(let archive) = state { return archive }
            return nil
        }
        guard let open else { return }
        // The entries are known without reading. `links` returns this list from now on.
        let links = Self.links(of: open)
        knownLinks.withLock { $0 = links }
        open.close()
    }

    private static var closedError: ResourceError { .unavailable(RequestProblem.closed) }

    /// The known state without opening: the archive or the error, or else how to open it.
    private var known: (result: Result<any Archive, ResourceError>?, open: Opening?) {
        state.withLock { state in
            switch state {
            case .open(let archive): (.success(archive), nil)
            case .failed(let error): (.failure(error), nil)
            case .closed: (.failure(Self.closedError), nil)
            case .unopened(let open): (nil, open)
            }
        }
    }

    private func archive() -> Result<any Archive, ResourceError> {
        opening.withLock { _ in
            let (result, open) = known
            if let result { return result }
            guard let open else { return .failure(Self.closedError) }
            do throws(ArchiveError) {
                return keep(try open())
            } catch {
                let error = ResourceError(error)
                if !error.isTemporary {
                    state.withLock { if case .unopened = $0 { $0 = .failed(error) } }
                }
                return .failure(error)
            }
        }
    }

    /// Keeps an archive that was opened, unless the fetcher was closed in the meantime.
    private func keep(_ archive: any Archive) -> Result<any Archive, ResourceError> {
        let isKept = state.withLock { state in
            guard case .unopened = state else { return false }
            state = .open(archive)
            return true
        }
        guard !isKept else { return .success(archive) }
        archive.close()
        return .failure(Self.closedError)
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
                error: .notFound(
                    RequestProblem(.noSuchResource, "The archive has no such entry.", subject: link.href)))
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

/// One entry of an archive. It keeps its reader, which makes reading the next range cheap.
final class EntryResource<Container: Archive>: Resource {
    let link: Link
    private let archive: Container
    private let entry: Container.Entry
    private let reader: any ArchiveEntryReader
    private let isClosed = Atomic<Bool>(false)

    init(archive: Container, entry: Container.Entry, link: Link) {
        self.archive = archive
        self.entry = entry
        self.link = link.addingProperties(ArchiveProperties.of(entry))
            .filling(type: MediaTypeByExtension.type(ofPath: entry.path))
        reader = archive.reader(entry)
    }

    /// The length that the archive declares. Does not read the entry.
    var length: Result<Int64, ResourceError> {
        isClosed.load(ordering: .acquiring) ? closed() : .success(entry.length)
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        guard !isClosed.load(ordering: .acquiring) else { return closed() }
        do throws(ArchiveError) {
            guard let range else { return .success(try reader.read()) }
            return .success(try reader.read(range: range))
        } catch {
            return .failure(ResourceError(error))
        }
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        reader.reset()
    }

    private func closed<Value>() -> Result<Value, ResourceError> {
        .failure(.unavailable(RequestProblem.closed))
    }
}
