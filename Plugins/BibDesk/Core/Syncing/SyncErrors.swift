import Diagnostics
import BibliographySync
import OverlayKit

/// Calls a service of the host during a sync of bibliographies, and converts its errors.
func syncing<Value>(_ body: () throws(OverlayError) -> Value) throws(BibliographySyncError) -> Value {
    do throws(OverlayError) { return try body() } catch { throw BibliographySyncError(error) }
}

extension BibliographySyncError {
    /// Converts an error of a service. If nothing more can be done with the device, the result ends the run.
    init(_ error: OverlayError) {
        let code: BibliographySyncErrorCode =
            if error.endsTheCall {
                error.status == .cancelled ? .cancelled : .disconnected
            } else {
                switch error.status {
                case .changed: .changed
                case .notFound: .notFound
                case .noSpace: .noSpace
                default: .failed
                }
            }
        self.init(
            code, error.message, subject: error.subject, hint: error.hint, isRetryable: error.retryable,
            underlying: error)
    }
}

extension OverlayError {
    /// Converts an error of the sync; returns the service's error if that is the cause.
    init(_ error: BibliographySyncError) {
        if var below = error.underlying as? OverlayError {
            below.subject = error.subject ?? below.subject
            self = below
            return
        }
        let status: OverlayStatus =
            switch error.code {
            case .changed: .changed
            case .notFound: .notFound
            case .malformed, .damagedState: .damaged
            case .emptied, .tooManyDeletions: .needsConsent
            case .noSpace, .tooLarge: .noSpace
            case .cancelled: .cancelled
            case .disconnected: .deviceGone
            default: .failed
            }
        self.init(
            status, error.message, subject: error.subject, hint: error.hint,
            hintKind: error.hintCode == .consent ? .consent : nil, retryable: error.isRetryable)
    }
}
