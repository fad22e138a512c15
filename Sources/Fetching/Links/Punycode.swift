/// Converts the labels of a host to ASCII (RFC 3492, RFC 5891 without its tables of forbidden characters).
enum Punycode {
    /// A label in lower case, with `xn--` if it has non-ASCII characters. An ASCII label stays unchanged.
    static func label(_ label: Substring) -> String {
        guard label.utf8.contains(where: { $0 >= 0x80 }) else { return String(label) }
        return encoded(label.lowercased().unicodeScalars.map(\.value)).map { "xn--" + $0 } ?? String(label)
    }

    /// The encoded scalars; nil if the numbers exceed 32 bits, which does not happen for valid host names.
    private static func encoded(_ scalars: [UInt32]) -> String? {
        var output = scalars.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        let basicCount = UInt32(truncatingIfNeeded: output.count)
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var current: UInt32 = 128
        var delta: UInt32 = 0
        var bias: UInt32 = 72
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= current }).min() else { return nil }
            let (product, overflows) = (next - current).multipliedReportingOverflow(by: handled + 1)
            let (sum, overflowsToo) = delta.addingReportingOverflow(product)
            guard !overflows, !overflowsToo, sum < .max - UInt32(scalars.count) else { return nil }
            delta = sum
            current = next
            for scalar in scalars {
                if scalar < current { delta += 1 }
                guard scalar == current else { continue }
                appendNumber(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            current += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func appendNumber(_ number: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var rest = number
        var place: UInt32 = 36
        while true {
            let threshold = place <= bias ? 1 : min(26, place - bias)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            place += 36
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return value < 26 ? UInt8(ascii: "a") + value : UInt8(ascii: "0") + value - 26
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps: UInt32 = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
