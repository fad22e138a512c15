import DeviceTransport
import Foundation
import JSON
import OverlayHost
import Platform
import Synchronization
import Testing

@testable import OverlayHostCLI

@Suite("A command runs on several devices at once")
struct ManyDevicesTests {
    private static let two = [
        DeviceChoice.Chosen(udid: "a", name: "Kitchen"), DeviceChoice.Chosen(udid: "b", name: "Cellar"),
    ]

    @Test(
        "The status is 0 if all are done, 1 if some are, and otherwise the one that all have in common",
        arguments: [
            ([0, 0], 0), ([0, 74], 1), ([1, 0], 1), ([69, 69], 69), ([69, 74], 1), ([130, 130], 130), ([], 0),
        ] as [([Int32], Int32)])
    func status(statuses: [Int32], expected: Int32) {
        #expect(ManyDevices.status(statuses.map { ExitStatus(rawValue: $0) }).rawValue == expected)
    }

    @Test("One document holds what each device gave, or its error")
    func document() throws {
        var fine = DevicePart.Outcome()
        fine.document = .document(["books": .array([]), "exit": .integer(99), "device": .string("a")])
        var broken = DevicePart.Outcome()
        broken.error = HostError(.deviceLocked, "The device is locked.", hint: "Unlock it.")
        broken.status = .refused
        guard case .array(let values)? = ManyDevices.document(Self.two, [fine, broken]).object?["devices"]
        else {
            Issue.record("there is no list")
            return
        }
        let devices = values.compactMap(\.object)
        try #require(devices.count == 2)
        #expect(devices[0].members.map(\.name) == ["udid", "name", "exit", "books", "device"])
        #expect(devices[0]["exit"] == .integer(0))
        #expect(devices[1]["exit"] == .integer(77))
        #expect(devices[1]["error"]?.object?["code"] == .string("device_locked"))
        #expect(devices[1]["name"] == .string("Cellar"))
    }

    @Test(
        "Two devices with one name are distinguished by their UDIDs, and a device without a name has its UDID"
    )
    func labels() {
        let labels = ManyDevices.labels([
            .init(udid: "a", name: "iPad"), .init(udid: "b", name: "iPad"), .init(udid: "c", name: nil),
            .init(udid: "d", name: "iPhone"),
        ])
        #expect(labels == ["iPad (a)", "iPad (b)", "c", "iPhone"])
    }

    @Test(
        "A text means one device, a list, or all",
        arguments: [
            (nil, DeviceChoice.one(nil)), ("Kitchen", .one("Kitchen")), ("all", .all), ("ALL", .all),
            ("a, b", .some(["a", "b"])), ("a,", .some(["a"])), ("a,all", .all), (",", .one(",")),
        ] as [(String?, DeviceChoice)])
    func choice(text: String?, expected: DeviceChoice) {
        #expect(DeviceChoice(text) == expected)
    }

    @Test("The chosen attached devices are shown, and a word that matches none is reported")
    func selection() {
        let attached = [("a1", "Kitchen"), ("a2", "Cellar"), ("b3", nil)].map {
            DeviceSummary(udid: $0.0, name: $0.1, connection: "usb")
        }
        func selected(_ text: String?) -> ([String], [HostError.Code]) {
            let (devices, problems) = DeviceChoice(text).select(attached)
            return (devices.map(\.udid), problems.map(\.code))
        }
        #expect(selected(nil) == (["a1", "a2", "b3"], []))
        #expect(selected("all") == (["a1", "a2", "b3"], []))
        #expect(selected("cell") == (["a2"], []))
        #expect(selected("b,kitchen") == (["a1", "b3"], []))
        #expect(selected("a") == ([], [.deviceNotChosen]))
        #expect(selected("attic,b3") == (["b3"], [.noDevice]))
        #expect(DeviceChoice("x").select([]).problems.first?.hint == "No device is attached.")
    }

    @Test("The output of a device is kept for its section, and names it")
    func part() {
        let text = ProgramBench.Text()
        let part = DevicePart()
        let console = part.console(like: text.console(), label: "Kitchen")
        console.line("a result")
        console.bytes([0xFF, 0x00])
        console.note("a note")
        console.explain(HostError(.failed, "Failed.", subject: "x"))
        #expect(text.output.withLock { $0 }.isEmpty)
        #expect(
            part.outcome.pieces == [
                .output("a result\n"), .bytes([0xFF, 0x00]), .diagnostics("Kitchen: a note\n"),
                .diagnostics("overlayhost: Kitchen: 'x': Failed.\n"),
            ])
    }
}

@Suite("One question is asked for all devices")
struct JointQuestionTests {
    private final class Asked: Sendable {
        let count = Mutex(0)
        let lines = Mutex<[String]>([])
        let question = Mutex("")

        func joint(
            _ labels: [String], _ answer: Result<Bool, HostError>,
            _ cancellation: Cancellation = Cancellation()
        ) -> JointQuestion {
            JointQuestion(labels, cancellation) { lines, question, _ in
                self.count.withLock { $0 += 1 }
                self.lines.withLock { $0 = lines }
                self.question.withLock { $0 = question }
                return answer
            }
        }
    }

