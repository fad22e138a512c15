/// Finds the word somebody probably meant.
enum EditDistance {
    /// The candidate nearest to `word`, if it is near enough to be a slip of the fingers.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        return candidates.map { ($0, distance(word, $0)) }.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        var table = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for row in 0...a.count { table[row][0] = row }
        for column in 0...b.count { table[0][column] = column }
        for row in a.indices {
            for column in b.indices {
                let replaced = table[row][column] + (a[row] == b[column] ? 0 : 1)
                var best = min(replaced, table[row][column + 1] + 1, table[row + 1][column] + 1)
                if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
                    best = min(best, table[row - 1][column - 1] + 1)
                }
                table[row + 1][column + 1] = best
            }
        }
        return table[a.count][b.count]
    }
}
