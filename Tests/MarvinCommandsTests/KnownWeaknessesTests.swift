import Testing

@testable import MarvinCommands

@Suite("Weaknesses of the original driver cannot happen here")
struct KnownWeaknessesTests {
    private func exchange(_ title: String = "T") -> CommandExchange {
        CommandExchange(
            .deleteBooks(
                DeleteBooks(
                    timestamp: CommandTimestamp(seconds: 1),
                    books: [DeleteBooks.Book(author: "A", title: title, uuid: "u", fileName: "gone.epub")])),
            stagedDocuments: ["/Library/calibre/gone.epub"], stagingFolder: ScriptedReader.folder)
    }

    /// Weakness 1 in docs/weaknesses.md.
    @Test(
        "Every kind of missing answer ends in bounded time",
        arguments: [
            "", "<status", "no xml", "<status timestamp='1' code='-1'/>", "<status code='x'/>", "<status/>",
        ])
    func endlessWait(status: String) {
        let reader = ScriptedReader()
        reader.onWait = { $0["status.xml"] = Array(status.utf8) }
        var exchange = exchange()
        #expect(exchange.run(on: reader).ending == .timedOut)
        #expect(reader.now <= .seconds(16))
        #expect(reader.log.count < 100)
    }

    /// Weakness 2 in docs/weaknesses.md.
    @Test("After a time-out neither the command nor a staged book remains")
    func staleCommands() {
        let reader = ScriptedReader()
        reader["gone.epub"] = [1]
        var exchange = exchange()
        #expect(exchange.run(on: reader).ending == .timedOut)
        #expect(reader.leftovers.isEmpty)
    }

    /// Weakness 2 in docs/weaknesses.md.
    @Test("A command that a lost cable left behind is finished before the next one begins")
    func staleCommandOfLastSession() {
        let reader = ScriptedReader()
        reader["upload_books.xml"] = [1]
        reader["status.xml"] = CommandStatus(timestamp: CommandTimestamp(seconds: 1), code: .success)
            .encoded()
        reader.onWait = { reader in if reader.now > .seconds(3) { reader["upload_books.xml"] = nil } }
        var exchange = exchange()
        #expect(exchange.run(on: reader).ending == .timedOut, "the old status is not taken for an answer")
        #expect(!reader.log.contains("remove /Library/calibre/upload_books.xml"))
        #expect(reader.leftovers.isEmpty)
    }

    /// Weakness 7 in docs/weaknesses.md.
    @Test(
        "A batch with one bad title is not lost",
        arguments: [
            "both \" and '", "A & B < C", "&foo; &amp;", "bell \u{7} and null \u{0}", "]]>", "😀",
        ])
    func illFormedCommands(title: String) throws {
        let book = DeleteBooks.Book(author: title, title: title, uuid: "u", fileName: "a")
        let commands: [Command] = [
            .deleteBooks(DeleteBooks(timestamp: CommandTimestamp(seconds: 1), books: [book, book])),
            .rebuildCollections(
                RebuildCollections(
                    timestamp: CommandTimestamp(seconds: 1),
                    books: [
                        RebuildCollections.Book(
                            fileName: "a", title: title, author: "A", uuid: "u", collections: [title]),
                        RebuildCollections.Book(
                            fileName: "b", title: title, author: "A", uuid: "v", collections: [title]),
                    ])),
        ]
        for command in commands {
            #expect(try Command(decoding: command.encoded()).fileNames.count == 2)
        }
    }

    /// Weakness 10 in docs/weaknesses.md.
    @Test("Each message becomes a rejection, in order, regardless of its form")
    func rejectionsLost() {
        let reader = ScriptedReader()
        reader.onWait = { reader in
            reader["delete_books.xml"] = nil
            reader.answer(
                .warnings, ["[gone.epub] no such book", "plain words", "[never-heard-of.epub] odd", "[half"])
        }
        var exchange = exchange()
        let outcome = exchange.run(on: reader)
        #expect(outcome.rejections.map(\.fileName) == ["gone.epub", nil, "never-heard-of.epub", nil])
        #expect(outcome.rejections.map(\.reason) == ["no such book", "plain words", "odd", "[half"])
    }

    /// Weakness 10 in docs/weaknesses.md.
    @Test(
        "A code without any message still ends the exchange cleanly",
        arguments: [
            CommandStatus.Code.warnings, .failure, .cancelled,
        ])
    func rejectionsFatal(code: CommandStatus.Code) {
        let reader = ScriptedReader()
        reader.onWait = { reader in
            reader["delete_books.xml"] = nil
            reader.answer(code)
        }
        var exchange = exchange()
        #expect(exchange.run(on: reader).rejections.isEmpty)
        #expect(reader["status.xml"] == nil)
    }
}
