/// Whether an answer may be kept, and how long it can be used without asking (RFC 9111, for a cache of one user).
struct CacheFreshness {
    let policy: CachePolicy
    let metadata: HTTPMetadata
    /// What the publication's link says in place of `Cache-Control`.
    let override: String?

    private var control: CacheControl { CacheControl(override ?? metadata.cacheControl) }

    /// Whether a new answer may be kept.
    ///
    /// - Parameter isPerAccount: whether nobody else reads this namespace.
    func mayStore(isPerAccount: Bool, isPinned: Bool) -> Bool {
        switch policy.mode {
        case .never: return false
        case .always: return true
        case .onlyPinned where !isPinned: return false
        case .respectHeaders, .onlyPinned: break
        }
        if control.noStore || (metadata.vary.map { Self.names($0).contains("*") } ?? false) { return false }
        if metadata.isAuthorized, !isPerAccount { return false }
        // Without any information nobody said that it may be used later.
        return isPinned || lifetime(storedAt: 0) != nil || metadata.etag != nil
            || metadata.lastModified != nil
    }

    /// Whether an answer stored at a time can be used at `now` without asking.
    func isFresh(storedAt: Int64, now: Int64) -> Bool {
        // A clock that went back says nothing about the age.
        guard now >= storedAt else { return false }
        if case .always(let maxAge) = policy.mode { return now - storedAt < maxAge }
        if control.noCache { return false }
        return age(storedAt: storedAt, now: now) < lifetime(storedAt: storedAt) ?? 0
    }

    /// Whether a stale answer may be used when the server cannot be reached.
    func mayServeStale(isPinned: Bool) -> Bool {
        if isPinned { return true }
        if case .always = policy.mode { return policy.staleIfUnavailable }
        return policy.staleIfUnavailable && !control.mustRevalidate && !control.noCache
    }

    /// Seconds since the origin made or confirmed the answer (RFC 9111 section 4.2.3).
    private func age(storedAt: Int64, now: Int64) -> Int64 {
        let claimed = metadata.age.flatMap { ASCII.number($0) } ?? 0
        let apparent = metadata.date.flatMap { HTTPDate.parse($0) }.map { max(0, storedAt - $0) } ?? 0
        return min(max(claimed, apparent), Int64(Int32.max)) + now - storedAt
    }

    /// Seconds for which the answer is fresh; nil when nothing says.
    private func lifetime(storedAt: Int64) -> Int64? {
        if let maxAge = control.maxAge { return maxAge }
        let date = metadata.date.flatMap { HTTPDate.parse($0) } ?? storedAt
        if let expires = metadata.expires {
            // What is no date is a date in the past.
            return HTTPDate.parse(expires).map { max(0, $0 - date) } ?? 0
        }
        if let modified = metadata.lastModified.flatMap({ HTTPDate.parse($0) }), modified <= date {
            let part = Double(date - modified) * max(0, policy.heuristicFraction)
            return min(Int64(min(part, Double(Int32.max))), policy.heuristicLimit)
        }
        return policy.defaultMaxAge
    }

    /// The names of a `Vary` in lower case, sorted.
    static func names(_ vary: String) -> [String] {
        Set(vary.split(separator: ",").map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !$0.isEmpty })
            .sorted()
    }
}
