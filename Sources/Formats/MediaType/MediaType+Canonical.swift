extension MediaType {
    /// The type of the known format that this type names by itself, so without aliases and parameters that say nothing; this
    /// type if no format is known.
    public var canonicalized: MediaType { Format.guessExtended(mediaTypes: [string])?.mediaType ?? self }
}
