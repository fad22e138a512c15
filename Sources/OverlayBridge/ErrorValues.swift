import OverlayABI

/// The values of an `ovl_error`, which host and kit convert into their own errors.
package struct ErrorValues {
    /// The `OVL_…` status.
    package var status: ovl_status
    /// The sentence for the user; nil if the record has none.
    package var message: String?
    /// What the error is about; nil if the record does not say it.
    package var subject: String?
    /// What the user can do; nil if the record does not say it.
    package var hint: String?
    /// The bits of `OVL_HINT_MASK`: the kind of help that the hint gives; 0 for none.
    package var hintKind: UInt32
    /// The `OVL_DOMAIN_…` of the native code.
    package var domain: Int32
    /// The code of the failed library or app; 0 if there is none.
    package var nativeCode: Int64
    /// Whether the same call may succeed if it is tried again.
    package var isRetryable: Bool

    /// Creates values.
    package init(
        status: ovl_status, message: String?, subject: String?, hint: String?, hintKind: UInt32,
        domain: Int32, nativeCode: Int64, isRetryable: Bool
    ) {
        self.status = status
        self.message = message
        self.subject = subject
        self.hint = hint
        self.hintKind = hintKind
        self.domain = domain
        self.nativeCode = nativeCode
        self.isRetryable = isRetryable
    }

    /// Copies the values of a record.
    ///
    /// Bytes that are not UTF-8 are replaced, because a damaged error is more useful than an error about an error.
    /// - Parameter limit: the number of bytes of each text that are kept.
    package init(_ record: ovl_error, limit: Int) {
        self.init(
            status: record.status, message: record.message.repaired(limit: limit),
            subject: record.subject.repaired(limit: limit), hint: record.hint.repaired(limit: limit),
            hintKind: record.flags & OVL_HINT_MASK, domain: record.domain, nativeCode: record.native_code,
            isRetryable: record.flags & OVL_ERROR_RETRYABLE != 0)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_error {
        var record = ovl_error.sized()
        record.flags = (isRetryable ? OVL_ERROR_RETRYABLE : 0) | hintKind & OVL_HINT_MASK
        record.status = status
        record.domain = domain
        record.native_code = nativeCode
        record.message = arena.text(message)
        record.subject = arena.text(subject)
        record.hint = arena.text(hint)
        return record
    }
}
