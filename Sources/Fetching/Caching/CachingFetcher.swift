import FoundationEssentials
import Synchronization

/// Keeps on disk what another fetcher delivered, so that it stays readable without it (fetcher reference, section 14).
///
/// Put it below fetchers that transform or decrypt: what is kept are the child's bytes. All members may be called from any
/// thread; those that ask the child block.
public final class CachingFetcher: Fetcher {
    let child: any Fetcher
    let store: CacheStore
    let namespace: String
    let policy: CachePolicy
    private let isPerAccount: Bool
    private let state = Mutex(State())

    private struct State {
        var isClosed = false
        /// When resources that were not found may be asked for again.
        var missing: [CacheKey: Int64] = [:]
    }

    /// A fetcher over `fetcher`, which it owns.
    ///
    /// - `namespace`: separates publications, or accounts, in one store.
    /// - `isPerAccount`: whether the namespace belongs to one account, so that answers to requests with a password may be kept.
    public init(
        fetcher: any Fetcher, store: CacheStore, namespace: String, policy: CachePolicy = .respectHeaders,
        isPerAccount: Bool = false
    ) {
        child = fetcher
        self.store = store
        self.namespace = namespace
        self.policy = policy
        self.isPerAccount = isPerAccount
    }

    /// Those of the child.
    public var links: [Link] { child.links }

    /// A resource that is read from disk where that has it, and from the child otherwise. No I/O.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        guard !isClosed else {
            return FailureResource(link: link, error: .unavailable(RequestProblem.closed))
        }
        guard policy.mode != .never else { return child.get(link, parameters: parameters) }
        return cached(link, parameters) ?? child.get(link, parameters: parameters)
    }

    /// Closes the child and ends what is being fetched. The store stays open.
    public func close() {
        state.withLock { $0.isClosed = true }
        child.close()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The caching resource of a link; nil when it has no key, because its template cannot be read.
    func cached(_ link: Link, _ parameters: [String: String]) -> CachedResource? {
        guard case .success(let expanded) = link.expanded(with: parameters) else { return nil }
        let more = link.templated ? [:] : parameters
        guard let key = CacheKey(namespace: namespace, href: expanded.href, parameters: more) else {
            return nil
        }
        let resource = child.get(link, parameters: parameters)
        let slot = CacheSlot(
            store: store, key: key, href: expanded.href, namespace: namespace, policy: policy,
            isPerAccount: isPerAccount, cacheControl: link.properties["cacheControl"]?.string,
            requestHeader: { name in (resource as? any RevalidatingResource)?.requestHeader(name) })
        return CachedResource(child: resource, slot: slot, fetcher: self)
    }

    // MARK: errors

    /// Whether a resource was not found a short time ago and need not be asked for.
    func isMissing(_ key: CacheKey) -> Bool {
        guard policy.cacheErrors else { return false }
        let now = store.now
        return state.withLock { state in
            guard let until = state.missing[key] else { return false }
            if now < until { return true }
            state.missing[key] = nil
            return false
        }
    }

    /// Remembers that a resource was not found, if the policy wants that.
    func rememberMissing(_ key: CacheKey) {
        guard policy.cacheErrors else { return }
        let until = store.now + (policy.defaultMaxAge ?? 60)
        state.withLock { state in
            if state.missing.count >= 1000 { state.missing = [:] }
            state.missing[key] = until
        }
    }
}
