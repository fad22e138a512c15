import FoundationEssentials
import Synchronization

/// Stores content from web servers on disk, and asks the server only whether it has changed.
///
/// ```swift
/// guard let store = CacheStore(directory: "/home/reader/.cache/books") else { return }
/// let fetcher = CachingFetcher(HTTPFetcher(), store: store)
/// let book = fetcher.get(href: "https://example.com/book.epub")
/// print(try book.length.get())
/// book.close()
/// ```
///
/// Answers to requests with credentials are not stored. Errors of the store never cause a read to fail. All members
/// may be called from any thread.
public final class CachingFetcher: Fetcher {
    private let fetcher: HTTPFetcher
    private let store: CacheStore

    /// Creates a fetcher over `fetcher`, which it closes with itself. Several fetchers may share the store.
    public init(_ fetcher: HTTPFetcher, store: CacheStore) {
        self.fetcher = fetcher
        self.store = store
    }

    /// Always empty, because a server does not list its content.
    public var links: [Link] { fetcher.links }

    /// Returns a resource that reads the stored bytes of its current version from disk. Does no I/O.
    public func get(_ link: Link, parameters: [String: String] = [:]) -> any Resource {
        let resource = fetcher.get(link, parameters: parameters)
        guard let resource = resource as? HTTPResource, resource.url.userInfo == nil,
            resource.context.configuration.headers.fields.isEmpty, let key = CacheStore.key(resource.url)
        else { return resource }
        return CachedResource(resource, key: key, store: store)
    }

    /// Ends all requests. The store remains usable.
    public func close() { fetcher.close() }
}

/// A web resource that reads the available bytes of its current version from a store. It fetches the other bytes from
/// the server and stores them.
///
/// On first use it asks the server whether the stored version is current, unless that version states how long it may
/// be used. From then on, all reads use one version.
final class CachedResource: AskableResource {
    private struct State {
        /// Whether the server was asked, or need not be asked.
        var isChecked = false
        /// The version that is read; nil while none of it is stored.
        var content: StoredContent?
        /// Whether the content may be stored at all.
        var isStorable = true
        /// Whether bytes were delivered to the caller.
        var hasDelivered = false
        /// The number of bytes in the body that the saved record does not list.
        var unsaved = 0
    }

    /// The number of bytes after which the record is saved. It limits the loss if the process is killed.
    private static let savedAtLeast = 16 << 20

    private let child: HTTPResource
    private let key: String
    private let store: CacheStore
    /// Held during requests to the server, so that reads of one resource are serialized.
    private let state = Mutex(State())
    private let isClosed = Atomic(false)

    init(_ child: HTTPResource, key: String, store: CacheStore) {
        self.child = child
        self.key = key
        self.store = store
    }

    /// The child's link. It includes only what the server said in this session, not what is stored.
    var link: Link { child.link }

    /// The length. Needs no request if it is known.
    var length: Result<Int64, ResourceError> {
        using { state in
            if let total = state.content?.record.total { return .success(total) }
            return child.length
        }
    }

    /// The head of the answer that delivered the content.
    func ask() -> Result<HTTPResponse, ResourceError> {
        using { state in
            if let response = state.content?.record.response { return .success(response) }
            return child.ask()
        }
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        using { state in read(range, &state) }
    }

