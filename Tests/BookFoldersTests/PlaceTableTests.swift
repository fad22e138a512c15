import Testing

@testable import BookFolders

@Suite("Places are found by keys that the table does not keep")
struct PlaceTableTests {
    @Test("Every key finds its places in their order, however many there are")
    func places() {
        var table = PlaceTable()
        #expect(table.places(of: "none").isEmpty)
        let keys = (0..<5_000).map { "name \($0 % 2_000)" }
        for (place, key) in keys.enumerated() { table.insert(key, at: place) }
        for number in 0..<2_000 {
            let key = "name \(number)"
            // Another key may have the same hash.
            let found = table.places(of: key).filter { keys[$0] == key }
            #expect(found == Array(stride(from: number, to: 5_000, by: 2_000)))
        }
        let strangers = (0..<1_000).flatMap { table.places(of: "other \($0)") }
        #expect(strangers.count < 10)
    }
}
