import FoundationEssentials
import Platform

/// The place of one resource in a store: finds and stores its variants, and judges how fresh they are.
struct CacheSlot: Sendable {
    let store: CacheStore
    let key: CacheKey
    let href: String
    let namespace: String
    let policy: CachePolicy
    let isPerAccount: Bool
    /// What the link says in place of `Cache-Control`.
    let cacheControl: String?
    /// What requests carry in a header field.
    let requestHeader: @Sendable (String) -> String?

    /// The content for requests like ours.
    func find() -> StoredContent? {
        guard let content = store.find(key) else { return nil }
        guard let names = content.entry.varyNames else { return content }
        return variant(names).flatMap { store.find($0.key) }
    }

    func freshness(_ metadata: HTTPMetadata) -> CacheFreshness {
        CacheFreshness(policy: policy, metadata: metadata, override: cacheControl)
    }

    func isFresh(_ content: StoredContent) -> Bool {
        freshness(content.entry.metadata).isFresh(storedAt: content.entry.storedAt, now: store.now)
    }

    func mayStore(_ metadata: HTTPMetadata, isPinned: Bool) -> Bool {
        freshness(metadata).mayStore(isPerAccount: isPerAccount, isPinned: isPinned)
    }

    /// A new entry for an answer.
    func entry(type: String?, metadata: HTTPMetadata, isPinned: Bool) -> CacheEntry {
        var entry = CacheEntry(href: href, namespace: namespace)
        entry.type = type
        entry.metadata = metadata
        entry.isPinned = isPinned
        entry.storedAt = store.now
        return entry
    }

    /// Stores a body for requests like ours, under the key of its variant where answers vary.
    func commit(_ body: CacheFile, _ entry: CacheEntry) throws(CacheError) -> StoredContent {
        let names = entry.metadata.vary.map { CacheFreshness.names($0) } ?? []
        guard !names.isEmpty else {
            return try store.commit(body, entry, as: key)
        }
        guard let (variantKey, values) = variant(names) else {
            throw CacheError(.inputOutput, "no key could be created", subject: href)
        }
        if store.find(key)?.entry.varyNames != names {
            var index = CacheEntry(href: href, namespace: namespace)
            index.varyNames = names
            index.isComplete = true
            index.total = 0
            index.sha256 = Digest.text(of: "", .sha256)
            index.storedAt = store.now
            index.isPinned = entry.isPinned
            try store.commit(try store.makeTemporary(), index, as: key)
        } else if entry.isPinned, let index = store.find(key) {
            // A pinned variant needs the way to it.
            try store.update(key, body: index.entry.bodyNumber) { $0.isPinned = true }
        }
        var entry = entry
        entry.varyValues = values
        return try store.commit(body, entry, as: variantKey)
    }

    /// Removes whatever is kept for requests like ours.
    func remove() throws(CacheError) {
        if let names = store.find(key)?.entry.varyNames, let variant = variant(names) {
            try store.remove(variant.key)
        }
        try store.remove(key)
    }

    private func variant(_ names: [String]) -> (key: CacheKey, values: [String: String])? {
        var values: [String: String] = [:]
        for name in names { values[name] = requestHeader(name) ?? "" }
        return key.variant(values).map { ($0, values) }
    }
}
