import Diagnostics
import OverlayABI

/// Checks the time limits in a descriptor.
enum TimeLimitReader {
    /// Reads the limits by function name, and the names of functions that this host does not know, whose limits have no
    /// effect.
    static func read(
        _ list: ovl_list
    ) throws(OverlayRefusal) -> (limits: [String: MethodLimits], unknown: [String]) {
        guard list.count > 0 else { return ([:], []) }
        guard let items = list.items else {
            throw invalid("In its descriptor, time_limits has a count of \(list.count) but no records.")
        }
        guard list.count <= UInt64(DescriptorReader.Most.list) else {
            throw invalid(
                "In its descriptor, time_limits has \(list.count) records; at most "
                    + "\(DescriptorReader.Most.list) are allowed.")
        }
        let needed = ovl_time_limit.smallest
        guard list.stride >= UInt64(needed), list.stride % 8 == 0, list.stride <= 1 << 16 else {
            throw OverlayRefusal(
                .structTooSmall,
                "Its time_limits are \(list.stride) bytes apart; version 1.3 of the overlay ABI needs \(needed), in steps of 8.",
                hint: "stride must be sizeof(ovl_time_limit).")
        }
        var seen: Set<String> = []
        var limits: [String: MethodLimits] = [:]
        var unknown: [String] = []
        for index in 0..<Int(list.count) {
            let record = try EntryReader.record(
                items + index * Int(list.stride), as: ovl_time_limit.self)
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
