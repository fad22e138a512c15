import FoundationEssentials
import JSON

/// The bytes of one link (Readium's composite fetcher proposal).
///
/// Creating a resource costs nothing and never fails; errors are reported when it is used. All members may be called
/// from any thread at any time. Calls that read may block, so do not make them on user interface threads.
///
/// ```swift
/// let cover = ArchiveFetcher(path: "/books/emma.epub").get(href: "/cover.jpg")
/// print(try cover.length.get(), try cover.read(range: 0..<3).get())
/// cover.close()
/// ```
public protocol Resource: Sendable {
    /// The link of the resource, enriched by information that is known without reading. Never fails.
    var link: Link { get }

    /// The length in bytes, from metadata if possible. It is a hint: the actual length is known only after reading
    /// everything.
    var length: Result<Int64, ResourceError> { get }

    /// Reads a range, or everything if nil. Each read is independent of earlier ones.
    ///
    /// Bounds are clamped: an empty range, or one at or after the end, returns no bytes and succeeds. A missing
    /// resource fails even for an empty range.
    func read(range: Range<Int64>?) -> Result<Data, ResourceError>

    /// Reads the complete content as text: in the given encoding, or else in the `charset` of the link's type, or
    /// else in UTF-8.
    ///
    /// A byte order mark takes precedence and is removed. Bytes that are invalid in the encoding are an error.
    func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError>

    /// The local file that has exactly these bytes; nil if there is none.
    var file: URL? { get }

    /// Delivers a range, or everything if nil, in pieces and in order. Returns the number of bytes delivered.
    ///
    /// `consume`: receives a piece, which is never empty, and returns whether to continue.
    func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError>

    /// Closes open handles. Later reads fail with `unavailable`; a second call does nothing.
    func close()
}

extension Resource {
    /// The error type, under its name in the proposal.
    public typealias Error = ResourceError

    /// Reads all bytes.
    public func read() -> Result<Data, ResourceError> { read(range: nil) }

    /// Reads the complete content as text, in the encoding that the link's type names, or else in UTF-8.
    public func readAsString() -> Result<String, ResourceError> { readAsString(encoding: nil) }

    /// Reads the bytes with `read` and decodes them.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        read(range: nil).flatMap { data in
            TextDecoding.text(data, encoding: encoding, charset: link.mediaType.parameters["charset"])
        }
    }

    /// Nil, because there is no local file.
    public var file: URL? { nil }
}

extension Resource {
    /// Reads in pieces of 64 KiB until the range or the content ends.
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
    /// Reads the complete content as JSON. Text that is not JSON is the error `other`.
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
