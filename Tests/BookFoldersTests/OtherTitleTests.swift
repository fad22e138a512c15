import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("A file that only has the name of a book and another title is another book")
struct OtherTitleTests {
    let bench = ShelfBench()
    var host: MemoryHost { bench.host }

    private static let policies: [ConflictPolicy] = [.protect, .update, .replace]

    @Test("The title in the file counts, not its name", arguments: policies)
    func ownTitle(policy: ConflictPolicy) throws {
        let sense = bookText("Sense and Sensibility", ["Jane Austen"])
        host.put("Emma.epub", sense)
        let (rows, _) = try bench.upload(
            [
                host.item(
                    "new.epub", bookText("Emma", ["Jane Austen"], filler: "q"), title: "Emma",
                    authors: ["Jane Austen"])
            ], UploadOptions(onConflict: policy))
        #expect(rows.map(\.outcome) == [.added])
        #expect(rows.map(\.path) == ["Emma (2).epub"])
        #expect(host.content("Emma.epub") == sense)
    }

    @Test("The title that a person gave the file counts, not its name", arguments: policies, [[], ["Ann"]])
    func enteredTitle(policy: ConflictPolicy, authors: [String]) throws {
        bench.edits = ShelfEdits(titleRenamesFile: false, collectionMovesFile: false, keepsAuthors: true)
        let report = bookText(nil, authors)
        host.put("Report.pdf", report)
        _ = try bench.sync { $0[0].title = "Annual report 2022" }
        let (rows, _) = try bench.upload(
            [
                host.item(
                    "new.pdf", bookText("Report", authors, filler: "q"), title: "Report", authors: authors),
                host.item("Report.pdf", bookText(nil, authors, filler: "r"), authors: authors),
            ], UploadOptions(onConflict: policy))
        #expect(rows[0].path == "Report (2).pdf")
        #expect(rows.allSatisfy { $0.path != "Report.pdf" })
        #expect(host.content("Report.pdf") == report)
    }

    @Test("Without a known title, the file's name and the authors are used")
    func nameAlone() throws {
        host.put("Report.pdf", bookText(nil, ["Ann"]))
        func item(_ authors: [String]) -> UploadItem {
            host.item("new.pdf", bookText("Report", authors, filler: "q"), title: "Report", authors: authors)
        }
        #expect(try bench.upload([item(["Ann"])]).rows.map(\.outcome) == [.skipped])
        let replace = UploadOptions(onConflict: .replace)
        #expect(try bench.upload([item(["Bob"])], replace).rows.map(\.path) == ["Report (2).pdf"])
        let (rows, _) = try bench.upload([item(["Ann"])], replace)
        #expect(rows.map(\.outcome) == [.replaced] && rows.map(\.path) == ["Report.pdf"])
    }

    @Test("A file that cannot be read is neither replaced nor duplicated, because it may be the same book")
    func unread() throws {
        host.put("Report.pdf", bookText("Another", ["Ann"]))
        host.fault = { operation, _ in operation == "metadata" ? .deviceIO : nil }
        let (rows, _) = try bench.upload(
            [host.item("new.pdf", bookText("Report", filler: "q"), title: "Report")],
            UploadOptions(onConflict: .replace))
        #expect(rows.map(\.status) == [.deviceIO])
        #expect(host.documents == ["Report.pdf"])
        #expect(host.content("Report.pdf") == bookText("Another", ["Ann"]))
    }

    @Test("A title that a person gave back to its file's name is known, too")
    func titleOfName() throws {
        host.put("AC-DC.pdf", bookText("Inner", ["A"]))
        bench.edits.titleRenamesFile = false
        _ = try bench.sync { $0[0].title = "AC-DC" }
        let (rows, _) = try bench.upload(
            [host.item("n.pdf", bookText("AC/DC", ["A"], filler: "q"), title: "AC/DC", authors: ["A"])],
            UploadOptions(onConflict: .replace))
        #expect(rows.map(\.path) == ["AC-DC (2).pdf"])
    }
}
