import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Highlights in PDF files are backed up like those that an app lists")
struct BackupPDFHighlightsTests {
    private let bench: ReaderBench
    /// A folder with a program that reads words, and one without it.
    private let (withWords, withoutWords): (String, String)

    init() throws {
        bench = try ReaderBench.paperback()
        let documents = SimulatedReader(device: bench.device).documents
        try FileManager.default.removeItem(at: documents)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        (withWords, withoutWords) = (try bench.wordReader(), bench.folder.path)
    }

    /// Writes the PDF file in the app, as the app itself does.
    private func put(_ bytes: [UInt8], _ name: String = "Notes.pdf") throws {
        try Data(bytes).write(
            to: SimulatedReader(device: bench.device).documents.appendingPathComponent(name))
    }

    private func marked(_ words: String) -> [UInt8] {
        HighlightedPDF.bytes("/Contents (\(words)) " + HighlightedPDF.area)
    }

    /// Backs up the app, and returns the document and the actions of its plan.
    private func backup(_ options: String..., path: String) throws -> (document: Document, actions: [String])
    {
        let document = try Document(
            bench.run(
                words: ["backup", bench.folder.path("backup"), "--app", "Paperback", "--json"] + options,
                environment: ["PATH": path]))
        let plan = document.rows("apps").first?["plan"] as? [[String: Any]] ?? []
        return (document, plan.compactMap { $0["action"] as? String })
    }

    /// The files of highlights in the backup, by their names.
    private func saved() throws -> [String: String] {
        var found: [String: String] = [:]
        let root = bench.folder.path("backup")
        for name in try FileManager.default.subpathsOfDirectory(atPath: root)
        where name.contains("/highlights") {
            found[(name as NSString).lastPathComponent] = try String(
                contentsOfFile: root + "/" + name, encoding: .utf8)
        }
        return found
    }

