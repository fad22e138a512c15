import Archives
import DeviceTransport
import Diagnostics
import Fetching
import HostErrors
import Publications

// The errors of the layers that look into files. Where one of them only passes on what the device or the host said, that
// is what counts.

extension Failure where Code == HostErrorCode {
    /// The host's form of an error of reading bytes.
    package init(_ error: ByteSourceError) {
        if let below = error.underlying.flatMap(Self.passedOn) {
            self = below
            return
        }
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .forbidden: .accessRefused
            case .cancelled: .cancelled
            default: .hostIO
            }
        self.init(code, error)
        isRetryable = error.code == .unavailable
        // The message is the system's own text for the number.
        native = nil
    }

    /// The host's form of an error of an archive.
    package init(_ error: ArchiveError, about name: String? = nil) {
        if error.code == .unreadable, let below = error.underlying.flatMap(Self.passedOn) {
            self = below
            return
        }
        let code: Code =
            switch error.code {
            case .notAnArchive: .unsupportedFormat
            case .unsupported, .encrypted: .notSupported
            case .notFound: .notFound
            case .unreadable, .closed: .hostIO
            default: .damaged
            }
        self = HostError(code, error).about(name)
    }

    /// The host's form of an error of a resource.
    package init(_ error: ResourceError, subject: String?) {
        if let below = error.cause.flatMap(Self.passedOn) {
            self = below
            return
        }
        let (code, message): (Code, String) =
            switch error {
            case .badRequest: (.invalidArgument, "The request is invalid.")
            case .notFound: (.notFound, "No such resource.")
            case .forbidden: (.accessRefused, "Access to the resource was denied.")
            case .unavailable: (.hostIO, "The resource is currently unavailable.")
            case .cancelled: (.cancelled, "Reading was cancelled.")
            case .other: (.hostIO, "Cannot read the resource.")
            }
        switch error.cause {
        case let cause as HTTPError: self.init(cause.code == .timedOut ? .timedOut : code, cause)
        case let cause as RequestProblem: self.init(code, cause.message, subject: subject ?? cause.subject)
        case let cause as any CodedFailure: self = HostError(code, cause).about(subject)
        default: self.init(code, message, subject: subject)
        }
        isRetryable = error.isTemporary
        // A message about HTTP names the status already.
        native = nil
        underlying = error
    }

    /// The host's form of an error of reading a publication.
    package init(_ error: PublicationError) {
        if error.code == .unreadable, let below = error.underlying.flatMap(Self.passedOn) {
            self = below
            return
        }
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .unsupportedFormat: .unsupportedFormat
            case .encrypted: .notSupported
            case .unreadable: .hostIO
            default: .damaged
            }
        self.init(code, error)
    }

    /// The error of the layer that failed first, if the one above only passed it on.
    private static func passedOn(_ error: any Error) -> HostError? {
        switch error {
        case let error as HostError: error
        case let error as TransportError: HostError(error)
        case let error as ByteSourceError: HostError(error)
        case let error as ArchiveError: HostError(error)
        case let error as ResourceError: HostError(error, subject: nil)
        default: nil
        }
    }
}
