import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("An interrupted command leaves the device consistent and can be repeated")
struct InterruptionTests {
    @Test("Ctrl-C while Marvin works ends with 130, nothing staged, and the next run finishes it")
    func controlC() throws {
        let bench = try ReaderBench()
        let (marvin, staged) = try bench.neverAnsweringMarvin()
        let book = try RealBooks.history("lt").path
        let program = try bench.start("upload", book, "--json")
        #expect(staged.wait())
        program.interrupt()
        #expect(program.wait() == 130)
        #expect(try bench.staged().isEmpty)

        marvin.behaviour = MarvinBehaviour()
        #expect(try bench.json("upload", book).texts("results", "status") == ["added"])
    }

    @Test("A cable pulled in the middle of an upload ends with 74 and a row for every book")
    func unplugged() throws {
        let bench = try ReaderBench()
        let (device, daemon) = (bench.device, bench.daemon)
        device.onFileRequest { request in
            if request.operation == "FILE_WRITE" { daemon.detach(device) }
        }
        let books = try [RealBooks.history("en").path, RealBooks.history("de").path]
        let upload = try bench.json("upload", books[0], books[1])
        #expect(upload.status == 74, "\(upload.errors)")
        #expect(upload.error("code") == "device_gone")
        #expect(upload.texts("results", "status") == ["failed", "failed"])

        device.onFileRequest(nil)
        daemon.attach(device)
        #expect(
            try bench.json("upload", books[0], books[1]).texts("results", "status") == ["added", "added"])
        #expect(try bench.staged().isEmpty)
    }

    @Test("A full disk is reported per book, and nothing half-written stays")
    func diskFull() throws {
        let bench = try ReaderBench()
        try bench.device.update {
            $0.faults = FaultPlan([
                Fault(.diskFull(keeping: 1000), path: .below("/Library/calibre"), operation: "FILE_WRITE")
            ])
        }
        let upload = try bench.json("upload", RealBooks.history("ru").path)
        #expect(upload.status != 0)
        #expect(upload.texts("results", "status") == ["failed"])
        #expect(upload.texts("results", "code") == ["no_space"])
        #expect(try bench.staged().isEmpty)
        #expect(try bench.json("books").rows("books").isEmpty)
    }

    @Test("Too little free space is noticed before anything is sent")
    func freeSpace() throws {
        let bench = try ReaderBench { $0.freeBytes = 1000 }
        let upload = try bench.json("upload", RealBooks.history("ru").path)
        #expect(upload.texts("results", "status") == ["failed"])
        #expect(bench.device.fileRequests.allSatisfy { $0.operation != "FILE_WRITE" })
    }

    @Test("A Marvin that refuses the command adds nothing, and nothing stays staged")
    func failure() throws {
        let bench = try ReaderBench()
        bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(MarvinBehaviour(named: "failure"))
        let upload = try bench.json("upload", RealBooks.history("fr").path)
        #expect(upload.status == 1)
        #expect(upload.texts("results", "status") == ["failed"])
        #expect(try bench.staged().isEmpty)
    }

    @Test(
        "If Marvin leaves after the first of two books, one is added and nothing stays staged",
        arguments: ["goes-offline", "leaves-connection-mode", "cancelled"])
    func leaves(name: String) throws {
        let bench = try ReaderBench()
        bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(MarvinBehaviour(named: name))
        let books = try [RealBooks.history("fr").path, RealBooks.history("de").path]
        let upload = try bench.json("upload", books[0], books[1])
        #expect(upload.status != 0)
        #expect(upload.texts("results", "status") == ["added", "failed"])
        #expect(try bench.staged().isEmpty)

        bench.device.marvin(ReaderBench.marvin)?.behaviour = MarvinBehaviour()
        #expect(
            try bench.json("upload", books[0], books[1]).texts("results", "status") == ["skipped", "added"])
    }

    @Test(
        "A half-written status is read again, and a command file left behind does no harm",
        arguments: [
            "half-written-status", "dies-before-deleting-the-command", "warnings",
        ])
    func tolerated(name: String) throws {
        let bench = try ReaderBench()
        bench.device.marvin(ReaderBench.marvin)?.behaviour = try #require(MarvinBehaviour(named: name))
        let upload = try bench.json("upload", RealBooks.history("fr").path)
        #expect(upload.texts("results", "status") == ["added"])
        #expect(try bench.json("books").rows("books").count == 1)
    }
}
