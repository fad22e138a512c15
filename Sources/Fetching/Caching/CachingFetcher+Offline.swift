import FoundationEssentials

/// What a store has of a resource.
public enum CacheState: Sendable, Equatable {
    /// Nothing.
    case absent
    /// Some bytes of it.
    case partial(bytes: Int64)
    /// All of it, usable without asking.
    case complete
    /// All or some of it, to be asked about before it is used.
    case stale
}

/// How far fetching ahead has come.
public struct CacheProgress: Sendable, Equatable {
    /// What is being fetched.
    public var link: Link
    /// Its bytes that have come.
    public var received: Int64
    /// Its length, if known.
    public var total: Int64?
    /// How many links are done.
    public var finished: Int
    /// How many there are.
    public var count: Int
}

extension CachingFetcher {
    /// Fetches contents into the store, one after another; what is there and fresh is not fetched.
    ///
    /// `progress`: called on this thread.
    /// - Returns: for each link the length of what is kept, or why it is not.
    public func prefetch(
        _ links: [Link], progress: (CacheProgress) -> Void = { _ in }
    ) -> [Link: Result<Int64, ResourceError>] {
        var results: [Link: Result<Int64, ResourceError>] = [:]
        for (index, link) in links.enumerated() {
            results[link] = fetch(link, isPinned: false) { received, total in
                progress(
                    CacheProgress(
                        link: link, received: received, total: total, finished: index, count: links.count))
            }.map { $0.entry.total ?? 0 }
        }
        return results
    }

    /// Keeps a content until `unpin`: it is fetched whole if need be, never evicted, and served also when the child cannot be
    /// asked whether it is still current.
    public func pin(_ link: Link) -> Result<Void, ResourceError> {
        fetch(link, isPinned: true) { _, _ in }.flatMap { content in
            mark(link, content, isPinned: true)
        }
    }

    /// Lets a content be evicted again; one that is not there is fine.
    public func unpin(_ link: Link) -> Result<Void, ResourceError> {
        guard let resource = cached(link, [:]), let content = resource.slot.find() else {
            return .success(())
        }
        return mark(link, content, isPinned: false)
    }

    /// Removes what is kept of a link, pinned or not. Resources that are open go on with it.
    public func remove(_ link: Link) throws(CacheError) {
        guard let resource = cached(link, [:]) else { return }
        try resource.slot.remove()
    }

    /// Removes everything that is kept in this namespace, pinned or not.
    public func removeAll() throws(CacheError) { try store.removeAll(namespace: namespace) }

    /// What the store has of a link.
    public func state(_ link: Link) -> CacheState {
        guard let slot = cached(link, [:])?.slot, let content = slot.find() else { return .absent }
        guard slot.isFresh(content) else { return .stale }
        return content.entry.isComplete ? .complete : .partial(bytes: content.entry.present.count)
    }

    private func fetch(
        _ link: Link, isPinned: Bool, progress: (Int64, Int64?) -> Void
    ) -> Result<StoredContent, ResourceError> {
        guard !isClosed else { return .failure(.unavailable(RequestProblem.closed)) }
        guard let resource = cached(link, [:]) else {
            return .failure(.badRequest(RequestProblem(.template, "the template is invalid", subject: link.href)))
        }
        defer { resource.close() }
        return resource.complete(isPinned: isPinned, progress: progress)
    }

    private func mark(_ link: Link, _ content: StoredContent, isPinned: Bool) -> Result<Void, ResourceError> {
        do throws(CacheError) {
            try store.update(content.key, body: content.entry.bodyNumber) { $0.isPinned = isPinned }
            return .success(())
        } catch {
            return .failure(.other(error))
        }
    }
}
