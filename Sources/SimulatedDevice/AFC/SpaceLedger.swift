/// Free space of the simulated data volume: what the settings say, less what clients have stored since they said so.
struct SpaceLedger {
    private var base: UInt64 = 0
    private var used: Int64 = 0

    /// Bytes free now.
    mutating func free(of setting: UInt64) -> UInt64 {
        adopt(setting)
        let (free, overflow) = Int64(clamping: setting).subtractingReportingOverflow(used)
        return overflow ? 0 : UInt64(max(0, free))
    }

    /// Takes up to `count` bytes and returns how many there were.
    mutating func take(_ count: UInt64, of setting: UInt64) -> UInt64 {
        let granted = min(count, free(of: setting))
        used = used.addingReportingOverflow(Int64(clamping: granted)).partialValue
        return granted
    }

    /// Gives bytes back.
    mutating func giveBack(_ count: UInt64, of setting: UInt64) {
        adopt(setting)
        let (difference, overflow) = used.subtractingReportingOverflow(Int64(clamping: count))
        if !overflow { used = difference }
    }

    private mutating func adopt(_ setting: UInt64) {
        guard setting != base else { return }
        base = setting
        used = 0
    }
}
