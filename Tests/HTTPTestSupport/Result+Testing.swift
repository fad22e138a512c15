extension Result {
    /// The error, nil if there is none.
    public var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
