import OverlayKitTesting
import OverlayBridge
import OverlayKit
import Testing

@testable import BookFolders

@Suite("Values from another program stay when only the cover of a book is read from the file")
struct KnownBookTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    /// Makes a file known from elsewhere, without a cover by default.
    private func know(_ path: String, _ content: String, cover: [UInt8]? = nil) throws {
        host.put(path, content)
        let book = Book(
            uuid: "u", title: "Edited", authors: ["B"], coverMediaType: cover.map { _ in "image/png" },
            coverData: cover)
        let files = [
            try #require(ShelfPath(path)): ShelfOptions.KnownBook(
                size: UInt64(content.utf8.count), book: book)
        ]
        bench.options.known = { () throws(OverlayError) in files }
    }

    private func check(_ book: Book, cover: String?) {
        #expect(book.title == "Edited" && book.authors == ["B"] && book.uuid == "u")
        #expect(book.coverData == cover.map { Array($0.utf8) })
    }

    @Test("The file's cover is added to it, whichever listing comes first", arguments: [true, false])
    func merged(isPlainFirst: Bool) throws {
        try know("a.pdf", bookText("Inner", ["A"], cover: "abc"))
        if isPlainFirst { check(try bench.books()[0], cover: nil) }
        check(try bench.books(covers: true)[0], cover: "abc")
        check(try bench.books()[0], cover: nil)
        host.resetCounts()
        check(try bench.books(covers: true)[0], cover: "abc")
        #expect(host.bytesRead == 0)
    }

    @Test(
        "A file without a cover, or one that cannot be read, is looked into once", arguments: [true, false])
    func none(isBroken: Bool) throws {
        try know("a.pdf", (isBroken ? "BROKEN" : "") + bookText("Inner", ["A"]))
        for _ in 0..<3 { check(try bench.books(covers: true)[0], cover: nil) }
        #expect(host.operations.filter { $0.hasPrefix("metadata") }.count == 1)
    }

    @Test("A copy of the file that was moved keeps what is known")
    func moved() throws {
        try know("a.pdf", bookText("Inner", ["A"], cover: "abc"))
        _ = try bench.books()
        host.move("a.pdf", to: "B/b.pdf")
        check(try bench.books(covers: true)[0], cover: "abc")
        check(try bench.books()[0], cover: nil)
    }

    @Test("If the known cover was not kept, only the cover is taken from the file")
    func lostCover() throws {
        try know("a.pdf", bookText("Inner", ["A"], cover: "abc"), cover: [0x89, 0x50])
        #expect(try bench.books(covers: true)[0].coverData == [0x89, 0x50])
        for key in host.stored.keys where key.contains("cover-") { host.stored[key] = nil }
        check(try bench.books(covers: true)[0], cover: "abc")
    }
}

