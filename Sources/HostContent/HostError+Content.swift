import Archives
import DeviceTransport
import Diagnostics
import Fetching
import HostErrors
import Publications

// Converts errors of the layers that read files. If such a layer only passes on an error of the device or the host,
// that error is used.

extension Failure where Code == HostErrorCode {
    /// Converts an error of a byte source.
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
        // The message already contains the system's text for the number.
        native = nil
    }

    /// Converts an error of an archive.
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

    /// Converts an error of a resource.
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
        // A message about HTTP already contains the status.
        native = nil
        underlying = error
    }

    /// Converts an error of a publication.
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

    /// The error of the layer that failed first, if the layer above only passed it on.
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
