import FoundationEssentials

/// An answer that is being read, and its position in the resource. Used by one reader at a time.
///
/// Unchecked: a cursor is owned by the read that opened it or took it from the resource's state.
final class BodyCursor: @unchecked Sendable {
    let response: HTTPResponse
    private let exchange: any HTTPExchange
    /// The position of the next byte in the resource.
    private(set) var position: Int64
    /// The end of the answer in the resource, if the answer states it.
    private let end: Int64?
    /// Whether the answer continues to the end of the resource, as far as known.
    let reachesEnd: Bool
    /// Whether the last byte was read.
    private(set) var isAtEnd = false
    /// All bytes from the start of the resource up to `position`, while they are worth keeping.
    private(set) var prefix: Data?
    private let prefixLimit: Int64

    /// - Parameter prefixLimit: the number of bytes at the beginning to keep; 0 for none.
    init(
        _ exchange: any HTTPExchange, position: Int64, end: Int64?, reachesEnd: Bool = true,
        prefixLimit: Int64 = 0
    ) {
        self.reachesEnd = reachesEnd
        response = exchange.response
        self.exchange = exchange
        self.position = position
        self.end = end
        self.prefixLimit = prefixLimit
        prefix = position == 0 && prefixLimit > 0 ? Data() : nil
    }

    deinit { exchange.close() }

    /// Whether a range can be read from here by skipping at most `gap` bytes.
    func canDeliver(_ range: Range<Int64>, gap: Int64) -> Bool {
        if !reachesEnd, let end, range.upperBound > end { return false }
        if range.lowerBound < position || isAtEnd { return prefix != nil }
        return range.lowerBound - position <= gap
    }

    func close() { exchange.close() }

    /// Reads at most `count` bytes; none at the end.
    func next(_ count: Int) throws(HTTPError) -> Data {
        let allowed = end.map { Int(clamping: min(Int64(clamping: count), $0 - position)) } ?? count
        guard !isAtEnd, allowed > 0 else {
            isAtEnd = isAtEnd || end == position
            return Data()
        }
        let bytes: Data
        switch exchange.read(upTo: allowed) {
        case .success(let read): bytes = read
        case .failure(let error): throw error
        }
        guard !bytes.isEmpty else {
            if let end, position < end {
                let error = HTTPError(
                    .incompleteBody, "The answer ended at byte \(position) of \(end).", subject: response.url)
                throw error
            }
            isAtEnd = true
            return bytes
        }
        position += Int64(bytes.count)
        if position == end { isAtEnd = true }
        if let kept = prefix {
            prefix = Int64(kept.count + bytes.count) <= prefixLimit ? kept + bytes : nil
        }
        return bytes
    }

    /// Reads and discards the bytes up to `start`.
    func skip(to start: Int64) throws(HTTPError) {
        while position < start, try !next(Int(clamping: min(start - position, 64 << 10))).isEmpty {}
    }
}
