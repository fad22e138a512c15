import OverlayKitTesting
import OverlayKit
import Testing

@testable import BookFolders

@Suite("Names that look the same are one name, and each file keeps the bytes that the device listed")
struct SpellingTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }
    private let composed = "Caf\u{E9}"
    private let decomposed = "Cafe\u{301}"

    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("A name is found by its bytes, else by the only other spelling; the table keeps both apart")
    func table() {
        var table = NameTable(["\(composed) 1", "\(composed) 2", "\(decomposed) 2"], by: { $0 })
        #expect(bytes([table["\(decomposed) 1"] ?? ""]) == bytes(["\(composed) 1"]))
        #expect(bytes([table["\(composed) 2"] ?? ""]) == bytes(["\(composed) 2"]))
        #expect(bytes([table["\(decomposed) 2"] ?? ""]) == bytes(["\(decomposed) 2"]))
        #expect(table["Cafe 2"] == nil && !table.contains("Cafe 2"))
        let third = NameTable(["e\u{323}\u{302}", "\u{1EB9}\u{302}"], by: { $0 })
        #expect(third["\u{1EC7}"] == nil && third.contains("\u{1EC7}"))
        table["\(composed) 2"] = nil
        #expect(bytes([table["\(composed) 2"] ?? ""]) == bytes(["\(decomposed) 2"]))
        #expect(table.values.count == 2)
        table["\(composed) 2"] = nil
        #expect(bytes([table["\(composed) 2"] ?? ""]) == bytes(["\(decomposed) 2"]))
    }

    @Test("A book goes into the folder whose name looks like the collection's, without a remark")
    func collection() throws {
        host.put("\(decomposed)/b.epub", bookText("B"))
        host.put("a.epub", bookText("A", filler: "1"))
        let rows = try bench.sync { books in
            for index in books.indices where books[index].path == "a.epub" {
                books[index].collections = [composed]
            }
        }
        #expect(rows.map(\.outcome) == [.updated])
        #expect(rows.map(\.message) == [nil])
        #expect(bytes(host.documents) == bytes(["\(decomposed)/a.epub", "\(decomposed)/b.epub"]))
    }

    @Test("An upload goes into the folder whose name looks like the collection's, without a remark")
    func uploadedCollection() throws {
        host.put("\(decomposed)/b.epub", bookText("B"))
        let item = host.item("a.epub", bookText("A", filler: "1"), title: "A")
        let (rows, _) = try bench.upload([item], UploadOptions(collections: [composed]))
        #expect(rows.map(\.outcome) == [.added])
        #expect(rows.map(\.message) == [nil])
        #expect(bytes(host.documents) == bytes(["\(decomposed)/A.epub", "\(decomposed)/b.epub"]))
    }

    @Test("A title or a collection that looks like the present one is not a change")
    func unchanged() throws {
        host.put("\(decomposed)/\(decomposed).epub", bookText(decomposed))
        let rows = try bench.sync {
            $0[0].title = composed
            $0[0].collections = [composed]
        }
        #expect(rows.isEmpty)
        #expect(!host.operations.contains { $0.hasPrefix("rename") })
        #expect(bytes(host.documents) == bytes(["\(decomposed)/\(decomposed).epub"]))
    }

    @Test("A file that was sent is known where the device lists its name decomposed, and is not sent twice")
    func sent() throws {
        host.files.isDecomposing = true
        let item = host.item("1.epub", bookText(composed, ["A"]), title: composed, authors: ["A"])
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.added])
        #expect(bytes(host.documents) == bytes(["\(decomposed).epub"]))
        host.resetCounts()
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.skipped])
        #expect(host.bytesRead == 0)
        #expect(bytes(try bench.books().compactMap(\.path)) == bytes(["\(decomposed).epub"]))
        host.resetCounts()
        #expect(try bench.upload([item]).rows.map(\.outcome) == [.skipped])
        #expect(try bench.books().map(\.title) == [composed])
        #expect(host.bytesRead == 0)
    }

    @Test("A folder that was made goes with its last book where the device lists its name decomposed")
    func madeFolder() throws {
        (host.files.isDecomposing, host.folders.isDecomposing) = (true, true)
        let item = host.item("1.epub", bookText("A"), title: "A")
        #expect(try bench.upload([item], UploadOptions(collections: [composed])).error == nil)
        #expect(bytes(host.documents) == bytes(["\(decomposed)/A.epub"]))
        #expect(try bench.delete(["\(decomposed)/A.epub"]).rows.map(\.outcome) == [.deleted])
        #expect(host.folders == ["/Documents"])
        // The folder is forgotten: one that a person makes under the name stays.
        host.put("\(decomposed)/mine.epub", bookText("Mine"))
        #expect(try bench.delete(["\(decomposed)/mine.epub"]).error == nil)
        #expect(host.folders.contains("/Documents/\(composed)"))
    }

    @Test("Each of thousands of names that look the same is found by its own bytes")
    func manySpellings() {
        // Marks of different combining classes look the same in any order.
        let names = orders(["\u{327}", "\u{323}", "\u{301}", "\u{345}", "\u{31B}", "\u{35C}", "\u{5B0}"])
            .map { "a" + $0.joined() }
        #expect(Set(names).count == 1 && names.count == 5040)
        var table = NameTable(names.enumerated()) { $0.element }
        #expect(names.enumerated().allSatisfy { table[$0.element]?.offset == $0.offset })
        #expect(table["a\u{5B0}"] == nil && table.values.count == names.count)
        for name in names.dropLast() { table[name] = nil }
        #expect(table[names[0]]?.offset == names.count - 1)
        table[names[names.count - 1]] = nil
        #expect(table.values.isEmpty && !table.contains(names[0]))
    }

    private func orders(_ marks: [String]) -> [[String]] {
        guard !marks.isEmpty else { return [[]] }
        return marks.indices.flatMap { place in
            var rest = marks
            let mark = rest.remove(at: place)
            return orders(rest).map { [mark] + $0 }
        }
    }

    @Test("Values of a file from elsewhere count under the other spelling of its path")
    func known() throws {
        let content = bookText("Inner")
        host.put("\(decomposed).pdf", content)
        let known = ShelfOptions.KnownBook(size: UInt64(content.utf8.count), book: Book(title: "Edited"))
        let path = try #require(ShelfPath("\(composed).pdf"))
        bench.options.known = { () throws(OverlayError) in [path: known] }
        #expect(try bench.books().map(\.title) == ["Edited"])
    }
}
