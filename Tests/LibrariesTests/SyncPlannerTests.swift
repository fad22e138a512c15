import BookModel
import Platform
import TestSupport
import Testing

@testable import Libraries

@Suite("A plan says what a sync does with each book, and why")
struct SyncPlannerTests {
    @Test("A new book is added, and then kept without being read again")
    func new() {
        var bench = PlanBench()
        bench.put("Emma")
        bench.put("Persuasion")
        #expect(bench.words() == ["add Emma", "add Persuasion"])
        #expect(bench.plan().map(\.row.bytes) == [15, 21])
        bench.carryOut()
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.device.count == 2)
    }

    @Test("A new book is added with a remark if a copy of unknown content has its size and title")
    func possibleCopy() {
        var bench = PlanBench()
        bench.put("Emma", author: nil)
        bench.onDevice("mine/Emma", "content of Emma", Book(title: "Emma"))
        bench.device[0].contentID = nil
        let remark =
            "It may be the same as mine/Emma, which has its size and title. Their contents are compared when it is sent."
        #expect(bench.words() == ["add Emma"] && bench.plan()[0].row.reason == remark)
        bench.device[0].title = "Persuasion"
        #expect(bench.words() == ["add Emma"] && bench.plan()[0].row.reason == nil)
        bench.device[0].title = "Emma"
        bench.device[0].uuid = "one"
        #expect(bench.plan()[0].row.reason == remark)
        bench.put("Emma", author: nil, uuid: "other")
        #expect(bench.words() == ["add Emma"] && bench.plan()[0].row.reason == nil)
        bench.device[0].size = 1
        #expect(bench.words() == ["add Emma"] && bench.plan()[0].row.reason == nil)
    }

    @Test("The copy of another book of the source is not named as a possible copy of a new one")
    func noCopy() {
        var bench = PlanBench()
        bench.put("Emma", author: nil)
        bench.carryOut()
        bench.device[0].contentID = nil
        bench.put("New", "CONTENT of Emma", title: "Emma", author: nil)
        #expect(bench.words() == ["keep Emma", "add New"])
        #expect(bench.plan().map(\.row.reason) == [nil, nil])
    }

    @Test("Other content is a replacement, and other metadata are an update without the file")
    func changed() {
        var bench = PlanBench.agreed()
        bench.put("Emma", "second edition")
        bench.put("Persuasion", tags: ["Navy"])
        #expect(bench.words() == ["replace Emma", "update Persuasion"])
        let steps = bench.plan()
        #expect(steps[0].row.bytes == 14 && steps[1].row.bytes == 0)
        #expect(steps[1].changes == Book(tags: ["Navy"]))
        bench.carryOut()
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.device.first { $0.path == "books/Persuasion" }?.tags == ["Navy"])
    }

    @Test(
        "A changed file whose new content is in another copy leaves the former copy behind, which --delete removes"
    )
    func leftBehind() {
        var bench = PlanBench.agreed()
        bench.onDevice("books/Mine", "second edition", Book(title: "Mine", authors: ["Ann"]))
        bench.put("Emma", "second edition")
        #expect(bench.words() == ["keep Emma", "keep Persuasion", "keep Emma"])
        #expect(bench.plan().map(\.row.path) == ["books/Mine", "books/Persuasion", "books/Emma"])
        #expect(bench.plan().first?.after?.isOwned == false)
        bench.policy.deletes = true
        #expect(bench.words() == ["keep Emma", "keep Persuasion", "remove Emma"])
        #expect(bench.plan().last?.row.path == "books/Emma")
        // A book that the app changed is left alone.
        bench.device[0].title = "Mine now"
        #expect(bench.words() == ["keep Emma", "keep Persuasion", "conflict Emma"])
    }

    @Test("A value that the source no longer has is cleared")
    func cleared() {
        var bench = PlanBench()
        bench.put("Emma", tags: ["Bath"])
        bench.carryOut()
        bench.put("Emma")
        #expect(bench.plan().first?.changes == Book(tags: []))
    }

    @Test("A title that the source no longer has stays, because a book must have one")
    func untitled() {
        var bench = PlanBench()
        bench.put("Emma", tags: ["Bath"])
        bench.carryOut()
        bench.put("Emma")
        bench.source["Emma"]?.book.title = nil
        #expect(bench.plan().first?.changes == Book(tags: []))
        bench.carryOut()
        #expect(bench.words() == ["keep Emma"])
    }

    @Test("A file that was only touched is kept")
    func touched() {
        var bench = PlanBench.agreed()
        bench.put("Emma")
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
    }

    @Test("Values that the app cannot change are kept, and the row says so")
    func unsettable() {
        var bench = PlanBench.agreed()
        bench.policy.settable = []
        bench.put("Emma", tags: ["Bath"])
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.plan().first?.row.reason == "Nova cannot change what differs.")
    }

    @Test("A new cover is an update where the app takes covers")
    func cover() {
        var bench = PlanBench.agreed()
        bench.source["Emma"]?.cover = "1 1 1"
        #expect(bench.words() == ["update Emma", "keep Persuasion"])
        #expect(bench.plan().first?.changesCover == true)
        bench.policy.setsCovers = false
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
    }

    @Test("A book that is gone is removed only where that is asked for")
    func gone() {
        var bench = PlanBench.agreed()
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "keep Emma"])
        bench.policy.deletes = true
        #expect(bench.words() == ["keep Persuasion", "remove Emma"])
        bench.carryOut()
        #expect(bench.device.map(\.path) == ["books/Persuasion"])
        #expect(bench.words() == ["keep Persuasion"])
    }

    @Test(
        "A book that was on the device before is adopted, and never removed",
        arguments: ["content", "uuid", "name"])
    func adopted(rule: String) {
        var bench = PlanBench(deletes: true)
        bench.onDevice(
            "mine/Emma", rule == "content" ? "content of Emma" : "other",
            Book(
                uuid: rule == "uuid" ? "U" : nil, title: rule == "content" ? "Something" : "Emma",
                authors: rule == "name" ? ["Austen, Jane"] : nil))
        bench.put("Emma", uuid: "u")
        #expect(bench.words() == ["keep Emma"])
        bench.carryOut()
        #expect(bench.device.count == 1)
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Emma"])
        bench.carryOut()
        // The reason is given once.
        #expect(bench.device.count == 1 && bench.words() == [])
    }

    @Test("A book of the same title with other authors, or of another format, is another book")
    func strangers() {
        var bench = PlanBench()
        bench.onDevice("a", "x", Book(title: "Emma", authors: ["Alexander McCall Smith"]))
        bench.put("Emma")
        #expect(bench.words() == ["add Emma"])
    }

    @Test("A book that another source has, too, is never removed")
    func shared() {
        var bench = PlanBench.agreed(deletes: true)
        bench.others = [ExactText("books/Emma")]
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "keep Emma"])
        bench.carryOut()
        #expect(bench.device.count == 2)
        bench.others = []
        #expect(bench.words() == ["keep Persuasion"])
    }

    @Test("A book renamed into the other Unicode form of its name is known by the new one")
    func recomposed() throws {
        var bench = PlanBench()
        bench.put("caf\u{E9}")
        bench.carryOut()
        bench.carryOut()
        let volume = try #require(bench.source["caf\u{E9}"])
        bench.source["caf\u{E9}"] = nil
        bench.source["cafe\u{301}"] = volume
        let step = try #require(bench.plan().first)
        #expect(step.row.action == .keep)
        #expect(step.after.map { Array($0.key.utf8) } == Array("cafe\u{301}".utf8))
    }

    @Test(
        "A path in another Unicode form is found, with the index of the shelf or without",
        arguments: [true, false])
    func spelled(hasLookup: Bool) {
        let book = Book(path: "cafe\u{301}.epub")
        let shelf =
            hasLookup
            ? DeviceShelf(count: 1, position: { _ in nil }, digest: { _ in 0 }, book: { _ in book })
            : DeviceShelf([book])
        #expect(shelf.place(of: "caf\u{E9}.epub") == 0)
        #expect(shelf.place(of: "cafe.epub") == nil)
    }

    @Test("Notes of the app about reading do not affect the plan")
    func appOwn() {
        var bench = PlanBench.agreed(deletes: true)
        bench.device[0].collections = ["READ"]
        bench.device[0].progress = 0.5
        bench.device[0].wordCount = 155_000
        bench.put("Emma", tags: ["Bath"])
        #expect(bench.words() == ["update Emma", "keep Persuasion"])
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "remove Emma"])
    }

    @Test(
        "Values that a person gave a book in the app keep it from being changed or removed",
        arguments: ["rating", "description", "tags", "collections", "locked", "series"])
    func personal(field: String) {
        var bench = PlanBench.agreed(deletes: true)
        switch field {
        case "rating": bench.device[0].rating = 5
        case "description": bench.device[0].description = "The best of all."
        case "tags": bench.device[0].tags = ["Read again"]
        case "collections": bench.device[0].collections = ["NEW", "Favourites"]
        case "locked": bench.device[0].isLocked = true
        default: bench.device[0].series = "Highbury"
        }
        var edited = bench
        edited.put("Emma", "second edition")
        #expect(edited.words() == ["conflict Emma", "keep Persuasion"])
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "conflict Emma"])
    }

    @Test("An earlier version's record of a copy is compared as before, and then completed")
    func earlierVersion() throws {
        var bench = PlanBench.agreed(deletes: true)
        for (key, record) in bench.state.records {
            guard let copy = record.copy else { continue }
            let book = try #require(bench.device.first { $0.path == record.path })
            bench.state.records[key]?.copy?.metadata = MetadataDigest(book) { $0.name == "title" }
            #expect(copy.metadata.isOfWholeCopy)
        }
        bench.device[0].rating = 5
        #expect(bench.plan().allSatisfy { $0.row.action == .keep && $0.row.reason == nil })
        bench.carryOut()
        bench.device[0].rating = 4
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "conflict Emma"])
    }

    @Test("An earlier version's note of a copy that the app had put among its new books still fits the copy")
    func earlierVersionWithOwnCollection() throws {
        var bench = PlanBench.agreed(deletes: true)
        bench.device[0].collections = ["NEW"]
        let book = bench.device[0]
        let key = try #require(bench.state.records.first { $0.value.path == book.path }?.key)
        bench.state.records[key]?.copy?.metadata = MetadataDigest(book, withOwnCollections: true) {
            ["title", "collections"].contains($0.name)
        }
        #expect(bench.plan().allSatisfy { $0.row.action == .keep && $0.row.reason == nil })
        bench.carryOut()
        let noted = try #require(bench.state.records[key]?.copy?.metadata)
        #expect(noted.isOfWholeCopy)
        bench.device[0].collections = ["READ"]
        #expect(noted.fits(bench.device[0]))
    }

    @Test("A file under another name stays the same book, by its stamp or its content")
    func moved() {
        var bench = PlanBench.agreed(deletes: true)
        bench.source["Austen/Emma"] = bench.source.removeValue(forKey: "Emma")
        #expect(bench.words() == ["keep Austen/Emma", "keep Persuasion"])
        bench.source["Austen/Emma"]?.stamp = "copied"
        #expect(bench.words() == ["keep Austen/Emma", "keep Persuasion"])
        bench.carryOut()
        bench.source["Austen/Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "remove Austen/Emma"])
    }

    @Test("A book that the app has moved stays the same book")
    func movedByApp() {
        var bench = PlanBench.agreed()
        bench.device[0].path = "shelf/Emma"
        #expect(bench.plan()[0].row.path == "shelf/Emma")
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
    }

    @Test(
        "A book that the app has moved and renamed is a conflict once the source changes, and never sent twice"
    )
    func renamedByApp() {
        var bench = PlanBench.agreed(deletes: true)
        bench.device[0].path = "shelf/Mine"
        bench.device[0].title = "Mine"
        bench.device[0].contentID = nil
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.put("Emma", "second edition")
        #expect(bench.words() == ["conflict Emma", "keep Persuasion"])
        bench.source["Emma"] = nil
        #expect(bench.words() == ["keep Persuasion", "conflict Emma"])
    }

    @Test("A book that an interrupted update has moved is found again, and the update is finished")
    func movedByUpdate() {
        var bench = PlanBench.agreed()
        bench.put("Emma", title: "Emma, revised")
        bench.state["Emma"]?.isPending = true
        bench.device[0].path = "books/Emma, revised"
        bench.device[0].contentID = nil
        #expect(bench.words() == ["update Emma", "keep Persuasion"])
        bench.carryOut()
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        #expect(bench.state["Emma"]?.isOwned == true)
    }

    @Test("A book that a person deleted on the device is sent again")
    func deletedOnDevice() {
        var bench = PlanBench.agreed()
        bench.device.removeFirst()
        #expect(bench.words() == ["add Emma", "keep Persuasion"])
        bench.carryOut()
        #expect(bench.device.count == 2)
    }

    @Test("The first of two files of one book is sent, and both count as its source")
    func twins() {
        var bench = PlanBench(deletes: true)
        bench.put("Emma", "same")
        bench.put("Emma copy", "same", title: "Emma")
        #expect(bench.words() == ["add Emma", "keep Emma copy"])
        bench.carryOut()
        #expect(bench.words() == ["keep Emma", "keep Emma copy"])
        bench.source["Emma"] = nil
        #expect(
            bench.words().contains("keep Emma copy") && !bench.words().contains { $0.hasPrefix("remove") })
        bench.carryOut()
        bench.source["Emma copy"] = nil
        #expect(bench.words() == ["remove Emma copy"])
    }

    @Test("If both files of one book are gone, the one that was sent is removed, whatever their names")
    func bothTwinsGone() {
        var bench = PlanBench(deletes: true)
        bench.put("Emma", "same")
        bench.carryOut()
        bench.put("A copy", "same", title: "Emma")
        bench.carryOut()
        bench.source = [:]
        #expect(bench.words() == ["remove Emma"])
        bench.carryOut()
        #expect(bench.device.isEmpty && bench.words() == [])
    }

    @Test("A book that a search leaves out does not count as removed")
    func unwanted() {
        var bench = PlanBench.agreed(deletes: true)
        bench.hidden = ["Emma"]
        bench.policy.listsOthers = true
        #expect(bench.words() == ["keep Persuasion"])
    }

    @Test("Names are compared by their bytes")
    func spelling() {
        var bench = PlanBench(deletes: true)
        bench.put("e\u{301}", "one", title: "A")
        bench.source["other"] = bench.source["e\u{301}"]
        bench.carryOut()
        #expect(bench.state.records.count == 2)
    }

    @Test("Books that only the device has are listed on request")
    func others() {
        var bench = PlanBench.agreed()
        bench.onDevice("mine", "x", Book(title: "Mine"))
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.policy.listsOthers = true
        #expect(bench.words() == ["keep Emma", "keep Persuasion", "only_on_device mine"])
    }

    @Test("Without a state nothing is sent twice, and existing books are not owned")
    func lostState() {
        var bench = PlanBench.agreed(deletes: true)
        bench.state = SyncState(bench.state.ends)
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.carryOut()
        bench.source = [:]
        #expect(bench.words() == ["keep Emma", "keep Persuasion"])
        bench.carryOut()
        #expect(bench.device.count == 2 && bench.words() == [])
    }

    @Test("A run that was cut off after any change is finished by the next one, which knows its own books")
    func interrupted() {
        for limit in 1...8 {
            var bench = PlanBench.agreed(deletes: true)
            bench.put("Sanditon")
            bench.put("Emma", "second edition")
            bench.put("Lady Susan")
            bench.put("Persuasion", tags: ["Navy"])
            bench.carryOut(limit: limit)
            bench.carryOut()
            #expect(bench.plan().allSatisfy { $0.row.action == .keep }, "after \(limit) changes")
            #expect(bench.device.count == 4)
            bench.source = [:]
            #expect(
                bench.plan().map(\.row.action) == Array(repeating: .remove, count: 4),
                "after \(limit) changes")
        }
    }

    @Test("After any sequence of changes and interruptions a sync leads to a plan that keeps everything")
    func anySequence() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var bench = PlanBench(deletes: true)
            let mine = Int.random(in: 0...2, using: &random)
            for number in 0..<mine {
                bench.onDevice("mine/\(number)", "mine \(number)", Book(title: "Mine \(number)"))
            }
            for round in 0..<6 {
                for _ in 0..<4 {
                    let name = "book \(Int.random(in: 0..<5, using: &random))"
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bench.source[name] = nil
                    case 1: bench.put(name, "content \(round) of \(name)")
                    case 2: bench.put(name, tags: ["tag \(round)"])
                    default: bench.put(name)
                    }
                }
                if Bool.random(using: &random) {
                    bench.carryOut(limit: Int.random(in: 1...4, using: &random))
                }
                bench.carryOut()
                #expect(bench.plan().allSatisfy { $0.row.action == .keep }, "seed \(seed), round \(round)")
                #expect(bench.device.count == mine + bench.source.count, "seed \(seed), round \(round)")
            }
        }
    }
}