    /// Removes the readable file of highlights from the backup.
    private func loseHighlights() throws {
        let root = bench.folder.path("backup")
        let name = try #require(
            try FileManager.default.subpathsOfDirectory(atPath: root).first { $0.hasSuffix("highlights.md") })
        try FileManager.default.removeItem(atPath: root + "/" + name)
    }

    private func messages(_ document: Document) -> [String] {
        let rows = document.rows("apps").first?["results"] as? [[String: Any]] ?? []
        return rows.compactMap { $0["message"] as? String }
    }

    @Test("They are read in the copy, follow it, and stay when the file has none any more")
    func follow() throws {
        try put(marked("Which?"))
        let first = try backup(path: withWords)
        #expect(first.document.status == 0 && first.actions == ["fetch"], "\(first.document.errors)")
        #expect(Set(try saved().keys) == ["highlights.md", "highlights.json"])
        #expect(
            try saved()["highlights.md"]?.contains("> Bernoulli&s numbers".replacing("&", with: "\\&"))
                == true)
        #expect(try saved()["highlights.json"]?.contains("\"note\": \"Which?\"") == true)
        #expect(try backup(path: withWords).actions == ["keep"])

        try put(marked("Which one, and where?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        #expect(try saved()["highlights.md"]?.contains("Which one, and where?") == true)

        try put(HighlightedPDF.bytes("/F 2 /Contents (hidden)"))
        let gone = try backup(path: withWords)
        #expect(gone.actions == ["fetch"])
        #expect(messages(gone.document).first?.hasPrefix("Paperback has no highlights") == true)
        #expect(try saved()["highlights.md"]?.contains("Which one, and where?") == true)
        #expect(try backup(path: withWords).actions == ["keep"])

        try put(marked("Others"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        #expect(try saved().count == 4)
        #expect(try saved()["highlights.md"]?.contains("Others") == true)
        #expect(try backup("--repair", path: withWords).actions == ["keep"])
    }

    @Test(
        "Words are added once they can be read, without the device, and stay when they cannot be read again")
    func words() throws {
        try put(marked("Which?"))
        let first = try backup(path: withoutWords)
        #expect(first.document.errors.contains("pdftotext is not installed"))
        #expect(try saved()["highlights.md"]?.contains("Which?") == true)
        #expect(try saved()["highlights.md"]?.contains("Bernoulli") == false)
        #expect(try backup(path: withoutWords).actions == ["keep"])

        let opened = bench.device.counters.requests["afc.FILE_OPEN", default: 0]
        #expect(try backup("--dry-run", path: withWords).actions == ["update"])
        let completed = try bench.run(
            words: ["backup", bench.folder.path("backup"), "--app", "Paperback", "--verbose"],
            environment: ["PATH": withWords])
        #expect(completed.errors.contains("Updating metadata and highlights, 1 item\n"))
        #expect(try saved()["highlights.md"]?.contains("Bernoulli") == true)
        #expect(bench.device.counters.requests["afc.FILE_OPEN", default: 0] == opened)
        #expect(try backup(path: withoutWords).actions == ["keep"])
        #expect(try saved()["highlights.md"]?.contains("Bernoulli") == true)
    }

    @Test(
        "If words cannot be read in a new copy, the former ones stay beside it, and the next backup tries again"
    )
    func failingProgram() throws {
        try put(marked("Which?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        let program = URL(fileURLWithPath: withWords + "/pdftotext")
        let script = try Data(contentsOf: program)
        // The program itself cannot start, unlike one that refuses a file.
        try writeProgram("#!/nonexistent/shell\n", to: program)
        try put(marked("Which one?"))
        let failed = try backup(path: withWords)
        #expect(failed.actions == ["fetch"])
        #expect(failed.document.errors.contains("The marked words of 'Notes' could not be read"))
        let kept = try saved()
        #expect(kept["highlights.md"]?.contains("Which one?") == true)
        #expect(
            kept.contains {
                $0.key.hasPrefix("highlights until") && $0.key.hasSuffix(".md")
                    && $0.value.contains("Bernoulli")
            })
        try writeProgram(String(decoding: script, as: UTF8.self), to: program)
        #expect(try backup(path: withWords).actions == ["update"])
        #expect(try saved()["highlights.md"]?.contains("Bernoulli") == true)
        #expect(try backup(path: withWords).actions == ["keep"])
    }

    @Test("Fewer highlights in a file that can be read only in part do not replace those in the backup")
    func incomplete() throws {
        try put(marked("Which?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        // A reference to itself takes the place of the highlight.
        let text = String(decoding: marked("Which one?"), as: UTF8.self)
        try put(Array(text.replacing("<< /Subtype /Highlight", with: "4 0 R       /Highlight").utf8))
        let partial = try backup(path: withWords)
        #expect(partial.actions == ["fetch"])
        #expect(partial.document.errors.contains("Some annotations of 'Notes' may be missing"))
        #expect(messages(partial.document) == [])
        #expect(try saved()["highlights.md"]?.contains("Which?") == true)
        #expect(try backup(path: withWords).actions == ["keep"])
    }

    @Test("A backup without annotations of PDF files is completed from its copies, which a dry run announces")
    func former() throws {
        try put(marked("Which?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        let root = bench.folder.path("backup")
        let names = try FileManager.default.subpathsOfDirectory(atPath: root)
        // As an earlier version would have written it.
        for name in names where name.contains("/highlights") {
            try FileManager.default.removeItem(atPath: root + "/" + name)
        }
        let manifest = root + "/" + (try #require(names.first { $0.hasSuffix("manifest.json") }))
        let opf = root + "/" + (try #require(names.first { $0.hasSuffix("metadata.opf") }))
        try FileManager.default.removeItem(atPath: manifest)
        let text = try String(contentsOfFile: opf, encoding: .utf8)
        #expect(text.contains("-words"))
        try text.replacing("-words", with: "").write(toFile: opf, atomically: true, encoding: .utf8)
        let planned = try backup("--dry-run", path: withWords)
        #expect(planned.actions == ["update"])
        #expect(
            (planned.document.rows("apps").first?["plan"] as? [[String: Any]])?.first?["reason"] as? String
                == "The highlights in its copy are read.")
        #expect(try backup(path: withWords).actions == ["update"])
        #expect(try saved()["highlights.md"]?.contains("Bernoulli") == true)
    }

    @Test("A missing file of highlights is written again from the copy")
    func missing() throws {
        try put(marked("Which?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        try loseHighlights()
        #expect(try backup(path: withWords).actions == ["update"])
        #expect(try saved()["highlights.md"]?.contains("Which?") == true)
    }

    @Test(
        "A file that cannot be read as PDF is copied with a note, and keeps the highlights of its former copy"
    )
    func damaged() throws {
        try put(marked("Which?"))
        #expect(try backup(path: withWords).actions == ["fetch"])
        try put(Array("%PDF-1.4 cut off".utf8))
        let damaged = try backup(path: withWords)
        #expect(damaged.actions == ["fetch"] && damaged.document.status == 0)
        #expect(damaged.document.errors.contains("The annotations of 'Notes' could not be read"))
        #expect(try saved()["highlights.md"]?.contains("Which?") == true)
        #expect(try backup(path: withWords).actions == ["keep"])
        // Without its file, they are lost, which only a repair reports.
        try loseHighlights()
        #expect(try backup(path: withWords).actions == ["keep"])
        #expect(try backup("--repair", path: withWords).document.status == 1)
    }
}
