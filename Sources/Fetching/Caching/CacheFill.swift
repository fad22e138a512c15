import FoundationEssentials

/// One fetch from the child into the store, on a thread of its own: whoever waits for it may leave without ending it.
struct CacheFill: Sendable {
    /// Requests for parts are widened to multiples of this (fetcher reference, section 14.7).
    static let block: Int64 = 64 << 10
    /// The most that is fetched into memory at once to fill a gap.
    static let piece: Int64 = 8 << 20

    let slot: CacheSlot
    let child: any Resource
    let flight: CacheFlight
    /// What is wanted; nil for all.
    let wanted: Range<Int64>?
    /// Whether the content is to be kept whatever policy and age say.
    let isPinned: Bool

    /// Fetches what is missing.
    func run() -> CacheFlight.Outcome {
        guard let content = slot.find() else { return fetchNew() }
        let willBePinned = isPinned || content.entry.isPinned
        guard !slot.isFresh(content) else { return fillGaps(content) }
        guard let child = child as? any RevalidatingResource else {
            return ingest(child, upTo: nil, isPinned: willBePinned)
        }
        let metadata = content.entry.metadata
        // A weak tag tells whole contents apart, not parts.
        let etag = content.entry.isComplete ? metadata.etag : metadata.strongTag
        let lastModified = content.entry.isComplete ? metadata.lastModified : nil
        switch child.revalidate(etag: etag, lastModified: lastModified) {
        case .notModified(let link): return refresh(content, link)
        case .modified(let new): return ingest(new, upTo: wanted?.upperBound, isPinned: willBePinned)
        case .failure(let error): return failed(error, stale: content)
        }
    }

    /// Notes that a content was confirmed, and fetches what it lacks.
    private func refresh(_ content: StoredContent, _ link: Link) -> CacheFlight.Outcome {
        let newer = HTTPMetadata(link.properties[HTTPMetadata.propertyName]) ?? HTTPMetadata()
        let now = slot.store.now
        do throws(CacheError) {
            let entry = try slot.store.update(content.key, body: content.entry.bodyNumber) { entry in
                entry.metadata = entry.metadata.updated(by: newer)
                entry.storedAt = now
            }
            return fillGaps(StoredContent(key: content.key, entry: entry, file: content.file))
        } catch {
            // It could not be written down that it is fresh, and still is.
            return content.covers(wanted) ? .stale(content) : .passedOn(CacheHandover(resource: child))
        }
    }

    /// What to do when the child fails although something is kept.
    private func failed(_ error: ResourceError, stale content: StoredContent) -> CacheFlight.Outcome {
        let freshness = slot.freshness(content.entry.metadata)
        if error == .unavailable(), content.covers(wanted),
            freshness.mayServeStale(isPinned: content.entry.isPinned)
        {
            return .stale(content)
        }
        if error == .notFound() { forget() }
        return .failed(error)
    }

    private func forget() {
        // An entry that cannot be removed is asked about again next time.
        do throws(CacheError) { try slot.remove() } catch { return }
    }

    // MARK: new contents

    private func fetchNew() -> CacheFlight.Outcome {
        if slot.policy.mode == .onlyPinned, !isPinned { return .passedOn(CacheHandover(resource: child)) }
        guard let revalidating = child as? any RevalidatingResource else {
            // Parts of what has no versions cannot be kept.
            guard wanted == nil, slot.mayStore(HTTPMetadata(), isPinned: isPinned) else {
                return .passedOn(CacheHandover(isForParts: wanted != nil, resource: child))
            }
            return ingest(child, upTo: nil, isPinned: isPinned)
        }
        guard let wanted else {
            switch revalidating.revalidate(etag: nil, lastModified: nil) {
            case .notModified: return .passedOn(CacheHandover(resource: child))
            case .modified(let resource): return ingest(resource, upTo: nil, isPinned: isPinned)
            case .failure(let error): return .failed(error)
            }
        }
        let range = Self.widened(wanted)
        let bytes: Data
        switch revalidating.read(range: range) {
        case .success(let read): bytes = read
        case .failure(let error): return .failed(error)
        }
        let handover = CacheHandover(start: range.lowerBound, bytes: bytes, isForParts: true, resource: child)
        let metadata = Self.metadata(of: revalidating)
        guard metadata.strongTag != nil, slot.mayStore(metadata, isPinned: isPinned), !bytes.isEmpty,
            range.lowerBound + Int64(bytes.count) <= slot.store.maxEntryBytes,
            revalidating.knownLength ?? 0 <= slot.store.maxEntryBytes
        else { return .passedOn(handover) }
        var entry = slot.entry(type: revalidating.link.type, metadata: metadata, isPinned: isPinned)
        entry.total = revalidating.knownLength
        do throws(CacheError) {
            let body = try slot.store.makeTemporary()
            do throws(CacheError) {
                try slot.store.files.write(bytes, at: range.lowerBound, to: body)
                entry.present.insert(range.lowerBound..<range.lowerBound + Int64(bytes.count))
                return .ready(try slot.commit(body, Self.completing(entry, body)))
            } catch {
                slot.store.discard(body)
                throw error
            }
        } catch {
            return .passedOn(handover)
        }
    }

    static func widened(_ range: Range<Int64>) -> Range<Int64> {
        let start = max(0, range.lowerBound) / block * block
        let (end, overflow) = range.upperBound.addingReportingOverflow(block - 1)
        return start..<max(start, overflow ? .max : end / block * block)
    }

    static func metadata(of resource: any Resource) -> HTTPMetadata {
        HTTPMetadata(resource.link.properties[HTTPMetadata.propertyName]) ?? HTTPMetadata()
    }

    /// The entry as complete, if every byte is there and can be read back.
    static func completing(_ entry: CacheEntry, _ body: CacheFile) -> CacheEntry {
        guard !entry.isComplete, let total = entry.total, entry.present.contains(0..<total),
            let digest = body.digest(total)
        else { return entry }
        var entry = entry
        entry.isComplete = true
        entry.sha256 = digest
        return entry
    }
}
