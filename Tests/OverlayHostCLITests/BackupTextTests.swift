import TestSupport
import Synchronization
import Testing

@testable import OverlayHost
@testable import OverlayHostCLI

@Suite("The text of a backup fits the terminal")
struct BackupTextTests {
    /// A backup of one app, as it is printed on standard error.
    private func errors(_ result: BackupResult, width: Int?) -> [Substring] {
        let text = ProgramBench.Text()
        var console = text.console()
        console.progressWidth = width
        let part = BackupDocument.Part(ReaderApp(bundleID: "com.example.reader", name: "Reader"), result)
        BackupDocument([part], device: "D", isDryRun: false, failure: nil).print(on: console)
        return text.errors.withLock { $0.split(separator: "\n") }
    }

    private var result: BackupResult {
        let error = HostError(
            .accessRefused, "The store protects the file of this book, so that it cannot be copied.",
            subject: "Novels/Emma.epub", hint: "Its metadata and its highlights are copied all the same.")
        let rows = ["Emma.epub", "Lady Susan.epub", "Pride and Prejudice.epub", "Sense.epub"].map {
            ItemRow(item: "Novels/\($0)", failure: error)
        }
        return BackupResult(
            folder: "Backup/Ann's iPhone (00008140-2771A51F1650B9CD)/Reader (com.example.reader)", plan: [],
            results: BatchResult(rows: rows))
    }

    @Test("Errors and the summary are wrapped between words, and lines after the first are indented")
    func wrapped() throws {
        let (lines, whole) = (errors(result, width: 50), errors(result, width: nil))
        #expect(whole.count == 4 && whole.contains { $0.count > 80 })
        #expect(lines.count > 8 && lines.allSatisfy { $0.count <= 50 })
        #expect(lines.filter { !$0.hasPrefix("  ") }.map { $0.prefix(11) } == ["overlayhost", "4 failed. F"])
        func words(_ lines: [Substring]) -> [Substring] { lines.flatMap { $0.split(separator: " ") } }
        #expect(words(lines) == words(whole))
    }

    @Test("A line that fits, and a word that fits nowhere, stay as they are")
    func exact() {
        #expect(TerminalText.indented("a  b", to: 4) == ["a  b"])
        let word = String(repeating: "x", count: 40)
        #expect(
            TerminalText.indented("  delete 'Emma  (2).epub' again", to: 26) == [
                "  delete 'Emma  (2).epub'", "  again",
            ])
        #expect(TerminalText.indented("   to \(word) it", to: 20) == ["   to", "   \(word)", "   it"])
    }

    @Test("Verifying says that it does not compare with the device")
    func verified() throws {
        let bench = try ProgramBench()
        let backup = BackupFolder(bench.folder.path("backup"))
        try BackupFolder.make(backup.path)
        try backup.finish(BackupManifest(device: "D", deviceName: nil, app: "A", appName: "Reader"))
        let run = bench.run(["backup", "--verify", backup.path])
        #expect(run.status == 0 && run.errors.contains("intact. They were not compared with the device."))
    }
}
