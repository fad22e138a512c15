import FoundationEssentials

/// A resource of which everything fails with one error. `close()` does nothing.
public struct FailureResource: Resource {
    /// The link that was asked for.
    public let link: Link
    /// What everything fails with.
    public let error: ResourceError

    /// A resource that fails.
    public init(link: Link, error: ResourceError) {
        self.link = link
        self.error = error
    }

    /// Fails.
    public var length: Result<Int64, ResourceError> { .failure(error) }

    /// Fails.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { .failure(error) }

    /// Fails.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> { .failure(error) }

    /// Does nothing.
    public func close() {}
}
