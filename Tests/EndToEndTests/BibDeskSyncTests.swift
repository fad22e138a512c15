import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Bibliographies and their papers are synced with BibDesk both ways")
struct BibDeskSyncTests {
    private static let entry = """
        @article{Ada:1843,
        \tauthor = {Ada Lovelace},
        \ttitle = {Notes},
        \tyear = {1843},
        \tbdsk-file-1 = {Papers/notes.pdf}}

        """
    private let bench: ReaderBench
    private let app: SimulatedBibDesk
    private let source: SyncSource

    init() throws {
        bench = try ReaderBench.bibDesk()
        app = SimulatedBibDesk(device: bench.device)
        // An app that has been opened but has no libraries.
        for folder in [app.container.libraries, app.container.papers] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
        }
        source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try put("refs.bib", Self.entry)
        try put("Papers/notes.pdf", "%PDF-1.4 notes")
    }

    private func put(_ item: String, _ text: String) throws {
        let file = source.url.appendingPathComponent(item)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ item: String) throws -> String {
        try String(contentsOf: source.url.appendingPathComponent(item), encoding: .utf8)
    }

    private func onDevice(_ name: String = "refs.bib") throws -> String {
        String(decoding: try app.bytes(of: name), as: UTF8.self)
    }

    private func sync(_ words: String...) throws -> Document {
        try bench.json(["sync", source.path, "--app", "BibDesk"] + words)
    }

    /// The rows of a plan as `action item`.
    private func plan(_ document: Document) -> [String] {
        document.rows("plan").map { "\($0["action"] ?? "") \($0["item"] ?? "")" }
    }

    @Test("No side can be preferred, because the overlay decides conflicts field by field")
    func noPreference() throws {
        let refused = try sync("--prefer", "source")
        #expect(refused.status != 0 && refused.error("code") == "not_supported")
        #expect(refused.error("hint") == "Leave out --prefer.")
        #expect(try app.launch().libraries.isEmpty)
        #expect(try sync("--as-folder", "--dry-run").status == 0)
    }

    @Test("The files of a calibre library are never handed to an app that changes its source")
    func libraryAsFolder() throws {
        try Data().write(to: source.url.appendingPathComponent("metadata.db"))
        let refused = try sync("--as-folder")
        #expect(refused.status != 0 && refused.error("code") == "not_supported")
        #expect(refused.error("hint") == "Leave out --as-folder.")
    }

    @Test(
        "A dry run shows the plan and changes nothing; a sync brings bibliography and paper to the app, which loads them"
    )
    func first() throws {
        let dry = try sync("--dry-run")
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(
            plan(dry).contains("add refs.bib") && plan(dry).contains("add Papers/notes.pdf"), "\(plan(dry))")
        let empty = try app.launch()
        #expect(empty.libraries.isEmpty && empty.papers.isEmpty)

        let done = try sync()
        #expect(done.status == 0, "\(done) \(done.errors)")
        #expect(done.texts("results", "status").allSatisfy { $0 == "added" }, "\(done)")
        let shelf = try app.launch()
        #expect(shelf.libraries == ["refs.bib"] && shelf.refused.isEmpty, "\(shelf)")
        #expect(shelf.papers.count == 1 && shelf.papers[0].hasSuffix("Papers/notes.pdf"), "\(shelf)")
        #expect(try text("refs.bib") == Self.entry)
        let book = try #require(try bench.json("books", "--app", "BibDesk").rows("books").first)
        #expect(book["cite_key"] as? String == "Ada:1843", "\(book)")
    }

    @Test("A paper on the device has the time of the folder's, and so has its next version")
    func times() throws {
        let file = source.url.appendingPathComponent("Papers/notes.pdf")
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        func timeOnDevice() throws -> Date? {
            let name = try #require(try app.launch().papers.first)
            let path = app.container.papers.appendingPathComponent(name).path
            return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        #expect(try sync().status == 0)
        #expect(try timeOnDevice() == past)
        try put("Papers/notes.pdf", "%PDF-1.4 other")
        let later = past.addingTimeInterval(86_400)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file.path)
        #expect(try sync().texts("results", "status") == ["replaced"])
        #expect(try timeOnDevice() == later)
        #expect(try sync().rows("results").isEmpty)
    }

    @Test(
        "A library that is the same on both sides has the time of the folder's, and a second run finds nothing to do"
    )
    func timesOfLibraries() throws {
        let file = source.url.appendingPathComponent("refs.bib")
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        // A link in a form that the app cannot read would be rewritten for it.
        let entry = Self.entry.replacing(",\n\tbdsk-file-1 = {Papers/notes.pdf}", with: "")
        try put("refs.bib", entry)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        #expect(try sync().status == 0)
        #expect(try onDevice() == entry)
        let copy = app.container.libraries.appendingPathComponent("refs.bib").path
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.modificationDate] as? Date == past)
        #expect(try sync().rows("plan").isEmpty)
        try put("refs.bib", entry.replacing("{Notes}", with: "{Notes on the Engine}"))
        let later = past.addingTimeInterval(86_400)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file.path)
        #expect(try sync().status == 0)
        #expect(try onDevice().contains("{Notes on the Engine}"))
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.modificationDate] as? Date == later)
        #expect(try sync().rows("plan").isEmpty)
    }

    @Test("Absolute links below a folder of another computer are synced")
    func absoluteLinks() throws {
        let link = "/Users/ada/Dropbox/Papers/Papers/notes.pdf"
        try put("refs.bib", Self.entry.replacing("{Papers/notes.pdf}", with: "{\(link)}"))
        #expect(plan(try sync("--dry-run")).contains("keep \(link)"))
        #expect(try bench.run("prefs", "set", "bibdesk_link_roots", #"["/Users/ada/Dropbox"]"#).status == 0)
        let done = try sync()
        #expect(
            done.status == 0 && plan(done).contains("add Papers/notes.pdf"), "\(plan(done)) \(done.errors)")
        #expect(try app.launch().papers == ["Papers/Papers/notes.pdf"])
        let book = try #require(try bench.json("books", "--app", "BibDesk").rows("books").first)
        #expect((book["files"] as? [[String: Any]])?.map { $0["state"] as? String } == ["on_device"])
        #expect(try sync().rows("results").isEmpty)
    }

    @Test("Without a change nothing is renamed, and hardly anything is written")
    func unchanged() throws {
        #expect(try sync().status == 0)
        let seen = Mutex<(renames: [String], written: UInt64)>(([], 0))
        bench.device.onFileRequest { request in
            seen.withLock { seen in
                if request.operation == "RENAME_PATH" { seen.renames.append(request.path ?? "") }
                if request.operation == "FILE_WRITE" { seen.written += UInt64(request.bytesReceived) }
            }
        }
        let again = try sync()
        #expect(again.status == 0 && plan(again).isEmpty, "\(plan(again)) \(again.errors)")
        #expect(seen.withLock { $0.renames } == [])
        #expect(seen.withLock { $0.written } < 4096)
    }

    @Test("A device that refuses to rename over a name gets what was changed, too")
    func refusedRenames() throws {
        #expect(try sync().status == 0)
        try bench.device.update { $0.fileRules.renameReplaces = false }
        try put("refs.bib", Self.entry.replacingOccurrences(of: "{Notes}", with: "{Notes on the Engine}"))
        try put("Papers/notes.pdf", "%PDF-1.4 other notes")
        let done = try sync()
        #expect(done.status == 0, "\(done) \(done.errors)")
        #expect(try onDevice().contains("{Notes on the Engine}"))
        #expect(try app.launch().libraries == ["refs.bib"])
    }

    @Test("A bibliography in Shift JIS is sent to the app in UTF-8, and keeps Shift JIS in the folder")
    func shiftJIS() throws {
        // 表, whose second byte is a backslash, and ボ, whose second byte is a brace.
        let title: [UInt8] = [0x95, 0x5C, 0x83, 0x7B]
        let head = Array("%% Saved with string encoding Japanese (Shift JIS) \n\n@misc{ja, title = {".utf8)
        let file = source.url.appendingPathComponent("ja.bib")
        try Data(head + title + Array("}, year = {2001}}\n".utf8)).write(to: file)
        let done = try sync()
        #expect(done.status == 0, "\(done.object) \(done.errors)")
        #expect(try onDevice("ja.bib").contains("title = {表ボ}"))
        #expect(try app.launch().refused.isEmpty)
        try app.edit("ja.bib") {
            Array(String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "{2001}", with: "{2002}").utf8)
        }
        #expect(try sync().status == 0)
        #expect(try Data(contentsOf: file) == Data(head + title + Array("}, year = {2002}}\n".utf8)))
    }

    @Test("Without the app's settings a paper is found where the books find it")
    func withoutSettings() throws {
        try app.setDropboxFolder("/Papers")
        #expect(try sync().status == 0)
        try FileManager.default.removeItem(at: app.container.preferences("org.colinsmith.BibDesk"))
        let again = try sync()
        #expect(again.status == 0 && plan(again).isEmpty, "\(plan(again))")
        #expect(try app.launch().papers.count == 1)
    }

    @Test("Changes on one side come to the other, field by field")
    func bothWays() throws {
        #expect(try sync().status == 0)
        try put("refs.bib", Self.entry.replacingOccurrences(of: "{Notes}", with: "{Notes on the Engine}"))
        try app.edit("refs.bib") { bytes in
            Array(
                String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "{1843}", with: "{1842}").utf8
            )
        }
        let done = try sync()
        #expect(done.status == 0, "\(done) \(done.errors)")
        #expect(plan(done).contains("update Ada:1843"), "\(plan(done))")
        for side in [try text("refs.bib"), try onDevice()] {
            #expect(side.contains("{Notes on the Engine}") && side.contains("{1842}"), "\(side)")
        }
        #expect(try plan(sync()).isEmpty)
    }

    @Test("Where both sides changed one field, both values stay, and the row of the entry is a conflict")
    func conflict() throws {
        #expect(try sync().status == 0)
        try put("refs.bib", Self.entry.replacingOccurrences(of: "{Notes}", with: "{Host's Notes}"))
        try app.edit("refs.bib") { bytes in
            Array(
                String(decoding: bytes, as: UTF8.self).replacingOccurrences(
                    of: "{Notes}", with: "{Device's Notes}"
                )
                .utf8)
        }
        let dry = try bench.run("sync", source.path, "--app", "BibDesk", "--dry-run")
        #expect(dry.output.contains("Host's Notes") && dry.output.contains("Device's Notes"), "\(dry.output)")
        #expect(dry.status == 1)
        let done = try sync()
        #expect(done.status == 1 && plan(done).contains("conflict Ada:1843"), "\(plan(done)) \(done.errors)")
        for side in [try text("refs.bib"), try onDevice()] {
            #expect(side.contains("Host's Notes") && side.contains("Device's Notes"), "\(side)")
            #expect(side.contains("title-conflict-1") && side.contains("Sync Conflicts"), "\(side)")
        }
        #expect(try app.launch().refused.isEmpty)
    }

    @Test("A malformed file is neither sent nor touched, is named with its line, and does not block others")
    func malformed() throws {
        let broken = Self.entry + "@article{Broken, title = {x} year = 2000}\n"
        try put("broken.bib", broken)
        let dry = try sync("--dry-run")
        #expect(dry.status == 1 && plan(dry).contains("keep broken.bib"))
        let fails = dry.rows("plan").filter { $0["fails"] as? Bool == true }.map { $0["item"] as? String }
        #expect(fails == ["broken.bib"])
        let shown = try bench.run("sync", source.path, "--app", "BibDesk", "--dry-run")
        #expect(shown.status == 1 && shown.output.contains("cannot sync  broken.bib  "), "\(shown.output)")
        #expect(shown.errors.contains("1 cannot be synced"), "\(shown.errors)")
        let done = try sync()
        #expect(done.status == 1)
        let failed = try #require(done.rows("results").first { $0["status"] as? String == "failed" })
        #expect(failed["item"] as? String == "broken.bib", "\(failed)")
        #expect((failed["message"] as? String)?.contains("line 6, column 30") == true, "\(failed)")
        #expect((failed["message"] as? String)?.contains("broken.bib") == false, "\(failed)")
        let again = try bench.run("sync", source.path, "--app", "BibDesk")
        #expect((again.output + again.errors).contains("1 failed.") == true, "\(again.output)\(again.errors)")
        #expect(try text("broken.bib") == broken)
        #expect(try app.launch().libraries == ["refs.bib"])
    }

    @Test("A reference that is deleted on one side goes from the other only with --delete")
    func deletions() throws {
        let others = (0..<9).map { "@misc{other\($0), title = {Other \($0)}}\n\n" }.joined()
        try put("refs.bib", Self.entry + others)
        #expect(try sync().status == 0)
        try put("refs.bib", others)
        #expect(try sync().status == 0)
        #expect(try onDevice().contains("Ada:1843"))
        #expect(try sync("--delete").status == 0)
        #expect(try !onDevice().contains("Ada:1843"))
        #expect(try !text("refs.bib").contains("Ada:1843"))
    }

    @Test(
        "Papers that other programs linked are synced, too, and stay as long as an entry links to them")
    func foreignLinks() throws {
        let others = (0..<9).map { "@misc{other\($0), title = {Other \($0)}}\n\n" }.joined()
        let jabRef = "@book{jab, title = {J}, file = {:Papers/notes.pdf:PDF}}\n\n"
        try put("refs.bib", Self.entry + jabRef + others)
        try put("Papers/old.pdf", "%PDF-1.4 old")
        try put("Papers/.hidden.pdf", "%PDF-1.4 hidden")
        try put(
            "more.bib",
            "@book{local, title = {L}, local-url = {Papers/old.pdf}}\n\n@book{h, title = {H}, bdsk-file-1 = {Papers/．hidden.pdf}}\n"
        )
        #expect(try sync().status == 0)
        #expect(
            try app.launch().papers.map { $0.split(separator: "/").last.map(String.init) } == [
                "notes.pdf", "old.pdf",
            ])
        try put("refs.bib", jabRef + others)
        #expect(try sync("--delete").status == 0)
        #expect(try app.launch().papers.count == 2)
        #expect(
            FileManager.default.fileExists(atPath: source.url.appendingPathComponent("Papers/notes.pdf").path)
        )
    }

    @Test("A folder of papers that was replaced by a link does not count as deleted papers")
    func linkedFolder() throws {
        #expect(try sync().status == 0)
        try put("refs.bib", Self.entry.replacingOccurrences(of: "Papers/notes.pdf", with: "Papers/other.pdf"))
        let (papers, elsewhere) = (
            source.url.appendingPathComponent("Papers"), bench.folder.url.appendingPathComponent("elsewhere")
        )
        try FileManager.default.moveItem(at: papers, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: papers, withDestinationURL: elsewhere)
        let done = try sync("--delete", "--yes")
        #expect(done.status == 0 && plan(done).contains("keep Papers/other.pdf"), "\(done)")
        #expect(try app.launch().papers.count == 1)
    }

    @Test("A dry run names what cannot be synced, and one unreadable paper holds no other back")
    func obstacles() throws {
        try put("broken.bib", Self.entry + "@article{Broken, title = {x} year = 2000}\n")
        let dry = try bench.run("sync", source.path, "--app", "BibDesk", "--dry-run")
        #expect(
            dry.output.contains("broken.bib") && dry.output.contains("line 6, column 30"), "\(dry.output)")
        try FileManager.default.removeItem(at: source.url.appendingPathComponent("broken.bib"))
        #expect(try sync().status == 0)
        // A folder instead of a paper is not copied.
        let paper = source.url.appendingPathComponent("Papers/notes.pdf")
        try FileManager.default.removeItem(at: paper)
        try FileManager.default.createDirectory(at: paper, withIntermediateDirectories: false)
        try put("second.bib", "@misc{second, title = {Second}}\n")
        let done = try sync()
        #expect(done.status == 0 && plan(done).contains("keep Papers/notes.pdf"), "\(done)")
        #expect(try app.launch().libraries.contains("second.bib"))
    }

    @Test("Papers in a folder that a Mac has named are found by the letters, regardless of their bytes")
    func folderOfAMac() throws {
        try put(
            "refs.bib", Self.entry.replacingOccurrences(of: "Papers/notes.pdf", with: "B\u{FC}cher/x.pdf"))
        let folder = bench.folder.path("source/Bu\u{308}cher")
        #expect(mkdir(folder, 0o755) == 0)
        let file = try #require(fopen(folder + "/x.pdf", "w"))
        fputs("%PDF-1.4 x", file)
        fclose(file)
        #expect(try sync().status == 0)
        #expect(try app.launch().papers.map { $0.hasSuffix("/x.pdf") } == [true])
        let again = try sync()
        #expect(again.status == 0 && plan(again).isEmpty, "\(plan(again))")
    }

    @Test("A name in --wanted without a reference is reported, and everything else is synced")
    func unknownWanted() throws {
        let dry = try bench.run(
            "sync", source.path, "--app", "BibDesk", "--wanted", "nonsense", "--dry-run")
        #expect(
            dry.output.contains("cannot sync  nonsense  (No reference has this cite key"), "\(dry.output)")
        let done = try sync("--wanted", "nonsense", "--wanted", "ada:1843", "--wanted", "papers/NOTES.pdf")
        #expect(done.status == 1)
        let failed = done.rows("results").filter { $0["status"] as? String == "failed" }
        #expect(failed.map { $0["item"] as? String } == ["nonsense"], "\(done.object)")
        #expect(failed.first?["code"] as? String == "not_found")
        #expect(try app.launch().papers.count == 1)
        let text = try bench.run("sync", source.path, "--app", "BibDesk", "--wanted", "nonsense")
        #expect(text.errors.contains("'nonsense': No reference has this cite key or links to this path.\n"))
    }

    @Test("The lines of a sync name app and device, say which side changes, and count a conflict once")
    func lines() throws {
        let first = try bench.run("sync", source.path, "--app", "BibDesk")
        #expect(first.errors.contains("BibDesk on Simulated iPad\n"), "\(first.errors)")
        #expect(first.output.contains("added  refs.bib  on the device\n"), "\(first.output)")
        try put("refs.bib", Self.entry.replacingOccurrences(of: "{Notes}", with: "{Host's Notes}"))
        try app.edit("refs.bib") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return Array(text.replacingOccurrences(of: "{Notes}", with: "{Device's Notes}").utf8)
        }
        try app.add(Array("@misc{more, title = {More}}\n".utf8), named: "more.bib")
        let second = try bench.run("sync", source.path, "--app", "BibDesk")
        #expect(second.output.contains("conflict  Ada:1843  on both sides"), "\(second.output)")
        #expect(second.output.contains("added  more.bib  in the folder"), "\(second.output)")
        #expect(!second.output.contains("→") && !second.output.contains("skipped"), "\(second.output)")
        #expect(
            second.errors.contains("1 conflict") && !second.errors.contains("skipped"), "\(second.errors)")
    }

    @Test("With a group that the library does not have, papers stay, and none is requested")
    func unknownGroup() throws {
        let links = (0..<40).map { "@misc{m\($0), title = {M}, bdsk-file-1 = {Papers/missing\($0).pdf}}\n\n" }
        try put("refs.bib", Self.entry + links.joined())
        #expect(try sync().status == 0)
        #expect(try bench.run("prefs", "set", "bibdesk_sync_groups", "[\"None\"]").status == 0)
        try put("refs.bib", Self.entry + "% changed\n" + links.joined())
        let asked = Mutex(0)
        bench.device.onFileRequest { request in
            if request.path?.contains("missing") == true { asked.withLock { $0 += 1 } }
        }
        #expect(try sync("--delete").status == 0)
        #expect(asked.withLock { $0 } == 0)
        #expect(try app.launch().papers.count == 1)
    }
}