@Suite("Large covers are kept like others, as long as there is room")
struct LargeCoverTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    @Test("A cover of some megabytes is read from the device once")
    func once() throws {
        let text = "Title: A\nCover bytes: \((1 << 20) + 10)\n" + String(repeating: "x", count: 20_000)
        host.put("a.pdf", text)
        let books = try bench.books(covers: true)
        #expect(books[0].coverData?.count == (1 << 20) + 10)
        host.resetCounts()
        #expect(try bench.books(covers: true) == books)
        #expect(!host.operations.contains { $0.hasPrefix("metadata") })
    }

    @Test(
        "All large covers together stay within their limit, and small covers are kept as well"
    )
    func bounded() throws {
        let services = try host.services()
        let cache = MetadataCache(services.storage, log: services.log)
        cache.mostLargeCovers = 5 << 20
        func keep(_ number: UInt8, _ count: Int) throws -> Bool {
            let content = try ContentFingerprint(size: UInt64(number), [[number]])
            var file = CachedFile(
                FoundFile(path: try #require(ShelfPath("\(number).pdf")), size: UInt64(number), modified: 1))
            file.fingerprint = content
            file.readState = .book(CompactBook(Book(coverMediaType: "image/jpeg", coverSize: UInt64(count))))
            cache.set(file)
            cache.setCover([UInt8](repeating: number, count: count), content)
            return cache.cover(content) != nil
        }
        #expect(try keep(1, 2 << 20))
        #expect(try keep(2, 2 << 20))
        #expect(try !keep(3, 2 << 20))
        #expect(try keep(4, 1 << 20))
        for number in [1, 3] { cache.remove(try #require(ShelfPath("\(number).pdf"))) }
        #expect(try keep(5, 2 << 20))
    }

    @Test("A large cache is stored in several documents, and only those with changed files are written again")
    func storedInParts() throws {
        let services = try host.services()
        func paths() -> [String] {
            MetadataCache(services.storage, log: services.log).entries.map(\.path.text).sorted()
        }
        func documents() -> [String: [UInt8]] { host.stored.filter { $0.key.contains("books") } }
        let cache = MetadataCache(services.storage, log: services.log)
        cache.parts?.filesPerPart = 8
        for number in 0..<50 { cache.set(try file(number)) }
        cache.save()
        #expect(documents().count == 8)
        #expect(paths() == (0..<50).map { "\($0).pdf" }.sorted())

        let before = documents()
        let later = MetadataCache(services.storage, log: services.log)
        later.parts?.filesPerPart = 8
        later.set(try file(50))
        later.save()
        #expect(documents().count == 8)
        #expect(documents().count { before[$0.key] != $0.value } == 1)
        #expect(paths() == (0...50).map { "\($0).pdf" }.sorted())

        let fewer = MetadataCache(services.storage, log: services.log)
        for number in 3...50 { fewer.remove(try #require(ShelfPath("\(number).pdf"))) }
        fewer.save()
        #expect(documents().count == 1)
        #expect(paths() == ["0.pdf", "1.pdf", "2.pdf"])
    }

    @Test(
        "A missing or damaged part of the cache loses only its own files and is written again",
        arguments: [0, 2], [true, false])
    func damagedPart(number: Int, isMissing: Bool) throws {
        let services = try host.services()
        func cache() -> MetadataCache {
            let cache = MetadataCache(services.storage, log: services.log)
            cache.parts?.filesPerPart = 8
            return cache
        }
        let files = try (0..<40).map(file)
        let first = cache()
        for file in files { first.set(file) }
        first.save()
        let key = try #require(host.stored.keys.first { $0.hasSuffix("books-\(number)-of-8.json") })
        if isMissing { host.stored[key] = nil } else { host.stored[key]?[0] ^= 1 }
        let damaged = cache()
        #expect((25..<40).contains(Set(damaged.entries.map(\.path)).count))
        for file in files { damaged.set(file) }
        let before = host.stored
        damaged.save()
        #expect(host.stored.filter { before[$0.key] != $0.value }.map(\.key) == [key])
        #expect(Set(cache().entries.map(\.path)).count == 40)
    }

    @Test("A program that was killed while it changed the number of parts leaves the former ones in use")
    func killedBetweenParts() throws {
        let services = try host.services()
        func cache() -> MetadataCache {
            let cache = MetadataCache(services.storage, log: services.log)
            cache.parts?.filesPerPart = 8
            return cache
        }
        let first = cache()
        for number in 0..<14 { first.set(try file(number)) }
        first.save()
        var puts = 0
        host.fault = { operation, _ in
            guard operation == "storage.put" else { return nil }
            puts += 1
            return puts > 3 ? .hostIO : nil
        }
        let second = cache()
        for number in 14..<30 { second.set(try file(number)) }
        second.save()
        host.fault = { _, _ in nil }
        #expect(host.stored.keys.count { $0.contains("books-") } == 2 + 3)
        let third = cache()
        #expect(Set(third.entries.map(\.path)).count == 14)
        for number in 14..<30 { third.set(try file(number)) }
        third.save()
        #expect(host.stored.keys.count { $0.contains("books-") } == 4)
        #expect(Set(cache().entries.map(\.path)).count == 30)
    }

    private func file(_ number: Int) throws -> CachedFile {
        CachedFile(
            FoundFile(path: try #require(ShelfPath("\(number).pdf")), size: UInt64(number), modified: 1))
    }
}
