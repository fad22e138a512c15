import Testing

@testable import OverlayHost

@Suite("PDF files are fetched together")
struct PDFBatchTests {
    private func counts(_ sizes: [UInt64?]) -> [Int] {
        let books = sizes.enumerated().map { place, size in
            var book = BookRecord(path: "/\(place)")
            book.size = size
            return book
        }
        var counts: [Int] = []
        var start = 0
        while start < books.count {
            let batch = PDFBooks.batch(of: books, from: start)
            #expect(batch.map(\.path) == books[start...].prefix(batch.count).map(\.path))
            guard !batch.isEmpty else { return counts }
            counts.append(batch.count)
            start += batch.count
        }
        return counts
    }

    @Test("A batch has few and small files, and a file of unknown size is alone")
    func batches() {
        let half = PDFBooks.bytesTogether / 2
        #expect(counts([]) == [])
        #expect(counts(Array(repeating: 1, count: 40)) == [16, 16, 8])
        #expect(counts([half, half, 1]) == [2, 1])
        #expect(counts([1, half * 4, 1]) == [1, 1, 1])
        #expect(counts([1, nil, nil, 1, 1]) == [1, 1, 1, 2])
        #expect(counts([1, .max]) == [1, 1])
    }
}
