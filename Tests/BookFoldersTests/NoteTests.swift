import JSON
import OverlayKitTesting
import OverlayBridge
import OverlayKit
import Testing

@testable import BookFolders

@Suite("Edits of a person are kept, even if another program writes at the same time")
struct NoteTests {
    private let host = MemoryHost()

    private func notes() throws -> BookNotes {
        let services = try host.services()
        return BookNotes(services.storage, log: services.log)
    }

    private func content(_ number: Int) -> ContentFingerprint {
        ContentFingerprint(size: UInt64(number), digest: [UInt8(truncatingIfNeeded: number)])
    }

    private var keys: [String] { host.stored.keys.filter { $0.contains("edits") }.sorted() }

    @Test("Two programs that edit different books at once lose neither edit")
    func twoPrograms() throws {
        let (one, other) = (try notes(), try notes())
        one.edit(content(1), Book(title: "One"))
        other.edit(content(2), Book(title: "Two"))
        try one.save()
        try other.save()
        let later = try notes()
        #expect(later.shown(content(1))?.title == "One")
        #expect(later.shown(content(2))?.title == "Two")
    }

    /// Saves this many edits of other books. Each is a separate file until they are combined.
    private func saveFiles(_ count: Int) throws {
        for number in 0..<count {
            let notes = try notes()
            notes.edit(content(2000 + number), Book(title: "T\(number)"))
            try notes.save()
        }
    }

    @Test(
        "Two programs that edit different fields of one book at once lose neither, also when one makes one file of many",
        arguments: [0, 11, 12, 13], [true, false])
    func twoFields(files: Int, isOtherFirst: Bool) throws {
        try saveFiles(files)
        let (one, other) = (try notes(), try notes())
        other.edit(content(1), Book(authors: ["Two"]))
        if isOtherFirst { try other.save() }
        one.edit(content(1), Book(title: "One"))
        try one.save()
        if !isOtherFirst { try other.save() }
        let book = try #require(try notes().shown(content(1)))
        #expect(book.title == "One")
        #expect(book.authors == ["Two"])
    }

    @Test(
        "Only a publication date that the contract accepts is kept",
        arguments: [
            ("2024-02-29", true), ("2023-02-31", true), ("-0044-03-15", true), ("2023-13-01", false),
            ("soon", false),
        ])
    func days(_ text: String, isDay: Bool) {
        let book = Book(keptJSON: Book(title: "One", pubdate: text).keptJSON())
        #expect(book.title == "One" && book.pubdate == (isDay ? text : nil))
    }

    @Test("A book that is forgotten stays forgotten when what another program noted before comes later")
    func forgotten() throws {
        try saveFiles(12)
        let first = try notes()
        first.edit(content(1), Book(title: "First"))
        try first.save()
        let one = try notes()
        one.forget(content(1))
        try one.save()
        let late = DatedNote(content(1), 1_000, .edit(Book(title: "Late"))).json.text()
        host.stored["2 edits-9.json"] = Array("{\"version\": 2, \"books\": [\(late)]}".utf8)
        #expect(try notes().shown(content(1)) == nil)
    }

    @Test("The deletion of a book is remembered for 90 days")
    func season() {
        var history = NoteHistory()
        history.take(DatedNote(content(1), 1000, .edit(Book(title: "T"))))
        history.take(DatedNote(content(1), 2000, .forgotten))
        let day: Int64 = 24 * 3600 * 1000
        #expect(history.needed(content(1), at: 2000 + 80 * day).map(\.change) == [.forgotten])
        #expect(history.needed(content(1), at: 2000 + 100 * day).isEmpty)
        history.take(DatedNote(content(1), 3000, .edit(Book(title: "New"))))
        #expect(history.needed(content(1), at: 2000 + 100 * day).map(\.time) == [2000, 3000])
    }

    @Test("Only edits that later ones replace are left out")
    func needed() {
        var history = NoteHistory()
        for (time, change) in [
            .known(CompactBook(Book(title: "old"))), .edit(Book(title: "A", series: "S")),
            .edit(Book(title: "B")),
            .known(CompactBook(Book(title: "new"))), .edit(Book(title: "C")),
        ].enumerated() as EnumeratedSequence<[BookNote.Change]> {
            history.take(DatedNote(content(1), Int64(time), change))
        }
        #expect(history.needed(content(1), at: 10).map(\.time) == [1, 3, 4])
        #expect(history.note(content(1)).shown == Book(title: "C", series: "S"))
        history.take(DatedNote(content(1), 5, .edited(nil)))
        #expect(history.needed(content(1), at: 10).map(\.time) == [3, 5])
    }

    @Test("An edit that could not be stored is not stored by the next one that can", arguments: [0, 12])
    func failedSave(files: Int) throws {
        try saveFiles(files)
        let notes = try notes()
        notes.edit(content(1), Book(title: "Lost"))
        host.fault = { operation, _ in operation == "storage.put" ? .hostIO : nil }
        #expect(throws: OverlayError.self) { try notes.save() }
        #expect(notes.shown(content(1)) == nil)
        host.fault = { _, _ in nil }
        notes.edit(content(2), Book(title: "Kept"))
        try notes.save()
        #expect(try self.notes().shown(content(1)) == nil)
        #expect(try self.notes().shown(content(2))?.title == "Kept")
    }

