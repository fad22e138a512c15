import OverlayABI

/// The time limits of a function of an overlay.
///
/// ```swift
/// func printLimits(_ overlay: LoadedOverlay) {
///     for (method, limits) in overlay.descriptor.timeLimits {
///         print(method, limits.total.map { "\($0)" } ?? "unlimited", limits.silence)
///     }
/// }
/// ```
public struct MethodLimits: Sendable, Equatable {
    /// The limit from the call to the return; nil if there is none.
    public var total: Duration?
    /// The limit without a call to the host.
    public var silence: Duration

    /// Creates limits.
    public init(total: Duration?, silence: Duration) {
        self.total = total
        self.silence = silence
    }

    /// The longest silence that an overlay can request.
    package static let longestSilence = Duration.seconds(600)

    /// The limits in the table of signatures for the functions of an overlay, by name.
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

    /// Methods whose limits an overlay cannot extend, because a user who unplugs a device or ends a program does not
    /// wait.
    package static let fixed: Set<String> = ["shutdown", "post_yank_cleanup", "destroy"]
}

extension OverlayDescription {
    /// The limits of a function: those in the descriptor, or otherwise the defaults.
    package func limits(of method: String) -> MethodLimits {
        timeLimits[method] ?? MethodLimits.usual[method]
            ?? MethodLimits(total: nil, silence: MethodLimits.longestSilence)
    }
}
