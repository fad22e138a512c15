import OverlayABI

/// How long one function of an overlay may take.
public struct MethodLimits: Sendable, Equatable {
    /// From its call to its return; nil: any time.
    public var total: Duration?
    /// Without calling anything of its host.
    public var silence: Duration

    /// Limits.
    public init(total: Duration?, silence: Duration) {
        self.total = total
        self.silence = silence
    }

    /// The longest silence that an overlay can ask for.
    package static let longestSilence = Duration.seconds(600)

    /// What the table of signatures gives for the functions of an overlay, by their names.
    package static let usual: [String: MethodLimits] = {
        var limits: [String: MethodLimits] = [:]
        var count: UInt32 = 0
        let records = ovl_signatures_v1(&count)
        for record in (0..<Int(count)).map({ records[$0].pointee }) {
            for index in 0..<Int(record.field_count) {
                guard let function = record.fields[index].function?.pointee, function.silence_limit > 0 else {
                    continue
                }
                limits[String(cString: function.name)] = MethodLimits(
                    total: function.total_limit == 0 ? nil : .seconds(Int(function.total_limit)),
                    silence: .seconds(Int(function.silence_limit)))
            }
        }
        return limits
    }()

    /// Methods with limits that an overlay cannot prolong, because a person who unplugs a device or ends a program does not wait.
    package static let fixed: Set<String> = ["shutdown", "post_yank_cleanup", "destroy"]
}

extension OverlayDescription {
    /// How long a function may take: what the descriptor says, else what is usual.
    package func limits(of method: String) -> MethodLimits {
        timeLimits[method] ?? MethodLimits.usual[method]
            ?? MethodLimits(total: nil, silence: MethodLimits.longestSilence)
    }
}
