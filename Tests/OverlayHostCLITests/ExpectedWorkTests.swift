import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("What a command line will need is known before it is parsed")
struct ExpectedWorkTests {
    @Test("Every verb with work in advance is a verb of the program")
    func verbs() {
        for verb in ExpectedWork.verbs.keys { #expect(OverlayHostCommand.subcommand(verb) != nil, "\(verb)") }
    }

    @Test("A verb that uses an app needs a worker and the device")
    func session() {
        let session = ExpectedWork(workers: 1, opensDevice: true)
        #expect(ExpectedWork(["books"]) == session)
        #expect(ExpectedWork(["upload", "a.epub", "--app", "Kindle"]) == session)
        #expect(ExpectedWork(["sniff", "books"]) == ExpectedWork(workers: 0))
        #expect(ExpectedWork([]) == ExpectedWork(workers: 0))
    }

    @Test(
        "Nothing is begun for a simulated device, for overlays in this process, or for a text",
        arguments: [
            "--simulated", "--simulated=folder", "--watch", "--in-process",
            "--help", "-h",
        ])
    func exceptions(word: String) {
        #expect(ExpectedWork(["books", word]) == ExpectedWork(workers: 0))
    }

    @Test("Named devices are not opened in advance, and each needs a worker")
    func devices() {
        #expect(ExpectedWork(["books", "--device", "Anna"]) == ExpectedWork(workers: 1))
        #expect(ExpectedWork(["upload", "a", "--device=Anna,Ben, Cy"]) == ExpectedWork(workers: 3))
        #expect(ExpectedWork(["books", "--device", "all"]) == ExpectedWork(workers: 4))
        let many = Array(repeating: "A", count: 100).joined(separator: ",")
        #expect(ExpectedWork(["books", "--device", many]) == ExpectedWork(workers: 32))
        #expect(ExpectedWork(["books", "--device"]) == ExpectedWork(workers: 0))
    }
}