    /// Ends requests in progress, and saves the bytes received so far.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The cancelled request releases the lock of the state.
        child.close()
        state.withLock { state in
            save(&state)
            state.content = nil
        }
    }

    // MARK: one version

    private func using<Value: Sendable>(
        _ body: (inout State) -> Result<Value, ResourceError>
    ) -> Result<Value, ResourceError> {
        state.withLock { state in
            guard !isClosed.load(ordering: .acquiring) else {
                return .failure(.unavailable(RequestProblem.closed))
            }
            if let error = check(&state) { return .failure(error) }
            return body(&state)
        }
    }

    /// Uses the stored content if it is current. Returns nil, or the error of the request to the server.
    private func check(_ state: inout State) -> ResourceError? {
        guard !state.isChecked else { return nil }
        if var found = store.find(key) {
            if !found.record.isFresh(at: store.now()) {
                switch child.revalidate(found.record.validator) {
                case .success(let confirmation?):
                    found.record.confirm(by: confirmation, at: store.now())
                    store.save(found)
                case .success(nil):
                    store.remove(key)
                    state.isChecked = true
                    return nil
                case .failure(let error):
                    if error == .notFound() { store.remove(key) }
                    return error
                }
            }
            state.content = found
        }
        state.isChecked = true
        return nil
    }

    private func read(_ range: Range<Int64>?, _ state: inout State) -> Result<Data, ResourceError> {
        guard var content = state.content else { return readFirst(range, &state) }
        for gap in content.record.present.gaps(in: content.clamped(range)) {
            switch fill(gap, &content, &state) {
            case .filled: state.content = content
            case .failed(let error):
                state.content = content
                return .failure(error)
            case .changed:
                forget(&state)
                guard !state.hasDelivered else { return .failure(.unavailable(child.changed)) }
                return readFirst(range, &state)
            case .notKept:
                forget(&state)
                state.isStorable = false
                return child.read(range: range)
            }
        }
        if state.unsaved >= Self.savedAtLeast { save(&state) }
        guard let bytes = content.file.read(content.clamped(range)) else {
            // The body file was truncated.
            forget(&state)
            state.isStorable = false
            return child.read(range: range)
        }
        state.hasDelivered = true
        return .success(bytes)
    }

    /// Reads from the server while nothing is stored, and starts to store content if allowed.
    private func readFirst(_ range: Range<Int64>?, _ state: inout State) -> Result<Data, ResourceError> {
        let result = child.read(range: range)
        guard state.isStorable, case .success(let bytes) = result, !bytes.isEmpty,
            let answer = child.knownAnswer
        else { return result }
        state.hasDelivered = true
        let total = range == nil ? Int64(bytes.count) : child.knownLength
        guard let validator = CacheRecord.validator(of: answer), total ?? 0 <= store.maximumEntryBytes,
            var content = store.make(key, answer, validator: validator, total: total)
        else {
            state.isStorable = false
            return result
        }
        if put(bytes, at: max(0, range?.lowerBound ?? 0), &content, &state) { state.content = content }
        return result
    }

    private enum Filled {
        case filled
        /// The server now has another version.
        case changed
        /// The store cannot hold it.
        case notKept
        case failed(ResourceError)
    }

    /// Fetches the missing bytes of the same version.
    private func fill(
        _ gap: Range<Int64>, _ content: inout StoredContent, _ state: inout State
    ) -> Filled {
        var position = gap.lowerBound
        while position < min(gap.upperBound, content.record.total ?? .max) {
            switch child.read(range: position..<gap.upperBound, ofVersion: content.record.validator) {
            case .failure(let error):
                if (error.cause as? HTTPError)?.code == .contentChanged { return .changed }
                return .failed(error)
            case .success(let bytes):
                guard !bytes.isEmpty else {
                    content.record.total = position
                    return .filled
                }
                guard put(bytes, at: position, &content, &state) else { return .notKept }
                position += Int64(bytes.count)
            }
        }
        return .filled
    }

    /// Writes bytes into the body; returns false if they cannot be stored.
    private func put(
        _ bytes: Data, at position: Int64, _ content: inout StoredContent, _ state: inout State
    ) -> Bool {
        let end = position + Int64(bytes.count)
        guard end <= store.maximumEntryBytes, content.file.write(bytes, at: position) else { return false }
        content.record.present.insert(position..<end)
        content.record.total = content.record.total ?? child.knownLength
        state.unsaved += bytes.count
        return true
    }

    private func save(_ state: inout State) {
        guard state.unsaved > 0, let content = state.content else { return }
        store.save(content)
        state.unsaved = 0
    }

    private func forget(_ state: inout State) {
        state.content = nil
        state.unsaved = 0
        store.remove(key)
    }
}
