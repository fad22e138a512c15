/// A version of Marvin as it writes it: up to three numbers, such as `2.5.64`.
struct MarvinVersion: Comparable, Sendable {
    var major: Int
    var minor: Int
    var patch: Int

    init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Reads as many numbers as there are; nil when there is none at the beginning. What follows the third is ignored.
    init?(_ text: String) {
        let parts = text.trimmingSpaces.split(separator: ".", omittingEmptySubsequences: false)
        var numbers: [Int] = []
        for part in parts.prefix(3) {
            let digits = part.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits) else { break }
            numbers.append(number)
            if digits.count != part.count { break }
        }
        guard let first = numbers.first else { return nil }
        self.init(first, numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    static func < (left: MarvinVersion, right: MarvinVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}