    private func deletion(_ titles: String...) -> Deletion {
        Deletion(
            app: "Marvin",
            books: titles.enumerated().map { index, title in
                var book = BookRecord(path: "\(index).epub")
                book.title = title
                return book
            })
    }

    @Test(
        "A device that waits for others goes on when the run is cancelled, and the user is not asked then")
    func cancelled() {
        let asked = Asked()
        let cancellation = Cancellation()
        let joint = asked.joint(["A", "B"], .success(true), cancellation)
        SimultaneousRun.run(2) { index in
            if index == 1 { cancellation.cancel() }
            do throws(HostError) {
                _ = try joint.part(index).confirm(deletion("One"))
                Issue.record("an answer without a question")
            } catch {
                #expect(error.code == .cancelled)
            }
        }
        #expect(asked.count.withLock { $0 } == 0)
    }

    @Test("Work without a thread is reported, and holds up no other work")
    func withoutThread() {
        let asked = Asked()
        let joint = asked.joint(["A", "B"], .success(true))
        let failed = Mutex<[Int]>([])
        SimultaneousRun.run(
            2, stackSize: 1 << 50,
            withoutThread: { index in
                failed.withLock { $0.append(index) }
                joint.leave(index)
            },
            { index in
                Issue.record("a thread with \(1 << 50) bytes of stack")
                joint.leave(index)
            })
        #expect(failed.withLock { $0 } == [0, 1])
    }

    @Test(
        "The question is asked once, when every device is ready or has ended, and all get the answer",
        arguments: [true, false])
    func once(answer: Bool) {
        let asked = Asked()
        let joint = asked.joint(["A", "B", "C"], .success(answer))
        let box = Box()
        let deletions = [deletion("One"), deletion("Two", "Three")]
        SimultaneousRun.run(3) { index in
            if index < 2 {
                do throws(HostError) {
                    let said = try joint.part(index).confirm(deletions[index])
                    box.set(index, said)
                } catch {
                    Issue.record("\(error)")
                }
            }
            joint.leave(index)
        }
        #expect(asked.count.withLock { $0 } == 1)
        #expect(asked.lines.withLock { $0 } == ["A, Marvin:", "  One", "B, Marvin:", "  Two", "  Three"])
        #expect(asked.question.withLock { $0 } == "Delete these 3 books from 2 devices?")
        #expect(box.all == [0: answer, 1: answer])
    }

    @Test(
        "The person is not asked when no device has anything to delete, and a cancelled question cancels for all"
    )
    func none() {
        let asked = Asked()
        let joint = asked.joint(["A", "B"], .success(true))
        joint.leave(0)
        joint.leave(1)
        #expect(asked.count.withLock { $0 } == 0)
        let cancelled = asked.joint(["A", "B"], .failure(HostError(.cancelled, "Nothing was deleted.")))
        cancelled.leave(1)
        #expect(throws: HostError.self) { try cancelled.part(0).confirm(deletion("One")) }
    }

    @Test("Books with the same title are distinguished, and a missing book is named")
    func lines() {
        var twins = deletion("Same", "Same", "Other")
        twins.books[0].authors = ["Ada", "Bob"]
        twins.losses = [ExactText(twins.books[2].path): "It has a note."]
        twins.strangers = [("nonsense", "No book has this name.")]
        #expect(
            twins.lines == [
                "  Same (Ada, Bob, 0.epub)", "  Same (1.epub)", "  Other  It has a note.",
                "  'nonsense' is not deleted: No book has this name.",
            ])
    }

    private final class Box: Sendable {
        private let values = Mutex<[Int: Bool]>([:])
        func set(_ index: Int, _ value: Bool) { values.withLock { $0[index] = value } }
        var all: [Int: Bool] { values.withLock { $0 } }
    }
}

@Suite("Progress of several devices is shown")
struct ProgressBoardTests {
    private func line(_ done: UInt64) -> ProgressLine {
        ProgressLine(phase: "Adding books", itemsDone: done, itemsTotal: 10)
    }

    private func display(_ labels: [String], width: Int?, height: Int? = 24, verbose: Bool = false)
        -> (MultiDeviceProgress, ProgramBench.Text)
    {
        let text = ProgramBench.Text()
        var console = text.console()
        console.progressWidth = width
        console.progressHeight = height
        return (MultiDeviceProgress(console: console, labels: labels, writesLines: verbose), text)
    }

    @Test("A terminal shows one line for each device, redrawn in place, and none at the end")
    func terminal() throws {
        let (display, text) = display(["Kitchen", "Cellar"], width: 80)
        let start = ContinuousClock.now
        display.update(0, line(1), now: start)
        #expect(text.errors.withLock { $0 }.isEmpty)
        display.update(1, line(2), now: start.advanced(by: .seconds(2)))
        let first = text.errors.withLock { $0 }
        #expect(first.split(separator: "\n").count == 2)
        #expect(first.contains("Kitchen  Adding books"))
        #expect(first.contains("Cellar   Adding books"))
        display.end(0, "done", now: start.advanced(by: .seconds(3)))
        #expect(text.errors.withLock { $0 }.hasPrefix(first + "\r\u{1B}[2A\u{1B}[JKitchen  done\n"))
        display.clear()
        #expect(text.errors.withLock { $0 }.hasSuffix("\r\u{1B}[2A\u{1B}[J"))
    }