    @Test("Many edits are combined into several files, and further saves keep their number small")
    func severalFiles() throws {
        func save(_ numbers: ClosedRange<Int>) throws {
            let notes = try notes()
            notes.contentsPerFile = 8
            for number in numbers { notes.edit(content(number), Book(title: "T\(number)")) }
            try notes.save()
        }
        for start in stride(from: 1, through: 129, by: 8) { try save(start...start + 7) }
        // 17 files of 8 books become at most 12 files, and two for each full one.
        #expect(keys.count == 17)
        for number in 1...40 { try save(number...number) }
        #expect(keys.count > 17 && keys.count <= 12 + 2 * 17)
        let all = try notes()
        for number in 1...136 { #expect(all.shown(content(number))?.title == "T\(number)") }
    }

    @Test("A combination that cannot be stored loses nothing, and the save before it counts")
    func failedCombination() throws {
        try saveFiles(12)
        let notes = try notes()
        notes.edit(content(1), Book(title: "Kept"))
        var puts = 0
        host.fault = { operation, _ in
            guard operation == "storage.put" else { return nil }
            puts += 1
            return puts == 2 ? .hostIO : nil
        }
        try notes.save()
        host.fault = { _, _ in nil }
        #expect(puts == 2)
        #expect(keys.count == 13)
        #expect(try self.notes().shown(content(1))?.title == "Kept")
        for number in 2000..<2012 { #expect(try self.notes().shown(content(number)) != nil) }
    }

    @Test("Many saves become few files, and nothing is lost, also of a program that writes meanwhile")
    func madeOne() throws {
        let late = try notes()
        late.edit(content(1000), Book(title: "Late"))
        for number in 1...50 {
            let notes = try notes()
            notes.edit(content(number), Book(title: "T\(number)"))
            notes.setKnown(content(number), Book(uuid: "u\(number)", title: "old"), own: nil)
            if number > 40 { notes.forget(content(number - 40)) }
            try notes.save()
            if number == 25 { try late.save() }
        }
        #expect(keys.count <= 13)
        let all = try notes()
        for number in 11...50 {
            #expect(all.shown(content(number))?.title == "T\(number)")
            #expect(all.shown(content(number))?.uuid == "u\(number)")
        }
        for number in 1...10 { #expect(all.shown(content(number)) == nil) }
        #expect(all.shown(content(1000))?.title == "Late")
    }

    @Test(
        "A file that vanishes while it is read, because another program has made one of several, is looked for again"
    )
    func vanishes() throws {
        for number in 1...3 {
            let notes = try notes()
            notes.edit(content(number), Book(title: "T\(number)"))
            try notes.save()
        }
        let old = keys
        var isDone = false
        host.fault = { [unowned host] operation, key in
            // All are combined just before the first file is read.
            if operation == "storage.get", key.hasPrefix("edits"), !isDone {
                isDone = true
                let steps = (1...3).map {
                    DatedNote(self.content($0), 1, .edited(Book(title: "T\($0)"))).json.text()
                }
                host.stored["2 edits-9.json"] = Array(
                    "{\"version\": 2, \"books\": [\(steps.joined(separator: ","))]}".utf8)
                for key in old { host.stored[key] = nil }
            }
            return nil
        }
        let notes = try notes()
        for number in 1...3 { #expect(notes.shown(content(number))?.title == "T\(number)") }
    }

    @Test(
        "Edits of the first version are read, and a damaged file is reported, left alone, and blocks nothing")
    func damaged() throws {
        host.stored["2 edits.json"] = Array(
            "{\"version\": 1, \"books\": [{\"content\": \"\(content(1).text)\", \"title\": \"First\"}]}".utf8)
        host.stored["2 edits-7.json"] = Array("{ damaged".utf8)
        #expect(try notes().shown(content(1))?.title == "First")
        #expect(host.log.contains { $0.contains("Cannot read the titles and authors") })
        for number in 2...30 {
            let notes = try notes()
            notes.edit(content(number), Book(title: "T"))
            try notes.save()
        }
        #expect(host.stored["2 edits-7.json"] == Array("{ damaged".utf8))
        #expect(host.stored["2 edits.json"] == nil)
        let all = try notes()
        #expect(all.shown(content(1))?.title == "First")
        #expect(all.shown(content(30))?.title == "T")
    }

    @Test("The newest edit counts, even when the clock was put back")
    func clock() throws {
        let text = content(1).text
        host.stored["2 edits-1.json"] = Array(
            "{\"version\": 2, \"books\": [{\"content\": \"\(text)\", \"time\": 9000000000000, \"edit\": {\"title\": \"Future\"}}]}"
                .utf8)
        let one = try notes()
        one.edit(content(1), Book(title: "Now"))
        try one.save()
        #expect(try notes().shown(content(1))?.title == "Now")
    }
}
