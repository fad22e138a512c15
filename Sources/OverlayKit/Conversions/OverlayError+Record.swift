import OverlayABI
import OverlayBridge

extension OverlayError {
    /// Copies a record.
    package init(_ record: ovl_error) {
        let values = ErrorValues(record, limit: .max)
        self.init(
            OverlayStatus(rawValue: values.status), values.message ?? "", subject: values.subject,
            hint: values.hint, hintKind: HintKind(flags: values.hintKind),
            domain: ErrorDomain(rawValue: values.domain), nativeCode: values.nativeCode,
            retryable: values.isRetryable)
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
        ErrorValues(
            status: status.rawValue, message: message, subject: subject, hint: hint,
            hintKind: HintKind.flags(hintKind), domain: domain.rawValue, nativeCode: nativeCode,
            isRetryable: retryable
        ).record(in: arena)
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