    /// A console on a terminal, and its output.
    private func drawn() -> (ProgramBench.Text, Console) {
        let text = ProgramBench.Text()
        var console = text.console()
        console.progressWidth = 80
        return (text, console)
    }

    @Test("Output of overlays and log lines go above the lines")
    func asides() throws {
        let (text, console) = drawn()
        let notePrinter = NotePrinter(console)
        notePrinter.note("before anything is drawn")
        let display = MultiDeviceProgress(
            console: console, labels: ["Kitchen", "Cellar"], writesLines: false)
        notePrinter.speak(above: display.sink(1))
        let start = ContinuousClock.now
        for slot in [0, 1] {
            display.update(slot, line(1), now: start.advanced(by: .seconds(2 * slot)))
        }
        let drawn = text.errors.withLock { $0 }
        #expect(drawn.hasPrefix("before anything is drawn\nKitchen"))
        notePrinter.say("12:00:00.000 info host: a log\n")
        let after = text.errors.withLock { $0 }.dropFirst(drawn.count)
        #expect(after.hasPrefix("\r\u{1B}[2A\u{1B}[J12:00:00.000 info host: a log\nKitchen  Adding"))
    }

    @Test("Messages go above a single device's line as well, and disabled ones are not shown")
    func asidesOfOne() throws {
        let (text, console) = drawn()
        let notePrinter = NotePrinter(console)
        let display = ProgressDisplay(console: console)
        notePrinter.speak(above: display)
        let start = ContinuousClock.now
        for seconds in [0, 2] { display.update(line(1), now: start.advanced(by: .seconds(seconds))) }
        notePrinter.note("faulty: words")
        #expect(text.errors.withLock { $0 }.hasSuffix("\r\u{1B}[Kfaulty: words\n"))
        let silent = ProgramBench.Text()
        NotePrinter(silent.console(quiet: true)).note("faulty: words")
        #expect(silent.errors.withLock { $0 }.isEmpty)
    }

    @Test("A pipe gets one line for each step of each device, without a bar")
    func piped() {
        let (display, text) = display(["Kitchen", "Cellar"], width: nil, verbose: true)
        for done in 0..<3 { for slot in [0, 1] { display.update(slot, line(UInt64(done)), now: .now) } }
        display.update(0, ProgressLine(phase: "Checking"), now: .now)
        let lines = text.errors.withLock { $0 }.split(separator: "\n")
        #expect(
            lines == [
                "Kitchen: \(line(0).announcement)", "Cellar: \(line(0).announcement)", "Kitchen: Checking",
            ])
        #expect(!line(1).announcement.contains("█") && line(1).announcement.hasPrefix("Adding books, "))
        let single = ProgramBench.Text()
        let one = ProgressDisplay(console: single.console(), writesLines: true)
        for done in 0..<3 { one.update(line(UInt64(done))) }
        #expect(single.errors.withLock { $0 } == line(0).announcement + "\n")
    }

    @Test(
        "No line is wider than the terminal, and there are never more than it has", arguments: [10, 24, 80])
    func narrow(width: Int) {
        let labels = (0..<40).map { "Kitchen iPad number \($0)" }
        let (display, text) = display(labels, width: width, height: 12)
        let start = ContinuousClock.now
        for slot in labels.indices {
            display.update(slot, line(1), now: start.advanced(by: .seconds(slot == 39 ? 5 : 0)))
        }
        let lines = text.errors.withLock { $0 }.split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines.last == "… and 31 more")
        for line in lines { #expect(TerminalText.width(of: String(line)) < max(width, 14)) }
    }

    @Test(
        "Without a terminal each step is a line with its device, on request",
        arguments: [true, false])
    func pipe(verbose: Bool) {
        let (display, text) = display(["Kitchen", "Cellar"], width: nil, verbose: verbose)
        let start = ContinuousClock.now
        display.update(0, line(1), now: start)
        display.update(0, line(1), now: start)
        display.update(1, line(1), now: start)
        let lines = text.errors.withLock { $0 }.split(separator: "\n")
        #expect(lines.count == (verbose ? 2 : 0))
        if verbose { #expect(lines[0].hasPrefix("Kitchen: Adding books")) }
    }

    @Test("Messages in between do not tear the lines")
    func saying() {
        let (display, text) = display(["Kitchen"], width: 80)
        let start = ContinuousClock.now
        display.update(0, line(1), now: start)
        display.update(0, line(2), now: start.advanced(by: .seconds(2)))
        let before = text.errors.withLock { $0.count }
        display.sink(0).say("Kitchen: a word\n")
        let said = text.errors.withLock { String($0.dropFirst(before)) }
        #expect(said.hasPrefix("\r\u{1B}[1A\u{1B}[JKitchen: a word\nKitchen  "))
    }
}
