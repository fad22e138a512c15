import OverlayKit
import Testing
import UploadPlanning

@Suite("Every app decides about the items of an upload by the same rules")
struct UploadPlannerTests {
    private let emma = MadeEvidence.Held(path: "Emma.epub", title: "Emma", authors: ["Austen, Jane"])

    // MARK: - What counts as the same book

    @Test(
        "Books are matched by id, then content, then sent content that has changed, then title and author")
    func order() throws {
        let device = MadeEvidence([
            .init(path: "id", authors: ["Jane Austen"], uuid: "u"),
            .init(path: "content", content: "c"), .init(path: "changed", content: "c2", formerly: "c1"), emma,
        ])
        let found = try decisions(
            [
                book(0, "new", uuid: "u"), book(1, "c"), book(2, "c1"), book(3, "x"),
                book(4, "y", title: "Persuasion"),
            ], device, .library)
        #expect(
            found == [
                "skip id: uuid", "skip content: content", "skip changed: changed",
                "skip Emma.epub: name",
                "add",
            ])
    }

    @Test("Two files of one id that differ in title and authors both arrive, with a remark")
    func template() throws {
        let present = MadeEvidence.Held(path: "A", title: "Template", authors: ["Ann"], uuid: "u")
        let added = "add: " + DuplicateMessages.sharedUUID
        for policy in UploadPolicy.all {
            for conflict in [ConflictPolicy.protect, .update, .replace] {
                #expect(
                    try decisions([book(uuid: "u")], MadeEvidence([present]), policy, conflict) == [added])
                let two = [book(uuid: "u"), book(1, "b", title: "Persuasion", uuid: "u")]
                #expect(try decisions(two, MadeEvidence(), policy, conflict) == ["add", added])
            }
        }
    }

    @Test("A corrected title replaces the book of the same id")
    func correctedTitle() throws {
        let present = MadeEvidence.Held(path: "A", title: "Ema", authors: ["Jane Austen"], uuid: "u")
        let found = try decisions([book(uuid: "u")], MadeEvidence([present]), .library, .replace)
        #expect(found == ["replace A: " + DuplicateMessages.tookPlace(of: "Ema")])
    }

    @Test(
        "The one of two books with one id that has the same title is meant, whether the app knows the id of both or of one"
    )
    func twoOfOneID() throws {
        let one = MadeEvidence.Held(path: "1", title: "One", authors: ["Ann"], uuid: "u")
        for uuid in ["u", nil] {
            let two = MadeEvidence.Held(path: "2", title: "Two", authors: ["Ann"], uuid: uuid)
            let next = book(title: "Two", authors: ["Ann"], uuid: "u")
            for policy in UploadPolicy.all {
                #expect(
                    try decisions([next], MadeEvidence([one, two]), policy, .replace) == ["replace 2"])
                let protected = try decisions([next], MadeEvidence([one, two]), policy)
                #expect(protected == [uuid == nil ? "skip 2: name" : "skip 2: uuid"])
            }
        }
    }

    @Test("A book that the host names is replaced, under any name and also if several have its id")
    func named() throws {
        let device = MadeEvidence([
            .init(path: "Mine", title: "Draft", authors: ["Ann"], uuid: "u"),
            .init(path: "Other", title: "Emma", authors: ["Jane Austen"], uuid: "u"),
        ])
        for policy in UploadPolicy.all {
            let item = book(uuid: "u", replacedPath: "Mine")
            #expect(try decisions([item], device, policy, .replace) == ["replace Mine"])
            // Only an existing book that is to be replaced can be named.
            #expect(try decisions([item], device, policy) == ["skip Other: uuid"])
            let lost = book(uuid: "u", replacedPath: "None")
            #expect(try decisions([lost], device, policy, .replace) == ["replace Other"])
            // Each book once.
            let second = book(1, "more", title: "Third", authors: ["Bob"], replacedPath: "Mine")
            #expect(try decisions([item, second], device, policy, .replace).last == "add")
        }
        let read = MadeEvidence([.init(path: "Mine", title: "Draft", marks: ReadingMarks(notes: 1))])
        #expect(
            try decisions([book(replacedPath: "Mine")], read, .files, .replace).first?.hasPrefix(
                "fail Mine: ") == true)
    }

    @Test("A book of the same content is meant before one that has the same id and another title")
    func contentBeforeID() throws {
        let device = MadeEvidence([
            .init(path: "1", title: "One", authors: ["Ann"], uuid: "u"), .init(path: "2", content: "two"),
        ])
        let item = book(0, "two", title: "Two", authors: ["Ann"], uuid: "u")
        for policy in UploadPolicy.all {
            let found = try decisions([item], device, policy, .replace)
            #expect(found == [policy.refreshesSameContent ? "refresh 2" : "skip 2: content"])
        }
    }

    @Test("Where several books have one id, a file with another title is another book")
    func severalOfOneID() throws {
        let device = MadeEvidence(
            ["One", "Two"].map { .init(path: $0, title: $0, authors: ["Jane Austen"], uuid: "u") })
        let added = "add: " + DuplicateMessages.sharedUUID
        for policy in UploadPolicy.all {
            for conflict in [ConflictPolicy.protect, .update, .replace] {
                #expect(try decisions([book(uuid: "u")], device, policy, conflict) == [added])
                // Even if an earlier item has taken one of them.
                let items = [book(0, "one", title: "One", uuid: "u"), book(1, "new", uuid: "u")]
                #expect(try decisions(items, device, policy, conflict).last == added)
            }
        }
        let other = MadeEvidence([
            .init(path: "One", title: "One", authors: ["Jane Austen"], uuid: "u"),
            .init(path: "Two", title: "Two", authors: ["Ann"], uuid: "u"),
        ])
        #expect(try decisions([book(uuid: "u")], other, .library, .replace) == [added])
    }

    @Test("An upload that was cut off sends the other files of its id when it runs again", arguments: 0...3)
    func cutOff(count: Int) throws {
        let titles = ["One", "Two", "Three"]
        let items = titles.enumerated().map { book($0, $1, title: $1, uuid: "u") }
        let device = MadeEvidence(
            titles.prefix(count).map {
                .init(path: $0, title: $0, authors: ["Jane Austen"], uuid: "u", content: $0)
            })
        for policy in UploadPolicy.all {
            for conflict in [ConflictPolicy.protect, .replace] {
                let added = try decisions(items, device, policy, conflict).filter { $0.hasPrefix("add") }
                #expect(added.count == titles.count - count)
            }
        }
    }

    @Test(
        "A file takes the place of the earlier edition of its title, also if the upload has others of its id")
    func editionsOfOneID() throws {
        func item(_ index: Int, _ title: String) -> IncomingBook {
            book(index, "\(index)", title: title, authors: [], uuid: "u")
        }
        let one = MadeEvidence.Held(path: "1", title: "One", authors: ["Ann"], uuid: "u")
        let found = try decisions([item(0, "Two"), item(1, "One")], MadeEvidence([one]), .library, .replace)
        #expect(found == ["add: " + DuplicateMessages.sharedUUID, "replace 1"])
        let again = try decisions(
            [item(0, "One"), item(1, "Two"), item(2, "One")], MadeEvidence(), .library, .replace)
        #expect(again == ["add", "add: " + DuplicateMessages.sharedUUID, "instead of 0"])
    }

    @Test("A book with the title and no known authors stands in the way of one that only has the id")
    func namesakeBeforeID() throws {
        let device = MadeEvidence([
            .init(path: "1", title: "One", authors: ["Jane Austen"], uuid: "u"),
            .init(path: "2", title: "Emma"),
        ])
        for policy in [UploadPolicy.library, .list] {
            let found = try decisions([book(uuid: "u")], device, policy, .replace)
            #expect(found == ["add: " + DuplicateMessages.sameTitle + ": " + DuplicateMessages.sharedUUID])
        }
    }

    @Test("An update by the id alone names the former title")
    func updateByID() throws {
        let device = MadeEvidence([.init(path: "1", title: "Ema", authors: ["Jane Austen"], uuid: "u")])
        #expect(
            try UploadPolicy.all.map { try decisions([book(uuid: "u")], device, $0, .update) } == [
                ["replace 1: " + DuplicateMessages.tookPlace(of: "Ema")],
                ["update 1: " + DuplicateMessages.retitled(from: "Ema")], ["skip 1: uuidAlone"],
            ])
    }

    @Test("A later edition repeats what was lost, but not which title the first one replaced")
    func inheritedRemarks() throws {
        let present = MadeEvidence.Held(
            path: "1", title: "Ema", authors: ["Jane Austen"], uuid: "u", marks: ReadingMarks(notes: 1))
        let found = try decisions(
            [book(0, "a", uuid: "u"), book(1, "b", uuid: "w")], MadeEvidence([present]), .library, .replace,
            mayLoseMarks: true)
        let lost = DuplicateMessages.lost("1 note")
        #expect(
            found == [
                "replace 1: \(DuplicateMessages.tookPlace(of: "Ema")): \(lost)", "instead of 0: \(lost)",
            ])
    }

    @Test("A book in a second format is another book, by uuid and by name, in one upload and in two")
    func formats() throws {
        for policy in UploadPolicy.all {
            for conflict in [ConflictPolicy.protect, .update, .replace] {
                for uuid in ["u", nil] {
                    let pdf = book(1, "b", uuid: uuid, format: "pdf")
                    let both = [book(0, "a", uuid: uuid, format: "epub"), pdf]
                    #expect(try decisions(both, MadeEvidence(), policy, conflict) == ["add", "add"])
                    var present = emma
                    (present.uuid, present.format, present.isNear) = (uuid, "epub", true)
                    #expect(try decisions([pdf], MadeEvidence([present]), policy, conflict) == ["add"])
                    present.authors = []
                    #expect(try decisions([pdf], MadeEvidence([present]), policy, conflict) == ["add"])
                }
            }
        }
        var present = emma
        (present.uuid, present.format) = ("u", "epub")
        let epub = book(0, "a", uuid: "u", format: "epub")
        #expect(try decisions([epub], MadeEvidence([present]), .files, .replace) == ["replace Emma.epub"])
    }

    @Test("The same content twice in one upload is one book")
    func twins() throws {
        let items = [book(), book(1, "new", title: "Other")]
        #expect(
            try decisions(items, MadeEvidence(), .files) == [
                "add", "same as 0: \(DuplicateMessages.sameContent)",
            ])
    }

    @Test(
        "If several books have the title and an author, only the one in the same place counts"
    )
    func several() throws {
        var (one, two) = (emma, emma)
        (one.path, two.path) = ("A/Emma.epub", "B/Emma.epub")
        #expect(try decisions([book()], MadeEvidence([one]), .files) == ["skip A/Emma.epub: name"])
        let count = "2 books with this title and these authors are in Reader"
        #expect(try decisions([book()], MadeEvidence([one, two]), .files) == ["skip: \(count)."])
        #expect(
            try decisions([book()], MadeEvidence([one, two]), .files, .replace) == [
                "fail -: invalid-argument: \(count), so it is unclear which one to replace."
            ])
        two.isNear = true
        #expect(
            try decisions([book()], MadeEvidence([one, two]), .files, .replace) == ["replace B/Emma.epub"])
    }

    @Test("Two books with only the title in common stay two in every app, and the row says so")
    func titleAlone() throws {
        var present = emma
        (present.authors, present.isNear) = ([], true)
        for policy in UploadPolicy.all {
            for conflict in [ConflictPolicy.protect, .update, .replace] {
                let found = try decisions([book()], MadeEvidence([present]), policy, conflict)
                let means = policy.titleAloneReplaces && conflict != .protect
                #expect(found == [means ? "replace Emma.epub" : "add: \(DuplicateMessages.sameTitle)"])
            }
        }
    }

    // MARK: - Marks of people in books

    @Test("Losses are named and avoided without consent, and named when they happen")
    func consent() throws {
        var present = emma
        present.marks = ReadingMarks(highlights: 2, notes: 1, bookmarks: 0, progress: 0.418)
        for policy in UploadPolicy.all {
            #expect(
                try decisions([book()], MadeEvidence([present]), policy, .replace) == [
                    "fail Emma.epub: needs-consent: Replacing the book would lose 2 highlights, 1 note and the "
                        + "reading position (42 %)."
                ])
            #expect(
                try decisions([book()], MadeEvidence([present]), policy, .replace, mayLoseMarks: true) == [
                    "replace Emma.epub: The old copy was removed, along with 2 highlights, 1 note and the reading position "
                        + "(42 %)."
                ])
        }
    }

    @Test("A file that the app has changed since it was sent is left alone, and only replaced with consent")
    func changedSince() throws {
        var present = emma
        (present.formerly, present.marks) = ("new", ReadingMarks(isFileChanged: true))
        for item in [book(), book(0, "another edition")] {
            let device = MadeEvidence([present])
            let rule = item.content == "new" ? "changed" : "name"
            #expect(try decisions([item], device, .files) == ["skip Emma.epub: \(rule)"])
            #expect(try decisions([item], device, .files, .update) == ["skip Emma.epub: changed"])
            #expect(
                try decisions([item], device, .files, .replace) == [
                    "fail Emma.epub: needs-consent: Replacing the book would lose what Reader has added to the "
                        + "file since it was sent."
                ])
            #expect(
                try decisions([item], device, .files, .replace, mayLoseMarks: true) == [
                    "replace Emma.epub: The old copy was removed, along with what Reader has added to the file since it was "
                        + "sent."
                ])
        }
    }

    @Test("A book with marks is never called superfluous")
    func notSuperfluous() throws {
        var present = emma
        (present.authors, present.marks) = ([], ReadingMarks(bookmarks: 1))
        #expect(
            try decisions([book()], MadeEvidence([present]), .files) == [
                "add: Another book has the same title. It has 1 bookmark."
            ])
    }

    @Test("A book whose marks are not known is never called superfluous")
    func unknownMarks() throws {
        var present = emma
        (present.authors, present.marks) = ([], nil)
        for policy in UploadPolicy.all {
            #expect(
                try decisions([book()], MadeEvidence([present]), policy) == [
                    "add: Another book has the same title."
                ])
        }
    }

    @Test("The row of the last of several editions says what all of them took away")
    func lostByEditions() throws {
        var present = emma
        present.marks = ReadingMarks(notes: 1)
        for policy in UploadPolicy.all {
            #expect(
                try decisions(
                    [book(0, "one"), book(1, "two")], MadeEvidence([present]), policy, .replace,
                    mayLoseMarks: true
                ) == [
                    "replace Emma.epub: The old copy was removed, along with 1 note.",
                    "instead of 0: The old copy was removed, along with 1 note.",
                ])
        }
    }

    @Test("A later edition in one upload does not take away what the first one, which is there already, has")
    func laterEdition() throws {
        var present = emma
        (present.content, present.marks) = ("one", ReadingMarks(notes: 1))
        let items = [book(0, "one"), book(1, "two")]
        #expect(
            try decisions(items, MadeEvidence([present]), .library, .replace) == [
                "skip Emma.epub: content",
                "fail Emma.epub: needs-consent: Replacing the book would lose 1 note.",
            ])
        #expect(
            try decisions(items, MadeEvidence([present]), .library, .replace, mayLoseMarks: true) == [
                "skip Emma.epub: content", "replace Emma.epub: The old copy was removed, along with 1 note.",
            ])
    }

    @Test("The same content is not sent again where that brings nothing")
    func sameContent() throws {
        var present = emma
        (present.content, present.uuid, present.marks) = ("new", "u", ReadingMarks(notes: 1))
        let device = MadeEvidence([present])
        #expect(try decisions([book(uuid: "u")], device, .library, .replace) == ["skip Emma.epub: content"])
        #expect(try decisions([book()], device, .library, .replace) == ["skip Emma.epub: content"])
        #expect(try decisions([book()], device, .files, .replace) == ["refresh Emma.epub"])
    }

    @Test("An update changes what the app says of a book, puts a file in its place, or leaves it alone")
    func update() throws {
        #expect(
            try UploadPolicy.all.map { try decisions([book()], MadeEvidence([emma]), $0, .update) } == [
                ["replace Emma.epub"], ["update Emma.epub"], ["skip Emma.epub: name"],
            ])
    }

    @Test("Existing books that cannot be changed are left alone, and a request to change them fails")
    func refused() throws {
        var policy = UploadPolicy.library
        policy.refusal = OverlayError(.notSupported, "Only the documents can be reached.")
        #expect(try decisions([book()], MadeEvidence([emma]), policy) == ["skip Emma.epub: name"])
        #expect(
            try decisions([book()], MadeEvidence([emma]), policy, .replace) == [
                "fail Emma.epub: not-supported: Only the documents can be reached."
            ])
    }

    // MARK: - Editions in one upload

    @Test("The first edition is sent if existing books are protected, and the last one if they are replaced")
    func editions() throws {
        let items = (0..<3).map { book($0, "\($0)") }
        for policy in UploadPolicy.all {
            #expect(
                try decisions(items, MadeEvidence(), policy) == [
                    "add", "same as 0: \(DuplicateMessages.earlier)",
                    "same as 0: \(DuplicateMessages.earlier)",
                ])
            for present in [[], [emma]] {
                let first = present.isEmpty ? "add" : "replace Emma.epub"
                #expect(
                    try decisions(items, MadeEvidence(present), policy, .replace) == [
                        first, "instead of 0", "instead of 1",
                    ])
            }
        }
    }

    @Test("After a book, another edition and the same book again, any app has the book")
    func thereAndBack() throws {
        let items = [book(0, "one"), book(1, "two"), book(2, "one")]
        var present = emma
        present.content = "one"
        #expect(
            try decisions(items, MadeEvidence([present]), .library, .replace) == [
                "skip Emma.epub: content", "replace Emma.epub", "instead of 1",
            ])
        #expect(
            try decisions(items, MadeEvidence(), .files, .replace) == ["add", "instead of 0", "instead of 1"])
    }

    // MARK: - Unreadable files

    @Test("A question that fails once is asked again")
    func retried() throws {
        let device = MadeEvidence([emma])
        device.failures = [.deviceIO]
        #expect(try decisions([book()], device, .files) == ["skip Emma.epub: name"])
        #expect(device.questions == ["content", "content", "names"])
    }

    @Test("A book that cannot be read is not another book: the item fails", arguments: [1, 2, 3])
    func unread(kind: Int) throws {
        for policy in UploadPolicy.all {
            let device = MadeEvidence([.init(path: "x", title: "Other")])
            device.failures = [.deviceIO, .accessRefused]
            let statuses = "fail -: access-refused: Cannot read the file."
            let conflict: ConflictPolicy = kind == 1 ? .protect : kind == 2 ? .update : .replace
            #expect(try decisions([book()], device, policy, conflict) == [statuses])
        }
    }

    @Test("If a name shows that the book exists, unreadable content does not matter")
    func nameTells() throws {
        let device = MadeEvidence([emma])
        device.failures = [.deviceIO, .deviceIO]
        #expect(try decisions([book()], device, .files) == ["skip Emma.epub: name"])
    }

    @Test("A lost device ends the upload", arguments: [OverlayStatus.deviceGone, .cancelled, .timedOut])
    func ended(status: OverlayStatus) throws {
        let device = MadeEvidence()
        device.failures = [status]
        #expect(throws: OverlayError.self) { try decisions([book()], device, .files) }
        #expect(device.questions.count == 1)
    }
}