@Suite("Bibliographies are synced over Wi-Fi, and papers if that is allowed")
struct BibDeskWiFiTests {
    @Test("Without a cable papers stay with the reason until bibdesk_wifi is on")
    func wifi() throws {
        let bench = try ReaderBench(marvin: false) {
            $0.iosVersion = "18.6"
            $0.attachment = .network
            $0.apps = [SimulatedBibDesk.app()]
        }
        let app = SimulatedBibDesk(device: bench.device)
        let source = try SyncSource(bench.folder.url.appendingPathComponent("source"))
        try Data("@article{k,\n\ttitle = {T},\n\tbdsk-file-1 = {k.pdf}}\n".utf8).write(
            to: source.url.appendingPathComponent("wifi.bib"))
        try Data("%PDF-1.4".utf8).write(to: source.url.appendingPathComponent("k.pdf"))
        let held = try bench.json("sync", source.path, "--app", "BibDesk")
        #expect(held.status == 0, "\(held.errors)")
        let row = try #require(held.rows("plan").first { $0["item"] as? String == "k.pdf" })
        #expect(row["action"] as? String == "keep")
        #expect((row["reason"] as? String)?.contains("prefs set bibdesk_wifi true") == true)
        #expect(try app.launch().libraries.contains("wifi.bib"))
        #expect(try !app.launch().papers.contains("Papers/k.pdf"))
        #expect(try bench.run("prefs", "set", "bibdesk_wifi", "true").status == 0)
        #expect(try bench.json("sync", source.path, "--app", "BibDesk").status == 0)
        #expect(try app.launch().papers.contains("Papers/k.pdf"))
    }
}
