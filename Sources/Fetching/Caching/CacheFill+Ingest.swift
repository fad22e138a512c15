import FoundationEssentials
import Platform

extension CacheFill {
    /// Stores a content from its start, at least up to `limit`, nil for all; who waits can read along.
    func ingest(_ resource: any Resource, upTo limit: Int64?, isPinned: Bool) -> CacheFlight.Outcome {
        let metadata = Self.metadata(of: resource)
        let known = (resource as? any RevalidatingResource)?.knownLength
        guard slot.mayStore(metadata, isPinned: isPinned), known ?? 0 <= slot.store.maxEntryBytes else {
            // What is kept is an older version and must not come back.
            removeOld()
            return .passedOn(CacheHandover(resource: resource))
        }
        let body: CacheFile
        do throws(CacheError) {
            body = try slot.store.makeTemporary()
        } catch {
            return .passedOn(CacheHandover(resource: resource))
        }
        var entry = slot.entry(type: resource.link.type, metadata: metadata, isPinned: isPinned)
        entry.total = known
        let digest = Digest(.sha256)
        var position: Int64 = 0
        var unwritten = Data()
        flight.monitor.change { state in
            state.file = body
            state.total = known
        }
        let stop = metadata.strongTag == nil ? nil : limit
        // A stream is one answer: what breaks off is not continued with another version.
        let result = resource.stream(range: nil) { bytes in
            let end = position + Int64(bytes.count)
            do throws(CacheError) {
                guard end <= slot.store.maxEntryBytes else {
                    throw CacheError(.tooLarge, "larger than the limit for one entry", subject: slot.href)
                }
                try slot.store.files.write(bytes, at: position, to: body)
            } catch {
                unwritten = bytes
                return false
            }
            bytes.withUnsafeBytes { digest.add($0) }
            position = end
            flight.monitor.change { $0.received = end }
            return stop.map { end < $0 } ?? true
        }
        guard unwritten.isEmpty, Self.metadata(of: resource).etag == metadata.etag else {
            slot.store.discard(body)
            return .passedOn(
                CacheHandover(
                    file: body, fileCount: position, start: position, bytes: unwritten, resource: resource))
        }
        if case .failure(let error) = result {
            if metadata.strongTag != nil, position > 0 {
                _ = commitPart(body, entry, position, resource)
            } else {
                slot.store.discard(body)
            }
            return .failed(error)
        }
        if let stop, position >= stop { return commitPart(body, entry, position, resource) }
        entry.total = position
        entry.present = ByteIntervals([0..<position])
        entry.isComplete = true
        entry.sha256 = digest.finish().map { Hex.text($0) }
        do throws(CacheError) {
            let content = try slot.commit(body, entry)
            resource.close()
            return .ready(content)
        } catch {
            return .passedOn(CacheHandover(file: body, fileCount: position, resource: resource))
        }
    }

    /// Stores the beginning of a content.
    private func commitPart(
        _ body: CacheFile, _ entry: CacheEntry, _ count: Int64, _ resource: any Resource
    ) -> CacheFlight.Outcome {
        var entry = entry
        entry.present.insert(0..<count)
        do throws(CacheError) {
            return .ready(try slot.commit(body, Self.completing(entry, body)))
        } catch {
            return .passedOn(CacheHandover(file: body, fileCount: count, resource: resource))
        }
    }

    /// Keeps a version that is known to be outdated from being read beside the one that is coming.
    private func expire(_ content: StoredContent) {
        do throws(CacheError) {
            try slot.store.update(content.key, body: content.entry.bodyNumber) { $0.storedAt = 0 }
        } catch {
            removeOld()
        }
    }

    private func removeOld() {
        do throws(CacheError) { try slot.remove() } catch { return }
    }

    /// Fetches the parts of a kept version that are wanted and not there.
    func fillGaps(_ content: StoredContent) -> CacheFlight.Outcome {
        if content.covers(wanted) { return .ready(content) }
        guard let child = child as? any RevalidatingResource, let etag = content.entry.metadata.strongTag
        else {
            return .passedOn(CacheHandover(resource: self.child))
        }
        var entry = content.entry
        let end = entry.total ?? .max
        let range = wanted.map { Self.widened($0) } ?? 0..<end
        for gap in entry.present.gaps(in: ByteRange.clamped(range, length: end)) {
            var position = gap.lowerBound
            while position < gap.upperBound {
                let asked =
                    position..<min(
                        gap.upperBound, position > .max - Self.piece ? .max : position + Self.piece)
                switch child.read(range: asked, ifRange: etag) {
                case .failure(let error): return .failed(error)
                case .modified(let new):
                    expire(content)
                    return ingest(new, upTo: wanted?.upperBound, isPinned: isPinned || entry.isPinned)
                case .same(let bytes):
                    let upper = position + Int64(bytes.count)
                    // Less than was asked for is the end only if the child says so, or has nothing more at all.
                    let total = child.knownLength ?? (bytes.isEmpty ? position : nil)
                    let isEnd = bytes.isEmpty || total.map { upper >= $0 } ?? false
                    do throws(CacheError) {
                        entry = try append(bytes, at: position, total: total, to: content)
                    } catch {
                        return .passedOn(CacheHandover(resource: child))
                    }
                    position = isEnd ? gap.upperBound : upper
                }
            }
        }
        return .ready(StoredContent(key: content.key, entry: entry, file: content.file))
    }

    /// Writes bytes into a body and then, when they are on the medium, into its record.
    private func append(
        _ bytes: Data, at position: Int64, total: Int64?, to content: StoredContent
    ) throws(CacheError) -> CacheEntry {
        let end = position + Int64(bytes.count)
        guard end <= slot.store.maxEntryBytes else {
            throw CacheError(.tooLarge, "larger than the limit for one entry", subject: slot.href)
        }
        try slot.store.files.write(bytes, at: position, to: content.file)
        try slot.store.files.sync(content.file)
        return try slot.store.update(content.key, body: content.entry.bodyNumber) { entry in
            entry.present.insert(position..<end)
            entry.total = entry.total ?? total
            entry = Self.completing(entry, content.file)
        }
    }
}
