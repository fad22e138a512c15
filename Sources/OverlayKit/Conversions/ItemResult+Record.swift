import OverlayABI

extension ItemResult {
    /// A copy of a record.
    package init(_ record: ovl_item_result) throws(OverlayError) {
        guard let index = Int(exactly: record.index) else {
            throw .contractBroken("The index \(record.index) of a row is invalid.")
        }
        self.init(
            index: index, status: OverlayStatus(rawValue: record.status),
            outcome: Outcome(rawValue: record.outcome), path: try record.path.string("item_result.path"),
            message: try record.message.string("item_result.message"),
            hint: try record.hint.string("item_result.hint"),
            file: record.file == 0 ? nil : HostFile(rawValue: record.file),
            domain: ErrorDomain(rawValue: record.domain), nativeCode: record.native_code,
            retryable: record.flags & OVL_ERROR_RETRYABLE != 0)
    }

    /// A record with views into `arena`.
    ///
    /// - Throws: `invalidArgument` if the index is negative.
    package func record(in arena: Arena) throws(OverlayError) -> ovl_item_result {
        guard let index = UInt64(exactly: index) else {
            throw OverlayError(.invalidArgument, "The index \(index) of a row is negative.")
        }
        var record = ovl_item_result.sized()
        record.flags = retryable ? OVL_ERROR_RETRYABLE : 0
        record.index = index
        record.status = status.rawValue
        record.outcome = outcome.rawValue
        record.path = arena.text(path)
        record.message = arena.text(message)
        record.hint = arena.text(hint)
        record.file = file?.rawValue ?? 0
        record.domain = domain.rawValue
        record.native_code = nativeCode
        return record
    }
}
