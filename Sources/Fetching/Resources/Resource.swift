import FoundationEssentials
import JSON

/// The bytes of one link (Readium's composite fetcher proposal).
///
/// Making one costs nothing and never fails; every failure shows when it is used. Any thread may call any member at any time,
/// and calls that read may block: keep them off user-interface threads.
///
/// ```swift
/// let cover = ArchiveFetcher(path: "/books/emma.epub").get(href: "/cover.jpg")
/// print(try cover.length.get(), try cover.read(range: 0..<3).get())
/// cover.close()
/// ```
public protocol Resource: Sendable {
    /// The link it came from, enriched by what is known without reading. Never fails.
    var link: Link { get }

    /// How many bytes there are, from metadata where possible. A hint: the truth is known after reading everything.
    var length: Result<Int64, ResourceError> { get }

    /// The bytes of a range, nil for all; a new read starts from the beginning, never where another ended.
    ///
    /// Bounds outside are clamped: a range at or behind the end, or an empty one, gives no bytes and succeeds. A missing
    /// resource fails also for an empty range.
    func read(range: Range<Int64>?) -> Result<Data, ResourceError>

    /// The whole content as text: in the encoding given, else the `charset` of the link's type, else UTF-8.
    ///
    /// A byte order mark wins and is removed. Bytes that are not valid in the encoding are an error, not a loss.
    func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError>

    /// The local file that has exactly these bytes, nil if there is none.
    var file: URL? { get }

    /// Delivers a range, nil for all, in pieces and in order; returns how many bytes were delivered.
    ///
    /// `consume`: takes a piece, which is never empty, and returns whether it wants more.
    func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError>

    /// Closes what is open. Later reads fail with `unavailable`; a second call does nothing.
    func close()
}

extension Resource {
    /// The error type by its name in the proposal.
    public typealias Error = ResourceError

    /// All bytes.
    public func read() -> Result<Data, ResourceError> { read(range: nil) }

    /// The whole content as text, in the encoding that the link's type names, else UTF-8.
    public func readAsString() -> Result<String, ResourceError> { readAsString(encoding: nil) }

    /// Decodes what `read` gives.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        read(range: nil).flatMap { data in
            TextDecoding.text(data, encoding: encoding, charset: link.mediaType.parameters["charset"])
        }
    }

    /// No local file.
    public var file: URL? { nil }
}

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

extension Resource {
    /// The whole content as JSON; text that is not JSON is `other`.
    public func readAsJSON() -> Result<JSONValue, ResourceError> {
        read(range: nil).flatMap { data in
            do throws(JSONSyntaxError) {
                return .success(try JSONValue(parsingDocument: Array(data)))
            } catch {
                return .failure(.other(error))
            }
        }
    }
}
