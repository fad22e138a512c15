import Synchronization
import DeviceTransport
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@testable import OverlayHost
@testable import OverlayHostCLI

@Suite("Output that cannot be written is an error")
struct LostOutputTests {
    @Test("A full disk or a closed standard output ends with 74; a reader that went away does not")
    func statuses() throws {
        let bench = try ProgramBench()
        for (code, status) in [(ENOSPC, 74), (EBADF, 74), (EIO, 74), (EPIPE, 0)] as [(Int32, Int32)] {
            let run = bench.run(["prefs", "path"], outputError: code)
            #expect(run.status == status)
            #expect(run.errors.contains("Cannot write the result") == (status != 0))
        }
        #expect(bench.run(["--help"], outputError: ENOSPC).status == 74)
        // A failure with its own status keeps it.
        #expect(bench.run(["apps"], outputError: ENOSPC).status == 69)
    }

    @Test("Writing returns the errno")
    func write() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        #expect(StandardStreams.write("text", to: full) == ENOSPC)
        #expect(StandardStreams.write("", to: full) == nil)
    }
}

@Suite("Files that a command makes are whole")
struct NewFileTests {
    @Test("A new file is written whole")
    func new() throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8]((0..<70_000).map { UInt8(truncatingIfNeeded: $0) })
        try NewFile.write(bytes, to: folder.path("cover"), what: "cover")
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("cover")) == Data(bytes))
    }

    @Test("An existing file is not changed, and the exit status is 73")
    func existing() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("cover")
        try Data("mine".utf8).write(to: file)
        let error = #expect(throws: HostError.self) {
            try NewFile.write([1], to: file.path, what: "cover")
        }
        #expect(error?.exitStatus == .cannotCreate)
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    @Test("A missing folder is named in the system's words")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: HostError.self) {
            try NewFile.write([1], to: folder.path("no/cover"), what: "cover")
        }
        #expect(error?.exitStatus == .cannotCreate)
        #expect(error?.message == "Cannot save the cover: No such file or directory.")
    }

    @Test("A disk that is full is named")
    func full() {
        // /dev/full exists, so it is never opened for writing.
        let error = #expect(throws: HostError.self) { try NewFile.write([1], to: "/dev/full", what: "cover") }
        #expect(error?.code == .alreadyExists)
    }
}

@Suite("Answers to a question are read")
struct AnswerTests {
    /// A pipe with `text` in it, whose writing end is closed when `isComplete`.
    private func withPipe(_ text: String, isComplete: Bool, _ body: (Int32) -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(StandardStreams.write(text, to: ends[1]) == nil)
        if isComplete { close(ends[1]) }
        body(ends[0])
        if !isComplete { close(ends[1]) }
    }

    @Test("A line is taken without its spaces, and only that line")
    func line() throws {
        try withPipe(" Yes \nno\n", isComplete: false) { descriptor in
            #expect(Answer.read(descriptor, Cancellation()) == .line("Yes"))
            #expect(Answer.read(descriptor, Cancellation()) == .line("no"))
        }
    }

    @Test("The end of the input is not an answer, unless there is half a line")
    func end() throws {
        try withPipe("", isComplete: true) { #expect(Answer.read($0, Cancellation()) == .end) }
        try withPipe("y", isComplete: true) { #expect(Answer.read($0, Cancellation()) == .line("y")) }
    }

    @Test("Ctrl-C ends the waiting")
    func cancelled() throws {
        try withPipe("ye", isComplete: false) { descriptor in
            let cancellation = Cancellation()
            Thread.detachNewThread { cancellation.cancel() }
            #expect(Answer.read(descriptor, cancellation) == .cancelled)
        }
    }
}

@Suite("Rows of a batch are printed")
struct BatchDocumentTests {
    private static let gone = HostError(.deviceGone, "The device was unplugged.", hint: "Connect it again.")

    private func text(_ rows: [ItemRow], _ failure: HostError) -> String {
        let text = ProgramBench.Text()
        BatchDocument.print(BatchResult(rows: rows, failure: failure), on: text.console())
        return text.errors.withLock { $0 }
    }

    @Test("A message that every failed row has is not repeated")
    func same() {
        let rows = ["a", "b"].map { ItemRow(item: $0, failure: Self.gone) }
        #expect(text(rows, Self.gone).components(separatedBy: "unplugged").count == 2)
        let mixed = [ItemRow(item: "c", status: .added)] + rows
        #expect(text(mixed, Self.gone).components(separatedBy: "unplugged").count == 2)
    }

    @Test("A pulled cable is reported once, in any words of the rows")
    func pulledCable() {
        let other = HostError(.unsupportedFormat, "The file is not an EPUB.")
        var own = ItemRow(item: "b", failure: Self.gone)
        own.message = "The cable was unplugged before the reader app confirmed this book."
        let text = text([ItemRow(item: "a", failure: other), own], Self.gone)
        #expect(text.components(separatedBy: "unplugged").count == 2)
    }

    @Test("Messages that the rows lack are reported for the command")
    func different() {
        let other = HostError(.unsupportedFormat, "This is not an EPUB.")
        let cancelled = HostError(.cancelled, "The command was cancelled.")
        let rows = [ItemRow(item: "a", failure: other), ItemRow(item: "b", failure: cancelled)]
        #expect(text(rows, cancelled).components(separatedBy: "cancelled").count == 3)
        #expect(text([ItemRow(item: "a", status: .added)], Self.gone).contains("unplugged"))
        #expect(text([], Self.gone).contains("unplugged"))
        var hintless = ItemRow(item: "a", failure: Self.gone)
        hintless.hint = nil
        #expect(text([hintless], Self.gone).contains("Connect it again."))
    }

    @Test("JSON always has the error")
    func json() {
        let result = BatchResult(rows: [ItemRow(item: "a", failure: Self.gone)], failure: Self.gone)
        #expect(BatchDocument.json(result).object?["error"] != nil)
    }
}

@Suite("Errors and rows in JSON say what kind of help their hints give")
struct HintCodeTests {
    @Test("A hint with a code has it beside the text, and one without has no member for it")
    func codes() {
        let error = HostError(.appNotChosen, "Several apps.", hint: "Use --app.", hintCode: .chooseApp)
        #expect(ErrorReport.body(error).object?["hint_code"]?.string == "choose_app")
        let row = ItemRow(item: "a", failure: error)
        #expect(BatchDocument.json(row).object?["hint_code"]?.string == "choose_app")
        let lack = MissingAbility(ability: "update", reason: "No.", hint: "Use it.", hintCode: .replace)
        #expect(lack.document.object?["hint_code"]?.string == "replace")
        let plain = HostError(.busy, "Busy.", hint: "Wait.")
        #expect(ErrorReport.body(plain).object?["hint_code"] == nil)
        #expect(BatchDocument.json(ItemRow(item: "a", failure: plain)).object?["hint_code"] == nil)
    }

    @Test("An app whose overlay could not be asked has a problem")
    func problem() throws {
        var app = ReaderAppSurvey.App(
            bundleID: "a", name: "A", version: nil, overlay: "one", access: [], refused: [])
        let device = DeviceSummary(
            udid: "u", name: nil, model: nil, ios: nil, connection: "usb", pairing: nil)
        func document() throws -> JSONObject {
            let survey = DeviceDocument.json(ReaderAppSurvey(device: device, apps: [app]))
            return try #require(survey.object?["apps"]?.elements?.first?.object)
        }
        #expect(try document()["problem"] == nil)
        app.problem = HostError(.timedOut, "It did not answer.")
        #expect(try document()["problem"]?.object?["code"]?.string == "timed_out")
    }
}
