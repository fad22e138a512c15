import Testing

@testable import MarvinCommands

@Suite("The reader app takes one command at a time and reports on it")
struct CommandQueueTests {
    private func queue(online: Bool = true) -> CommandQueue {
        var queue = CommandQueue(
            identity: ConnectionStatus(
                timestamp: CommandTimestamp(seconds: 0), state: .offline, appVersion: "2.7.1",
                hasPassword: false))
        if online { _ = queue.handle(.entered, at: 0) }
        return queue
    }

    /// A queue that performs the golden command.
    private func running() throws -> CommandQueue {
        var queue = queue()
        _ = queue.handle(.found(["delete_books.xml"]), at: 10)
        _ = queue.handle(.contents(try Golden.bytes("delete_books.xml")), at: 20)
        return queue
    }

    private func status(
        _ code: CommandStatus.Code, _ progress: Double?, _ messages: [String] = [], tenths: Int64
    ) -> CommandQueue.Action {
        .writeStatus(
            CommandStatus(
                timestamp: CommandTimestamp(tenths: tenths), code: code, progress: progress,
                messages: messages))
    }

    @Test("Entering the connection mode writes an online connection file, once")
    func enter() {
        var queue = queue(online: false)
        guard case .writeConnection(let connection)? = queue.handle(.entered, at: 12).first else {
            Issue.record("no connection file")
            return
        }
        #expect(connection.state == .online)
        #expect(connection.appVersion == "2.7.1")
        #expect(connection.timestamp.text == "1.2")
        #expect(queue.isOnline)
        #expect(queue.handle(.entered, at: 13).isEmpty)
    }

    @Test("Going to the background writes an offline connection file, leaving the mode removes it")
    func leave() {
        var queue = queue()
        guard case .writeConnection(let connection)? = queue.handle(.suspended, at: 30).first else {
            Issue.record("no connection file")
            return
        }
        #expect(connection.state == .offline)
        #expect(!queue.isOnline)
        #expect(queue.handle(.left, at: 31) == [.removeConnection])
    }

    @Test("Commands are only taken while online")
    func offline() {
        var queue = queue(online: false)
        #expect(queue.handle(.found(["upload_books.xml"]), at: 1).isEmpty)
        #expect(!queue.isBusy)
    }

