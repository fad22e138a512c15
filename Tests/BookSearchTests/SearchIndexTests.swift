import BookSearch
import CSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An index is a cache")
struct SearchIndexTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("index.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func entry(_ id: String, _ title: String, stamp: UInt64 = 1) -> SearchEntry {
        SearchEntry(id: id, stamp: stamp) { [.title: title] }
    }

    private func found(_ query: String, in index: SearchIndex) throws -> [String] {
        try index.search(SearchQuery(query)).map(\.id)
    }

    @Test("Only what changed is indexed again, and what is gone is not found")
    func updates() throws {
        let index = try SearchIndex(file: path)
        #expect(try index.update(to: [entry("1", "Ørsted 日本"), entry("2", "Lima")]) == 2)
        let unchanged = SearchEntry(id: "2", stamp: 1) {
            Issue.record("The texts of an unchanged book are asked for.")
            return [:]
        }
        #expect(try index.update(to: [entry("1", "New", stamp: 2), unchanged]) == 1)
        #expect(try found("orsted", in: index) == [])
        #expect(try found("日本", in: index) == [])
        #expect(try found("new", in: index) == ["1"])
        #expect(try index.update(to: [entry("1", "New", stamp: 2)]) == 1)
        #expect(try found("lima", in: index) == [])
        #expect(try found("", in: index) == ["1"])
        #expect(try index.update(to: []) == 1)
        #expect(try found("", in: index) == [])
    }

    @Test("Ids are distinguished byte by byte, and the last of two equal ids counts")
    func ids() throws {
        let index = try SearchIndex(file: nil)
        try index.update(to: [entry("e\u{301}", "One"), entry("é", "Other")])
        #expect(try index.search(SearchQuery("one")).map { Array($0.id.utf8) } == [Array("e\u{301}".utf8)])
        #expect(try index.search(SearchQuery("other")).map { Array($0.id.utf8) } == [Array("é".utf8)])
        try index.update(to: [entry("1", "First"), entry("1", "Second", stamp: 2)])
        #expect(try found("first", in: index) == [])
        #expect(try found("second", in: index) == ["1"])
    }

    @Test("An update without a change does not write")
    func unchanged() throws {
        let entries = (0..<100).map { entry("\($0)", "Title \($0)") }
        try SearchIndex(file: path).update(to: entries)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        let index = try SearchIndex(file: path)
        #expect(try index.update(to: entries) == 0)
        #expect(try found("\"title 42\"", in: index) == ["42"])
        let after = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        #expect(after == past)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["index.sqlite"])
    }

    @Test(
        "Texts inside books are kept until the file changes or the book is gone, also when what describes the book changes"
    )
    func texts() throws {
        let index = try SearchIndex(file: path)
        try index.update(to: [entry("1", "One"), entry("2", "Two")])
        let stamps: [(id: String, stamp: UInt64)] = [("1", 7), ("2", 8)]
        #expect(try index.withoutText(stamps) == ["1", "2"])
        try index.keep("The Ørsted\nexperiment", stamp: 7, of: "1")
        try index.keep("no such book", stamp: 7, of: "3")
        #expect(try index.withoutText(stamps) == ["2"])
        try index.update(to: [entry("1", "Other", stamp: 2), entry("2", "Two")])
        #expect(try index.withoutText(stamps) == ["2"])
        func inside(_ query: String) throws -> [String] {
            try index.search(SearchQuery(query), inTexts: true).map(\.id)
        }
        #expect(try inside("\"orsted exp\"") == ["1"])
        try index.keep("experiments", stamp: 9, of: "1")
        #expect(try inside("orsted") == [] && inside("experiment") == ["1"])
        try index.update(to: [entry("2", "Two")])
        #expect(try inside("experiment") == [])
        try index.update(to: [entry("1", "One"), entry("2", "Two")])
        #expect(try index.withoutText(stamps) == ["1", "2"])
    }

    @Test(
        "Texts inside books are searched if that is wanted or asked for by text:, and what describes a book counts more"
    )
    func searchingTexts() throws {
        let index = try SearchIndex(file: nil)
        try index.update(to: [entry("1", "Lima"), entry("2", "Optics"), entry("3", "Quito")])
        try index.keep("on optics and 日本", stamp: 1, of: "1")
        try index.keep("nothing", stamp: 1, of: "2")
        func inside(_ query: String) throws -> [String] {
            try index.search(SearchQuery(query), inTexts: true).map(\.id)
        }
        #expect(try found("optics", in: index) == ["2"])
        #expect(try inside("optics") == ["2", "1"])
        #expect(try inside("optics lima") == ["1"])
        #expect(try inside("本") == ["1"] && found("本", in: index) == [])
        #expect(try found("text:optics", in: index) == ["1"])
        #expect(try found("text:optics OR quito", in: index) == ["1", "3"])
        #expect(try found("text:optics title:optics", in: index) == [])
        #expect(try inside("-optics") == ["3"] && found("-optics", in: index) == ["1", "3"])
        #expect(try inside("-text:optics") == ["2", "3"])
        #expect(try inside("title:optics") == ["2"])
        #expect(try inside("a\"b") == [] && inside("") == ["1", "2", "3"])
    }

    @Test("A file that is not a database is made again")
    func noDatabase() throws {
        try Data("this is not a database, but long enough to look like a file".utf8).write(
            to: URL(fileURLWithPath: path))
        let index = try SearchIndex(file: path)
        #expect(try found("lima", in: index) == [])
        try index.update(to: [entry("2", "Lima")])
        #expect(try found("lima", in: SearchIndex(file: path)) == ["2"])
    }

    @Test("Damage anywhere in the file is found or harmless, and the index is made again", arguments: 0..<16)
    func damaged(part: Int) throws {
        let entries = (0..<400).map { entry("\($0)", "Title <\($0)> of many") }
        try SearchIndex(file: path).update(to: entries)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = bytes.count * part / 16
        for place in start..<min(start + 5_000, bytes.count) { bytes[place] = UInt8(place & 0xFF) ^ 0x5A }
        try bytes.write(to: URL(fileURLWithPath: path))
        let index = try SearchIndex(file: path)
        // The overwritten part may be unused, and a letter of a text may differ now, but there must not be an error.
        #expect(try index.find(SearchQuery("<7>"), among: entries).count <= 400)
        try index.update(to: [])
        #expect(try index.find(SearchQuery("<7>"), among: entries).map(\.id) == ["7"])
    }

    @Test("A file cut off anywhere is made again", arguments: [1, 100, 512, 4096, 5000, 20_000])
    func cut(length: Int) throws {
        let entries = (0..<400).map { entry("\($0)", "Title <\($0)> of many") }
        try SearchIndex(file: path).update(to: entries)
        try Data(contentsOf: URL(fileURLWithPath: path)).prefix(length).write(to: URL(fileURLWithPath: path))
        #expect(try SearchIndex(file: path).find(SearchQuery("<7>"), among: entries).map(\.id) == ["7"])
    }

    @Test("An index of another version is made again")
    func otherVersion() throws {
        try SearchIndex(file: path).update(to: [entry("2", "Lima")])
        var handle: OpaquePointer?
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        #expect(sqlite3_exec(handle, "UPDATE meta SET value = 'older'", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
        let index = try SearchIndex(file: path)
        #expect(try found("lima", in: index) == [])
        #expect(try index.update(to: [entry("2", "Lima")]) == 1)
        #expect(try SearchIndex(file: path).update(to: [entry("2", "Lima")]) == 0)
    }

    @Test("Several connections make, change and search one file at once")
    func atOnce() throws {
        let path = path
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<10 {
                do {
                    let index = try SearchIndex(file: path)
                    let entries = (0..<20).map { number in
                        SearchEntry(id: "\(number)", stamp: UInt64(round)) { [.title: "Title \(number)"] }
                    }
                    let hits = try index.find(SearchQuery("\"title 7\""), among: entries)
                    if hits.map(\.id) != ["7"] { problems.withLock { $0.append("\(thread): \(hits)") } }
                } catch {
                    problems.withLock { $0.append("\(thread): \(error)") }
                }
            }
        }
        #expect(problems.withLock { $0 } == [])
        let index = try SearchIndex(file: path)
        #expect(try found("title", in: index).count == 20)
    }

    @Test("A folder that is not there is an error that names the file")
    func missing() throws {
        let error = #expect(throws: SearchError.self) {
            try SearchIndex(file: folder.path("none/index.sqlite"))
        }
        #expect(error?.code == .inaccessible && error?.subject?.hasSuffix("/none/index.sqlite") == true)
    }
}
