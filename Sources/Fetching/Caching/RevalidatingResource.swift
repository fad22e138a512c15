import FoundationEssentials

/// A resource that can be asked whether a version of it is still the current one; what a cache needs of its child to keep
/// what it delivered (fetcher reference, section 14.6).
public protocol RevalidatingResource: Resource {
    /// Asks for the whole content unless it is still the version of these validators; without any, asks for it anyway.
    ///
    /// A `modified` resource holds the answer that has begun: reading it from the start, once, asks nobody again.
    func revalidate(etag: String?, lastModified: String?) -> Revalidation

    /// Reads a range of the version that a strong entity tag names.
    func read(range: Range<Int64>, ifRange etag: String) -> RangeReply

    /// What a request would carry in a header field, for answers that vary by it. No I/O.
    func requestHeader(_ name: String) -> String?

    /// The length, if answers so far told it. No I/O.
    var knownLength: Int64? { get }
}

/// The answer to a conditional request for the whole.
public enum Revalidation: Sendable {
    /// It is that version; the link carries the metadata that came with the answer.
    case notModified(Link)
    /// It is another version, or none was named.
    case modified(any RevalidatingResource)
    /// It could not be asked.
    case failure(ResourceError)
}

/// The answer to a request for a range of one version.
public enum RangeReply: Sendable {
    /// Bytes of that version.
    case same(Data)
    /// It is another version now, from its start.
    case modified(any RevalidatingResource)
    /// It could not be read.
    case failure(ResourceError)
}