    @Test("A command goes from its file to its end: read, begun, progressing, finished, deleted")
    func wholeCommand() throws {
        var queue = queue()
        #expect(
            queue.handle(.found(["connected.xml", "delete_books.xml", "a.epub"]), at: 10) == [
                .read("delete_books.xml")
            ])
        #expect(queue.isBusy)
        #expect(
            queue.handle(.contents(try Golden.bytes("delete_books.xml")), at: 20)
                == [status(.inProgress, 0, tenths: 20), .execute(Golden.delete)])
        #expect(queue.handle(.progressed(0.5), at: 30) == [status(.inProgress, 0.5, tenths: 30)])
        #expect(
            queue.handle(.finished(.warnings, messages: ["[a] b"]), at: 40)
                == [status(.warnings, 1, ["[a] b"], tenths: 40), .remove("delete_books.xml")])
        #expect(!queue.isBusy)
    }

    @Test("Deletions go before other commands, which wait")
    func order() throws {
        var queue = queue()
        #expect(
            queue.handle(.found(["rebuild_collections.xml", "upload_books.xml", "delete_books.xml"]), at: 1)
                == [.read("delete_books.xml")])
        #expect(queue.handle(.found(["upload_books.xml"]), at: 2).isEmpty)
        _ = queue.handle(.contents(try Golden.bytes("delete_books.xml")), at: 3)
        #expect(queue.handle(.found(["upload_books.xml"]), at: 4).isEmpty)
        _ = queue.handle(.finished(.success, messages: []), at: 5)
        #expect(
            queue.handle(.found(["rebuild_collections.xml", "upload_books.xml"]), at: 6) == [
                .read("upload_books.xml")
            ])
    }

    @Test(
        "Files that are not commands are left alone",
        arguments: [
            ["upload_books.tmp"], ["status.xml"], ["update_items.xml"], ["x.epub"], [],
        ])
    func noCommand(names: [String]) {
        var queue = queue()
        #expect(queue.handle(.found(names), at: 1).isEmpty)
    }

    @Test("An unreadable or ill-formed command fails with a message and is deleted")
    func illFormed() {
        for event in [
            CommandQueue.Event.contents(Array("<uploadbooks".utf8)), .unreadable("it is not a regular file"),
        ] {
            var queue = queue()
            _ = queue.handle(.found(["upload_books.xml"]), at: 1)
            let actions = queue.handle(event, at: 2)
            guard case .writeStatus(let status)? = actions.first else {
                Issue.record("no status")
                return
            }
            #expect(status.code == .failure)
            #expect(status.messages.first?.hasPrefix("upload_books.xml: ") == true)
            #expect(actions.last == .remove("upload_books.xml"))
            #expect(!queue.isBusy)
        }
    }

    @Test("No two files get the same timestamp, even if the clock stands still or goes back")
    func timestamps() throws {
        var queue = try running()
        var seen: Set<String> = []
        for (step, tenths) in ([20, 20, 20, 5, 0, 21] as [Int64]).enumerated() {
            guard
                case .writeStatus(let status)? = queue.handle(.progressed(Double(step) / 10), at: tenths)
                    .first
            else {
                Issue.record("no status")
                return
            }
            #expect(seen.insert(status.timestamp.text).inserted)
        }
    }

    @Test(
        "Progress is brought into range",
        arguments: [(-1.0, 0.0), (2.0, 1.0), (.nan, nil)] as [(Double, Double?)])
    func progressRange(fraction: Double, expected: Double?) throws {
        var queue = try running()
        #expect(queue.handle(.progressed(fraction), at: 99) == [status(.inProgress, expected, tenths: 99)])
    }

    @Test("A request to stop reaches the running command once and is taken away")
    func stop() throws {
        var queue = try running()
        #expect(
            queue.handle(.found(["cancel.command", "delete_books.xml"]), at: 30) == [
                .remove("cancel.command"), .stop,
            ])
        #expect(queue.handle(.found(["cancel.command"]), at: 31) == [.remove("cancel.command")])
        #expect(
            queue.handle(.finished(.cancelled, messages: []), at: 32)
                == [status(.cancelled, 1, tenths: 32), .remove("delete_books.xml")])
    }

    @Test("A request to stop that comes too late does not stop the next command")
    func lateStop() {
        var queue = queue()
        #expect(
            queue.handle(.found(["cancel.command", "upload_books.xml"]), at: 1)
                == [.remove("cancel.command"), .read("upload_books.xml")])
    }

    @Test("Leaving in the middle stops the work silently, and the command is found again later")
    func leaveInTheMiddle() throws {
        for event in [CommandQueue.Event.suspended, .left] {
            var queue = try running()
            let actions = queue.handle(event, at: 50)
            #expect(actions.first == .stop)
            #expect(actions.count == 2)
            #expect(queue.handle(.progressed(0.5), at: 51).isEmpty)
            #expect(queue.handle(.finished(.success, messages: []), at: 52).isEmpty)
            _ = queue.handle(.entered, at: 53)
            #expect(queue.handle(.found(["delete_books.xml"]), at: 54) == [.read("delete_books.xml")])
        }
    }

    @Test("Events out of turn have no effect")
    func unfitting() {
        var queue = queue()
        #expect(queue.handle(.contents([]), at: 1).isEmpty)
        #expect(queue.handle(.unreadable("x"), at: 1).isEmpty)
        #expect(queue.handle(.progressed(1), at: 1).isEmpty)
        #expect(queue.handle(.finished(.success, messages: []), at: 1).isEmpty)
    }
}
