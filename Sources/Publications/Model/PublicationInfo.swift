import Formats

/// What was read of a publication.
public struct PublicationInfo: Sendable {
    /// The format it was read as.
    public var format: MediaType
    /// What it says about itself.
    public var metadata: PublicationMetadata
    /// Its cover, if it has one that was found; its bytes are not read yet.
    public var cover: Cover?
    /// What could not be read, in the order it was met; empty for a sound publication.
    public var shortcomings: [Shortcoming]

    /// What was read of a publication.
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
    /// Lets the file's name stand in for a missing title, and says so.
    mutating func completeTitle(from input: PublicationInput) {
        guard metadata.title == nil else { return }
        metadata.title = input.nameWithoutExtension
        let message =
            metadata.title == nil
            ? "There is no title." : "There is no title; using the file name instead."
        shortcomings.append(Shortcoming(.missingTitle, subject: "title", message: message))
    }
}
