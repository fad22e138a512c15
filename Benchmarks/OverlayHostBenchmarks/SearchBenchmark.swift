import BookSearch
import Foundation

/// Builds and searches an index of a large library. Nothing waits, so processor time is measured.
struct SearchBenchmark {
    let books: Int

    private static let queries = [
        "qualomi", "author:velum", "title:the ren", "year:2001 tra", "\"con tra\"", "10.1000/7", "日本", "ka",
        "q", "the",
        "the OR ing OR con", "-the", "",
    ]
    private static let syllables = [
        "ka", "lo", "mi", "ren", "tos", "qua", "vel", "ist", "um", "pre", "con", "tra", "ble", "ing", "er",
        "an", "the", "or",
        "ph", "el",
    ]

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { BenchmarkDevice.remove(folder) }
        let entries = entries()
        let file = folder.appendingPathComponent("index.sqlite").path
        let index = try SearchIndex(file: file)
        var table = BenchmarkTable(
            "Searching \(books) books (medians of 7)", ["work", "books found", "processor ms"])
        func add(_ name: String, _ runs: Int, _ work: () throws -> Int) throws {
            var (found, samples) = (0, Samples())
            for _ in 0..<runs {
                samples.values.append(try Stopwatch.processorSeconds { found = try work() } * 1000)
            }
            table.add([name, "\(found)", BenchmarkTable.number(samples.median, 2)])
        }
        try add("make the index", 1) { try index.update(to: entries) }
        try add("compare it with unchanged books", 7) { try index.update(to: entries) }
        for query in Self.queries {
            try add("`\(query)`", 7) { try index.search(SearchQuery(query)).count }
        }
        table.print()
    }

    /// Bibliographic entries of made words, half of them with an abstract.
    private func entries() -> [SearchEntry] {
        var state: UInt64 = 88_172_645_463_325_252
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 33) % bound
        }
        let vocabulary = (0..<20_000).map { _ in
            (0...random(4)).map { _ in Self.syllables[random(Self.syllables.count)] }.joined()
        }
        // Few words are frequent, most are rare.
        func words(_ count: Int) -> String {
            (0..<count).map { _ in vocabulary[random(20_000) * random(100) / 100] }.joined(separator: " ")
        }
        return (0..<books).map { number in
            let texts: [SearchColumn: String] = [
                .title: words(9), .author: words(6), .container: words(4), .year: "\(1950 + number % 75)",
                .keywords: words(5), .identifiers: "10.1000/\(number)", .type: "application/pdf",
                .path: "/Documents/Papers/\(words(1))\(number).pdf",
                .notes: number % 2 == 0 ? words(80) : "",
                .other: number % 1000 == 7 ? "日本語の本" : "",
            ]
            return SearchEntry(id: "/Documents/Papers/\(number).pdf", stamp: UInt64(number)) { texts }
        }
    }
}
