/// Formats sizes in powers of 1000, as used for storage.
package enum ByteCount {
    /// A size such as `1.2 MB`, `340 kB` or `12 B`.
    package static func text(_ bytes: UInt64) -> String {
        if bytes < 1000 { return "\(bytes) B" }
        var value = Double(bytes)
        for unit in ["kB", "MB", "GB", "TB"] {
            value /= 1000
            if value < 999.5 || unit == "TB" {
                return value < 9.95 ? "\(tenths(value)) \(unit)" : "\(Int(value.rounded())) \(unit)"
            }
        }
        return "\(bytes) B"
    }

    private static func tenths(_ value: Double) -> String {
        let scaled = Int((value * 10).rounded())
        return "\(scaled / 10).\(scaled % 10)"
    }
}
