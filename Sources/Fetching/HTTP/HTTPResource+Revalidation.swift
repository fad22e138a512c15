import FoundationEssentials

extension HTTPResource: RevalidatingResource {
    func revalidate(etag: String?, lastModified: String?) -> Revalidation {
        var conditions = HTTPHeaders()
        conditions["If-None-Match"] = etag
        conditions["If-Modified-Since"] = lastModified
        let answer = attempting { () throws(HTTPError) in try open(conditions: conditions) }
        switch answer {
        case .failure(let error): return .failure(error)
        case .success(.content(let cursor)): return .modified(newVersion(cursor))
        case .success(.notModified), .success(.beyondEnd): return .notModified(link)
        }
    }

    func read(range: Range<Int64>, ifRange etag: String) -> RangeReply {
        guard !range.isEmpty else { return .same(Data()) }
        var changed: BodyCursor?
        let reply = attempting { () throws(HTTPError) -> Data in
            let gap = context.configuration.continuationGap
            if let idle = takeIdle(range, gap: gap) {
                if idle.strongTag == etag { return try bytes(of: range, from: idle) }
                idle.close()
            }
            let isInSequence = state.withLock { $0.lastEnd == range.lowerBound }
            let end = isInSequence || range.upperBound == Int64.max ? nil : range.upperBound
            switch try open(from: range.lowerBound, to: end, conditions: ["If-Range": etag]) {
            case .beyondEnd: return Data()
            case .notModified: throw notAsked
            case .content(let cursor):
                // A part of another version in spite of the condition counts as changed too.
                if cursor.response.status == 206, cursor.strongTag ?? etag == etag {
                    return try bytes(of: range, from: cursor)
                }
                changed = cursor
                return Data()
            }
        }
        switch (reply, changed) {
        case (.failure(let error), _): return .failure(error)
        case (.success(let bytes), nil): return .same(bytes)
        case (_, let cursor?):
            guard cursor.response.status != 206 else {
                cursor.close()
                return .modified(HTTPResource(link: link, url: url, context: context, parent: self))
            }
            return .modified(newVersion(cursor))
        }
    }

    func requestHeader(_ name: String) -> String? {
        ASCII.lowercased(name) == "accept-encoding" ? "identity" : context.configuration.headers[name]
    }

    var knownLength: Int64? { state.withLock { $0.total } }

    private func bytes(of range: Range<Int64>, from cursor: BodyCursor) throws(HTTPError) -> Data {
        var bytes = Data()
        try deliver(range, from: cursor) { piece in
            bytes.append(piece)
            return true
        }
        return bytes
    }

    /// A resource of its own for the version whose content has begun to come.
    private func newVersion(_ cursor: BodyCursor) -> HTTPResource {
        let resource = HTTPResource(link: link, url: url, context: context, parent: self)
        resource.state.withLock { $0.total = cursor.response.contentLength }
        resource.putBack(cursor, after: nil)
        return resource
    }
}
