import BibTeX
import Testing

@Suite("Links to files are read and written")
struct LinkTests {
    @Test("Every shape of a link is read", arguments: 0..<Samples.links.count)
    func shapes(index: Int) {
        let (form, path, value) = Samples.links[index]
        let link = FileLink(value: value)
        #expect(link.form == form)
        #expect(link.relativePath.map { Array($0.utf8) } == Array(path.utf8))
        #expect(link.value == value)
        let bare = String(value.reversed().drop { $0 == "=" }.reversed())
        #expect(FileLink(value: " " + bare.prefix(30) + "\n\t" + bare.dropFirst(30)).relativePath == path)
    }

    @Test("A path without an archive is a link, and a damaged archive is not")
    func bare() {
        #expect(FileLink(value: "Papers/a b.pdf").form == .barePath)
        #expect(FileLink(value: "Papers/a b.pdf").relativePath == "Papers/a b.pdf")
        let damaged = FileLink(value: String(Samples.links[1].2.prefix(60)))
        #expect(damaged.form == .unknown && damaged.relativePath == nil)
        #expect(FileLink(value: "").relativePath == nil)
    }

    @Test("A new link is an archive that is read again")
    func new() {
        for path in ["a.pdf", "Ö/日本.pdf", "x"] {
            let link = FileLink(path: path)
            let again = FileLink(value: link.value)
            #expect(again.form == .keyedArchive && again.relativePath == path)
        }
    }

    @Test("Other forms of links become archives for the app, and archives stay byte for byte")
    func forApp() {
        for (form, path, value) in Samples.links {
            let link = FileLink(value: value).forApp
            #expect(link?.form == .keyedArchive && link?.relativePath == path)
            #expect((link?.value == value) == (form == .keyedArchive))
        }
    }

    @Test(
        "Links are in the order of their numbers, gaps included, and a change keeps the others as they were")
    func numbers() {
        let source =
            "@a{k,\n\tbdsk-file-10 = {c.pdf},\n\tbdsk-file-2 = {\(Samples.links[1].2)},\n\tbdsk-file-1 = {a.pdf}}"
        let block = document(source).blocks[0]
        #expect(block.linkedFiles.map(\.relativePath) == ["a.pdf", "PDFs/Knuth 1984.pdf", "c.pdf"])
        let links = [block.linkedFiles[1], FileLink(value: "new.pdf")]
        let changed = BibTeXDocument.setting(links, of: block, named: { $0 })
        #expect(changed?.linkedFiles == links)
        #expect(changed?.fields.count == 2)
    }

    @Test("The copy for the app numbers its links from 1 and leaves out empty ones")
    func tidyLinks() {
        let archive = Samples.links[4].2
        let source = document(
            "@a{k,\n\tbdsk-file-1 = {},\n\tbdsk-file-2 = {\(archive)},\n\tbdsk-file-4 = {\(archive)}}")
        #expect(source.blocks[0].linkedFiles.count == 2)
        let copy = source.forApp().blocks[0]
        #expect(copy.fields.map(copy.name) == ["bdsk-file-1", "bdsk-file-2"])
        #expect(copy.linkedFiles.map(\.value) == [archive, archive])
        let old = document("@a{k, file = { }, local-url = {a.pdf}, bdsk-file-1 = {}}").blocks[0]
        #expect(old.linkedPaths == ["a.pdf"])
    }

    @Test("Paths are compared without detours, and must not leave their folder")
    func paths() {
        #expect(LinkedPath.normalized("a/../b//./c.pdf") == "b/c.pdf")
        #expect(LinkedPath.normalized("../../x") == "../../x")
        #expect(LinkedPath.normalized("Go\u{308}/x").unicodeScalars.count == 4)
        for path in [
            "/etc/passwd", "..", "../x", "a/../../x", "", "a\0b", ".", "../\u{301}x", "/\u{301}x",
            "a/../\u{301}/../../x",
        ] {
            #expect(!LinkedPath.isContained(path))
        }
        #expect(LinkedPath.isContained("a/../b.pdf"))
    }

    @Test("Links of JabRef, Zotero, Mendeley and older BibDesk are read")
    func foreign() {
        func paths(_ text: String) -> [String] { ForeignLink.list(text).map(\.path) }
        #expect(paths("Full Text:papers/a\\:b.pdf:PDF;:c\\;d.html:HTML") == ["papers/a:b.pdf", "c;d.html"])
        #expect(ForeignLink.list("Full Text:a.pdf:application/pdf").first?.type == "application/pdf")
        #expect(paths(":C\\:/x/y.pdf:pdf") == ["C:/x/y.pdf"])
        #expect(paths("x.pdf; y.pdf;") == ["x.pdf", "y.pdf"])
        #expect(ForeignLink.localURL("file://localhost/Users/a%20b.pdf")?.path == "/Users/a b.pdf")
        #expect(ForeignLink.localURL("papers/x.pdf")?.path == "papers/x.pdf")
        #expect(ForeignLink.localURL("http://x.org/a.pdf") == nil)
        let broken = document("@a{k, file = {Full\r\n  Text:my\n\tpapers/a  b.pdf:PDF;\n:c.pdf:PDF}}").blocks[
            0]
        #expect(broken.foreignLinks.map(\.path) == ["my papers/a  b.pdf", "c.pdf"])
        #expect(broken.foreignLinks.first?.title == "Full Text")
        #expect(document("@a{k, local-url = {a.pdf}}").blocks[0].foreignLinks.map(\.path) == ["a.pdf"])
        #expect(document("@a{k, local-url = {a.pdf}, bdsk-file-1 = {b}}").blocks[0].foreignLinks == [])
    }
}
