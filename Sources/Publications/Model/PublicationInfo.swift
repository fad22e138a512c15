import Formats

/// The result of reading a publication.
public struct PublicationInfo: Sendable {
    /// The format that it was read as.
    public var format: MediaType
    /// The metadata that it states about itself.
    public var metadata: PublicationMetadata
    /// Its cover, if one was found. The bytes are not read yet.
    public var cover: Cover?
    /// The parts that could not be read, in the order they were found; empty for an intact publication.
    public var shortcomings: [Shortcoming]

    /// Creates a result from its parts.
    public init(
        format: MediaType, metadata: PublicationMetadata = PublicationMetadata(), cover: Cover? = nil,
        shortcomings: [Shortcoming] = []
    ) {
        self.format = format
        self.metadata = metadata
        self.cover = cover
        self.shortcomings = shortcomings
    }
}

extension PublicationInfo {
    /// Uses the file's name as the title if there is none, and adds a shortcoming that says so.
    mutating func completeTitle(from input: PublicationInput) {
        guard metadata.title == nil else { return }
        metadata.title = input.nameWithoutExtension
        let message =
            metadata.title == nil
            ? "There is no title." : "There is no title; using the file name instead."
        shortcomings.append(Shortcoming(.missingTitle, subject: "title", message: message))
    }
}
