import OverlayABI
import OverlayBridge

extension OverlayError {
    /// Copies a record. Bytes that are not UTF-8 are replaced, because a damaged error is more useful than an error
    /// about an error.
    package init(_ record: ovl_error) {
        self.init(
            OverlayStatus(rawValue: record.status), record.message.repaired ?? "",
            subject: record.subject.repaired, hint: record.hint.repaired,
            hintKind: HintKind(flags: record.flags), domain: ErrorDomain(rawValue: record.domain),
            nativeCode: record.native_code,
            retryable: record.flags & OVL_ERROR_RETRYABLE != 0)
    }

    /// Creates the error of a row in a batch. The status of the row is used instead of the one in the record, which
    /// may be missing.
    init(ofRow status: ovl_status, _ record: UnsafePointer<ovl_error>?) {
        let status = OverlayStatus(rawValue: status)
        guard let record else {
            self.init(status, status == .notFound ? "It does not exist." : "Cannot read the file.")
            return
        }
        do throws(OverlayError) {
            self.init(try ovl_error.copy(required: record))
        } catch {
            self = error
        }
        self.status = status
    }

    /// The error with a subject, unless it already has one.
    func about(_ subject: String?) -> OverlayError {
        var error = self
        error.subject = self.subject ?? subject
        return error
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_error {
        var record = ovl_error.sized()
        record.flags = (retryable ? OVL_ERROR_RETRYABLE : 0) | HintKind.flags(hintKind)
        record.status = status.rawValue
        record.domain = domain.rawValue
        record.native_code = nativeCode
        record.message = arena.text(message)
        record.subject = arena.text(subject)
        record.hint = arena.text(hint)
        return record
    }

    /// Puts the error into the sink of a foreign caller. The sink may be null, too small, or without a function.
    package func put(into sink: UnsafePointer<ovl_error_sink>) {
        guard let sink = UnsafeRawPointer(bitPattern: UInt(bitPattern: sink)) else { return }
        let known: ovl_error_sink
        do throws(OverlayError) {
            known = try ovl_error_sink.copy(from: sink)
        } catch {
            // A sink with an invalid size cannot receive the error. The caller still gets the status.
            return
        }
        guard let put = known.put else { return }
        let arena = Arena()
        var record = record(in: arena)
        withExtendedLifetime(arena) { put(known.ctx, &record) }
    }
}

extension ovl_text {
    /// A copy of the text in which U+FFFD replaces bytes that are not UTF-8; nil if the text is absent.
    fileprivate var repaired: String? {
        guard let data, size <= UInt64(Int.max) else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: data, count: Int(size)), as: UTF8.self)
    }
}
