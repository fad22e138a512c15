import OverlayABI

/// How long one function of an overlay may take, where that is not as usual; the Swift form of `ovl_time_limit`.
public struct OverlayTimeLimit: Hashable, Sendable {
    /// A limit of time.
    public enum Limit: Hashable, Sendable {
        /// What the manual of the contract gives.
        case usual
        /// Any time. Not for `silence`, where it means the longest that is allowed: ten minutes.
        case none
        /// At most so long.
        case within(Duration)

        fileprivate var nanoseconds: UInt64 {
            switch self {
            case .usual: return 0
            case .none: return .max
            case .within(let duration):
                let (seconds, attoseconds) = duration.components
                guard seconds >= 0, attoseconds >= 0 else { return 1 }
                let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
                return overflow ? .max : max(1, whole &+ UInt64(attoseconds / 1_000_000_000))
            }
        }

        fileprivate init(_ nanoseconds: UInt64) {
            switch nanoseconds {
            case 0: self = .usual
            case .max: self = .none
            default: self = .within(.nanoseconds(Int64(clamping: nanoseconds)))
            }
        }
    }

    /// The function's name in the C contract, such as `upload_books`.
    public var method: String
    /// From its call to its return.
    public var total: Limit
    /// How long it may compute without calling anything of the host.
    public var silence: Limit

    /// Limits for one function.
    public init(_ method: String, total: Limit = .usual, silence: Limit = .usual) {
        self.method = method
        self.total = total
        self.silence = silence
    }

    /// A copy of a record.
    package init(_ record: ovl_time_limit) throws(OverlayError) {
        self.init(
            try record.method.required("time_limit.method"), total: Limit(record.total),
            silence: Limit(record.silence))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_time_limit {
        var record = ovl_time_limit.sized()
        record.method = arena.text(method)
        record.total = total.nanoseconds
        record.silence = silence.nanoseconds
        return record
    }
}
