import Diagnostics
import OverlayABI

/// Checks the time limits in a descriptor.
enum TimeLimitReader {
    /// Reads the limits by function name, and the names of functions that this host does not know, whose limits have no
    /// effect.
    static func read(
        _ list: ovl_list
    ) throws(OverlayRefusal) -> (limits: [String: MethodLimits], unknown: [String]) {
        var seen: Set<String> = []
        var limits: [String: MethodLimits] = [:]
        var unknown: [String] = []
        for record in try DescriptorReader.records(list, of: ovl_time_limit.self, "time_limits", .timeLimits)
        {
            let method = try DescriptorReader.required(record.method, "the method of a time limit")
            guard seen.insert(method).inserted else {
                throw invalid("In its descriptor, time_limits names \(method) twice.")
            }
            guard let usual = MethodLimits.usual[method] else {
                unknown.append(method)
                continue
            }
            limits[method] = limit(record, usual, isFixed: MethodLimits.fixed.contains(method))
        }
        return (limits, unknown)
    }

    private static func limit(_ record: ovl_time_limit, _ usual: MethodLimits, isFixed: Bool) -> MethodLimits
    {
        var limits = usual
        if record.total == .max {
            limits.total = nil
        } else if record.total > 0 {
            limits.total = .nanoseconds(Int64(clamping: record.total))
        }
        if record.silence > 0 {
            limits.silence = min(.nanoseconds(Int64(clamping: record.silence)), MethodLimits.longestSilence)
        }
        guard isFixed else { return limits }
        limits.total = limits.total.map { min($0, usual.total ?? $0) } ?? usual.total
        limits.silence = min(limits.silence, usual.silence)
        return limits
    }

    private static func invalid(_ message: String) -> OverlayRefusal {
        DescriptorReader.invalid(.timeLimits, message)
    }
}
