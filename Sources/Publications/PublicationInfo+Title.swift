extension PublicationInfo {
    /// Lets the file's name stand in for a missing title, and says so.
    mutating func completeTitle(from input: PublicationInput) {
        guard metadata.title == nil else { return }
        metadata.title = input.nameWithoutExtension
        let message =
            metadata.title == nil
            ? "No title is stated." : "No title is stated; the file's name stands in for it."
        shortcomings.append(Shortcoming(.missingTitle, subject: "title", message: message))
    }
}
