import Platform

/// The identity of a device, derived from its settings, so that it is the same at every start.
struct DeviceIdentity {
    let settings: SimulatedDeviceSettings
    private let seed: UInt64

    init(_ settings: SimulatedDeviceSettings) {
        self.settings = settings
        seed = FNV1a.of(settings.udid.utf8)
    }

    var version: IOSVersion { IOSVersion(settings.iosVersion) }

    var deviceClass: String { String(settings.productType.prefix { $0.isLetter }) }

    /// The build, for example `13G36` for iOS 9.3. The number is the major version plus four; the letter depends on
    /// the minor version.
    var buildVersion: String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let letter = letters[min(max(version.minor, 0) * 2, letters.count - 1)]
        return "\(min(max(version.major, 0), 1000) + 4)\(letter)36"
    }

    var wifiAddress: String { address(shift: 0) }
    var bluetoothAddress: String { address(shift: 1) }

    var serialNumber: String {
        let digits = Array("0123456789CDFGHJKLMNPQRTVWXY")
        var rest = seed
        return String(
            (0..<12).map { _ in
                defer { rest /= UInt64(digits.count) }
                return digits[Int(rest % UInt64(digits.count))]
            })
    }

    var chipID: Int64 { Int64(seed >> 12) }

    /// A UUID in text form that is always the same for `name`.
    static func uuid(of name: String) -> String {
        let digits =
            Hex.text(FNV1a.of(name.utf8), uppercase: true)
            + Hex.text(FNV1a.of((name + "'").utf8), uppercase: true)
        let parts = [digits.prefix(8), digits.dropFirst(8).prefix(4), digits.dropFirst(12).prefix(4)]
        return (parts + [digits.dropFirst(16).prefix(4), digits.dropFirst(20)]).joined(separator: "-")
    }

    /// The first octet marks the address as locally administered, so that no real network card has it.
    private func address(shift: UInt64) -> String {
        let octets = (0..<5).map { UInt8(truncatingIfNeeded: (seed &+ shift) >> (8 * UInt64($0))) }
        return (["02"] + octets.map { Hex.text($0) })
            .joined(separator: ":")
    }
}

/// A version of iOS, compared by its numbers.
package struct IOSVersion: Sendable, Comparable {
    package var major: Int
    package var minor: Int
    package var patch: Int

    package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses `a`, `a.b` or `a.b.c`. Parts that are missing or not numbers count as 0.
    package init(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        self.init(numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    package static func < (left: IOSVersion, right: IOSVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}
