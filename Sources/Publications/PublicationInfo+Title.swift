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
