import Synchronization
import FoundationEssentials

extension HTTPResource {
    /// Reads the complete content, or a range of it clamped to its bounds.
    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        attempting { () throws(HTTPError) in try read(range, version: nil) }
    }

    /// Reads the version that a validator identifies; any version if nil.
    func read(_ range: Range<Int64>?, version: String?) throws(HTTPError) -> Data {
        var bytes = Data()
        let limit = context.configuration.largestContent
        try deliver(range, version: version, inSequence: false) { piece throws(HTTPError) in
            guard Int64(bytes.count + piece.count) <= limit else { throw tooLarge(limit) }
            if bytes.isEmpty { bytes = piece } else { bytes.append(piece) }
            return true
        }
        return bytes
    }

    /// Reads in pieces from a single answer of any size. Broken connections are not retried after a piece was
    /// delivered.
    func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        var delivered: Int64 = 0
        var broken: ResourceError?
        let result = attempting { () throws(HTTPError) in
            do throws(HTTPError) {
                try deliver(range, inSequence: true) { piece in
                    delivered += Int64(piece.count)
                    return consume(piece)
                }
            } catch {
                guard delivered > 0 else { throw error }
                broken = ResourceError(error)
            }
        }
        if let broken { return .failure(broken) }
        return result.map { delivered }
    }

    /// Delivers a range, or everything if nil, piece by piece until `consume` returns false.
    private func deliver(
        _ range: Range<Int64>?, version: String? = nil, inSequence: Bool,
        _ consume: (Data) throws(HTTPError) -> Bool
    ) throws(HTTPError) {
        let wanted = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) } ?? 0..<Int64.max
        // An empty range needs no request, whether or not the resource exists.
        guard !wanted.isEmpty else { return }
        let (body, answer) = state.withLock { ($0.body, $0.answer) }
        if let body, version == nil || answer?.validator == version {
            let bytes = body.bytes(in: wanted)
            if !bytes.isEmpty { _ = try consume(bytes) }
            return
        }
        var rest = wanted
        var first: BodyCursor?
        while !rest.isEmpty,
            let cursor = try cursor(
                for: rest, version: version, isWhole: range == nil, inSequence: inSequence)
        {
            if let first, first.response.headers["ETag"] != cursor.response.headers["ETag"] {
                cursor.close()
                throw changed
            }
            first = cursor
            let wantsMore = try deliver(rest, from: cursor, consume)
            // A server may send less than the requested range (RFC 9110 section 15.3.7). The rest is then requested.
            guard wantsMore, !cursor.reachesEnd, cursor.position > rest.lowerBound else { return }
            rest = min(cursor.position, rest.upperBound)..<rest.upperBound
        }
    }

    /// An answer from which a range can be read; nil if the range begins at or after the end.
    private func cursor(
        for range: Range<Int64>, version: String?, isWhole: Bool, inSequence: Bool
    ) throws(HTTPError) -> BodyCursor? {
        let limits = context.configuration
        let start = range.lowerBound
        let (isBeyond, follows, ignoresRanges) = state.withLock { state in
            (
                state.total.map { start >= $0 } ?? false,
                state.lastEnd.map { start >= $0 && start - $0 <= limits.continuationGap } ?? false,
                state.ignoresRanges
            )
        }
        if isBeyond, !isWhole { return nil }
        // A server without ranges sends everything again, so continuing is always better than restarting.
        let gap = ignoresRanges ? limits.discardedBody : limits.continuationGap
        if let idle = takeIdle(range, gap: isWhole ? 0 : gap) {
            if version == nil || idle.response.validator == version { return idle }
            idle.close()
        }
        if isWhole || ignoresRanges {
            guard case .content(let cursor) = try open() else { throw notAsked }
            return try checked(cursor, version)
        }
        // Sequential reads use one open-ended answer, which the next reads continue.
        let isOpenEnded = range.upperBound == Int64.max || (follows && !inSequence)
        var conditions = HTTPHeaders()
        conditions["If-Range"] = version
        switch try open(from: start, to: isOpenEnded ? nil : range.upperBound, conditions: conditions) {
        case .content(let cursor): return try checked(cursor, version)
        case .beyondEnd: return nil
        case .notModified: throw notAsked
        }
    }

    /// Returns the cursor if it belongs to the version.
    private func checked(_ cursor: BodyCursor, _ version: String?) throws(HTTPError) -> BodyCursor {
        // A partial answer without a validator belongs to the version that the condition named.
        let sent = cursor.response.validator ?? (cursor.response.status == 206 ? version : nil)
        guard version == nil || sent == version else {
            cursor.close()
            throw changed
        }
        return cursor
    }

    /// Reads a range from a cursor, and keeps the cursor for the next read. Returns whether `consume` accepted all of
    /// it.
    @discardableResult
    func deliver(
        _ range: Range<Int64>, from cursor: BodyCursor, _ consume: (Data) throws(HTTPError) -> Bool
    ) throws(HTTPError) -> Bool {
        let start = range.lowerBound
        if cursor.position < start {
            guard start - cursor.position <= context.configuration.discardedBody else {
                cursor.close()
                throw tooFar(start)
            }
            try cursor.skip(to: start)
        } else if let kept = cursor.prefix, start < cursor.position {
            let part = kept.bytes(in: start..<min(range.upperBound, cursor.position))
            guard try consume(part) else {
                putBack(cursor, after: start + Int64(part.count))
                return false
            }
        }
        var wantsMore = true
        while wantsMore, cursor.position < range.upperBound {
            let piece = try cursor.next(Int(clamping: min(range.upperBound - cursor.position, 256 << 10)))
            if piece.isEmpty { break }
            wantsMore = try consume(piece)
        }
        putBack(cursor, after: min(range.upperBound, max(start, cursor.position)))
        return wantsMore
    }

    /// Removes and returns the idle answer if it can deliver a range. The caller then owns it.
    func takeIdle(_ range: Range<Int64>, gap: Int64) -> BodyCursor? {
        state.withLock { state in
            guard let idle = state.idle, idle.canDeliver(range, gap: gap) else { return nil }
            state.idle = nil
            return idle
        }
    }

    /// Keeps an answer for the next read, or keeps its content if it is at its end.
    ///
    /// - Parameter end: the end of the range that was read; nil if nothing was read.
    func putBack(_ cursor: BodyCursor, after end: Int64?) {
        let surplus = state.withLock { state -> BodyCursor? in
            if let end { state.lastEnd = end }
            guard !state.isClosed else { return cursor }
            if cursor.isAtEnd {
                if let prefix = cursor.prefix {
                    state.body = prefix
                    state.total = Int64(prefix.count)
                }
                return cursor
            }
            defer { state.idle = cursor }
            return state.idle
        }
        surplus?.close()
    }

    private func tooLarge(_ limit: Int64) -> HTTPError {
        HTTPError(
            .contentTooLarge, "The content is larger than \(limit) bytes.", subject: url.string,
            hint: "Read it in ranges.")
    }

    private func tooFar(_ start: Int64) -> HTTPError {
        HTTPError(
            .noRanges, "The server does not support ranges, and byte \(start) is too far into the file.",
            subject: url.string)
    }

    var changed: HTTPError {
        HTTPError(.contentChanged, "The content changed while it was being read.", subject: url.string)
    }

    var notAsked: HTTPError {
        HTTPError(
            .malformedResponse, "The server answered a condition that was not sent.", subject: url.string)
    }
}
