/// Which of many points a fault is tried at: the first ones, then fewer and fewer, and the last.
enum FaultPoints {
    /// At most `most` of the numbers from 1 to `count`, always the same ones.
    static func chosen(of count: Int, most: Int) -> [Int] {
        guard count > most else { return count > 0 ? Array(1...count) : [] }
        guard most > 1 else { return most == 1 ? [1] : [] }
        var points: Set<Int> = []
        for step in 0..<most {
            // Squares: half of the points lie in the first quarter.
            points.insert(1 + (count - 1) * step * step / ((most - 1) * (most - 1)))
        }
        return points.sorted()
    }

    /// At most `most` of the numbers from 1 to `count`, evenly spread and neither the first nor the last.
    static func spread(over count: Int, most: Int) -> [Int] {
        guard count > 0, most > 0 else { return [] }
        return Set((1...most).map { max(1, count * $0 / (most + 1)) }).sorted()
    }
}
