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

    /// Reads `a`, `a.b` or `a.b.c`; what is missing or no number counts as 0.
    package init(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        self.init(numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    package static func < (left: IOSVersion, right: IOSVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}
