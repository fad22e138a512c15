import DeviceDatabases

extension DatabaseRow {
    /// Whether a flag is set: any number but 0.
    func flag(_ column: Int32) throws(DatabaseFailure) -> Bool {
        guard let number = try number(column) else { return false }
        return number != 0
    }

    /// Whether the library says something there that is no number, and so is not understood.
    func isStrange(_ column: Int32) throws(DatabaseFailure) -> Bool {
        guard try number(column) == nil, size(column) > 0 else { return false }
        guard size(column) <= 64, let text = try text(column) else { return true }
        return !text.trimmingSpaces.isEmpty
    }
}
