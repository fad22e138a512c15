import FoundationEssentials

extension Resource {
    /// Reads 64 KiB at a time until the range or the content ends.
    public func stream(
        range: Range<Int64>?, consume: (Data) -> Bool
    ) -> Result<Int64, ResourceError> {
        let piece: Int64 = 64 << 10
        var position = max(0, range?.lowerBound ?? 0)
        let end = range?.upperBound ?? .max
        let start = position
        repeat {
            let next = position + min(piece, max(0, end - position))
            switch read(range: position..<max(position, next)) {
            case .failure(let error): return .failure(error)
            case .success(let data):
                if data.isEmpty { return .success(position - start) }
                position += Int64(data.count)
                if !consume(data) { return .success(position - start) }
            }
        } while position < end
        return .success(position - start)
    }
}
