import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayHost

@Suite("Fields that later minor versions appended are checked, copied and handed on")
struct NewFieldTests {
    private var annotation: Annotation {
        var annotation = Annotation()
        annotation.kind = "highlight"
        annotation.location = "epubcfi(/6/4)"
        annotation.text = "Jemand mußte Josef K. verleumdet haben"
        annotation.note = ""
        annotation.color = "#ffee00"
        annotation.modified = -12
        return annotation
    }

    private var book: BookRecord {
        var book = BookRecord(path: "/a")
        book.isLocked = true
        book.wordCount = .max
        book.progress = 0.25
        book.annotations = [annotation, Annotation()]
        return book
    }

    /// The result of `books` when the overlay puts `put`.
    private func list(
        withAnnotations: Bool = true, _ put: @escaping (UnsafePointer<ovl_book_sink>) -> ovl_status
    ) throws -> Result<[BookRecord], HostError> {
        let environment = try FakeEnvironment()
        environment.fake.books = { _, sink, _ in put(sink) }
        let instance = try environment.attached()
        defer { instance.destroy() }
        return Result { () throws(HostError) in Array(try instance.books(withAnnotations: withAnnotations)) }
    }

    @Test("A book keeps whether it is locked, its words, its progress and its annotations on the way")
    func allThere() throws {
        let plain = BookRecord(path: "/plain")
        let book = book
        let books = try list { sink in
            sink.put(plain)
            return sink.put(book)
        }.get()
        #expect(books == [plain, book])
        #expect(books[0].isLocked == nil && books[0].wordCount == nil && books[0].progress == nil)
    }

    @Test("A book can be known not to be locked")
    func unlocked() throws {
        var book = BookRecord(path: "/a")
        book.isLocked = false
        book.progress = 1
        #expect(try list { $0.put(book) }.get() == [book])
    }

    @Test("The overlay learns whether annotations are requested", arguments: [true, false])
    func asked(_ wanted: Bool) throws {
        let environment = try FakeEnvironment()
        var flags: UInt32?
        environment.fake.books = { options, _, _ in
            flags = options.pointee.flags
            return OVL_OK
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        _ = try instance.books(withCovers: !wanted, withAnnotations: wanted)
        #expect(flags == (wanted ? OVL_BOOKS_WITH_ANNOTATIONS : OVL_BOOKS_WITH_COVERS))
    }

    @Test("Annotations of inserted and replaced books come along")
    func edits() throws {
        let environment = try FakeEnvironment()
        let book = book
        environment.fake.add = { _, _, sink, _ in
            let memory = Arena()
            var edit = ovl_booklist_edit.sized()
            edit.kind = OVL_EDIT_INSERT
            edit.book = memory.book(book)
            return withExtendedLifetime(memory) { sink.pointee.put?(sink.pointee.ctx, &edit) ?? OVL_FAILED }
        }
        let instance = try environment.attached()
        defer { instance.destroy() }
        #expect(try instance.addBooksToMetadata([], snapshot: []) == [.insert(book.book)])
    }

    // MARK: invalid values

    private func breach(_ clause: String, _ change: @escaping (inout ovl_book) -> Void) throws {
        let result = try list { sink in sink.put(BookRecord(path: "/a"), change) }
        guard case .failure(let error) = result else {
            Issue.record("nothing was wrong")
            return
        }
        #expect(error.code == .contractBroken)
        #expect(error.message.contains(clause), "\(error.message)")
    }

    @Test("Progress over 100 % breaks the contract", arguments: [-0.1, 1.1, .nan, .infinity])
    func progress(_ value: Double) throws {
        try breach("progress") {
            $0.progress = value
            $0.flags |= OVL_BOOK_HAS_PROGRESS
        }
    }

    @Test("A value of locked other than 0 and 1 breaks the contract")
    func locked() throws {
        try breach("locked") {
            $0.locked = 2
            $0.flags |= OVL_BOOK_HAS_LOCKED
        }
    }

    @Test("An identity of the content that is too long or no UTF-8 breaks the contract")
    func contentID() throws {
        let memory = Arena()
        let long = memory.text(String(repeating: "x", count: BoundaryLimits.text + 1))
        try breach("content_id has 1048577 bytes") { $0.content_id = long }
        let half = ovl_text(data: memory.text("é").data, size: 1)
        try breach("content_id is not UTF-8") { $0.content_id = half }
        withExtendedLifetime(memory) {}
    }

    @Test("Values without their flags do not count")
    func withoutFlags() throws {
        let books = try list { sink in
            sink.put(BookRecord(path: "/a")) {
                $0.locked = 7
                $0.progress = .nan
                $0.word_count = 3
            }
        }.get()
        #expect(books == [BookRecord(path: "/a")])
    }

    @Test("Ten thousand annotations are taken, one more breaks the contract")
    func many() throws {
        let memory = Arena()
        let most = memory.list([Int](repeating: 0, count: BoundaryLimits.annotations + 1)) { _ in
            ovl_annotation.sized()
        }
        let count = try list { sink in
            sink.put(BookRecord(path: "/a")) {
                $0.annotations = most
                $0.annotations.count -= 1
            }
        }.get().first?.annotations.count
        #expect(count == BoundaryLimits.annotations)
        try breach("10000 are allowed") { $0.annotations = most }
    }

    @Test("An impossible list of annotations breaks the contract")
    func lists() throws {
        let memory = Arena()
        let one = memory.list([annotation]) { memory.record($0) }
        try breach("without items") { $0.annotations = ovl_list(items: nil, count: 1, stride: 96) }
        try breach("stride") { $0.annotations = ovl_list(items: one.items, count: 1, stride: 8) }
        try breach("stride") { $0.annotations = ovl_list(items: one.items, count: 1, stride: 100) }
        withExtendedLifetime(memory) {}
    }

    @Test("A text of an annotation that is too long or no UTF-8 breaks the contract")
    func texts() throws {
        let memory = Arena()
        for (text, clause) in [
            (memory.text(String(repeating: "x", count: BoundaryLimits.text + 1)), "1048577 bytes"),
            (ovl_text(data: memory.text("é").data, size: 1), "not UTF-8"),
            (ovl_text(data: nil, size: 4), "size without data"),
        ] {
            for path: WritableKeyPath<ovl_annotation, ovl_text> in [
                \.kind, \.location, \.text, \.note, \.color,
            ] {
                var record = ovl_annotation.sized()
                record[keyPath: path] = text
                let list = memory.list([record]) { $0 }
                try breach(clause) { $0.annotations = list }
            }
        }
        withExtendedLifetime(memory) {}
    }

    @Test("Annotations count towards the bound on the memory of a booklist")
    func counted() throws {
        let memory = Arena()
        var record = memory.book(BookRecord(path: "/p"))
        var checker = BookChecker(perRecord: 0)
        try checker.check(record)
        let before = checker.bytes
        record.annotations = memory.list([annotation]) { memory.record($0) }
        try checker.check(record)
        let texts = [
            annotation.kind, annotation.location, annotation.text, annotation.note, annotation.color,
        ]
        let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        #expect(checker.bytes == 2 * before + UInt64(bytes + BoundaryLimits.annotationOverhead))
        // A few texts, shared by ten thousand annotations, must not be copied as often.
        let long = memory.text(String(repeating: "x", count: BoundaryLimits.text))
        record.annotations = memory.list([Int](repeating: 0, count: 2000)) { _ in
            var record = ovl_annotation.sized()
            record.text = long
            return record
        }
        #expect(throws: ContractBreach.self) { try checker.check(record) }
        withExtendedLifetime(memory) {}
    }
}
