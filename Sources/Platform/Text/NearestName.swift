/// Finds the name that the user most likely meant.
package enum NearestName {
    /// The candidate with the fewest changed letters; nil if none is near enough. A third of the letters may differ,
    /// and one letter in a shorter name.
    package static func find(_ name: String, in candidates: [String]) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(128))
        let limit = max(1, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(128)))
            if distance <= limit, distance < (best?.distance ?? Int.max) { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var older: [Int] = []
        var previous = Array(0...b.count)
        for i in 0..<a.count {
            var current = [i + 1]
            for j in 0..<b.count {
                var cost = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, older[j - 1] + 1) }
                current.append(cost)
            }
            older = previous
            previous = current
        }
        return previous[b.count]
    }
}
