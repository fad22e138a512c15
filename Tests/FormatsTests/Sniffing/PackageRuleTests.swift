import FormatSamples
import Formats
import Testing

private func guess(_ entries: ZipBuilder.Entry...) -> Format? {
    FormatsTests.guess(ZipBuilder.archive(entries))
}
private func guess(named names: [String]) -> Format? {
    FormatsTests.guess(ZipBuilder.archive(names.map { .init($0, "x") }))
}
private let audiobook = FormatSample.manifest(type: "http://schema.org/Audiobook")

@Suite("Packages are recognised by their manifest")
struct PackageRuleTests {
    @Test("A licence at the root makes protected packages of audiobooks and PDF only")
    func protected() {
        let licence = ZipBuilder.Entry("license.lcpl", "no JSON at all")
        #expect(guess(licence, .init("manifest.json", audiobook)) == .lcpProtectedAudiobook)
        let pdf = FormatSample.manifest(FormatSample.order("application/pdf", "application/pdf;x=1"))
        #expect(guess(licence, .init("manifest.json", pdf)) == .lcpProtectedPdf)
        #expect(guess(.init("manifest.json", pdf)) == .webPub)
        let mixed = FormatSample.manifest(FormatSample.order("application/pdf", "text/html"))
        #expect(guess(licence, .init("manifest.json", mixed)) == .webPub)
        #expect(
            guess(licence, .init("manifest.json", FormatSample.manifest(FormatSample.order("image/png"))))
                == .diViNa)
        #expect(
            guess(licence, .init("manifest.json", FormatSample.manifest("\"readingOrder\": []"))) == .webPub)
        #expect(guess(.init("META-INF/license.lcpl", "x"), .init("manifest.json", audiobook)) == .audiobook)
        #expect(guess(.init("META-INF/license.lcpl", "x"), .init("META-INF/container.xml", "x")) == .epub)
    }

    @Test("The manifest must be at the root, with its exact name")
    func place() {
        #expect(guess(.init("manifest.json", audiobook)) == .audiobook)
        #expect(guess(.init("./manifest.json", audiobook)) == .audiobook)
        #expect(guess(.init("/manifest.json", audiobook)) == .audiobook)
        #expect(guess(.init("a/manifest.json", audiobook)) == nil)
        #expect(guess(.init("Manifest.json", audiobook)) == nil)
        #expect(guess(.init("manifest.JSON", audiobook)) == nil)
    }

    @Test(
        "Manifests of other kinds, and damaged ones, leave the archive to the later sniffers",
        arguments: [
            "{\"manifest_version\": 3, \"name\": \"Extension\", \"version\": \"1\"}",
            "{\"name\": \"Web app\", \"start_url\": \"/\"}",
            "", "[]", "{", "{\"metadata\": {}}", "no JSON",
        ])
    func otherManifests(_ text: String) {
        #expect(guess(.init("manifest.json", text)) == nil)
        #expect(guess(.init("manifest.json", text), .init("META-INF/container.xml", "x")) == .epub)
    }

    @Test("An encrypted or damaged manifest cannot be read, so its rules fail")
    func unreadable() {
        var entry = ZipBuilder.Entry("manifest.json", audiobook)
        entry.flags |= 1
        #expect(guess(entry) == nil)
        let archive = ZipBuilder.archive([
            .init("manifest.json", audiobook), .init("META-INF/container.xml", "x"),
        ])
        var damaged = archive
        damaged[60] ^= 0xFF
        #expect(FormatsTests.guess(archive) == .audiobook)
        #expect(FormatsTests.guess(damaged) == .epub)
    }

    @Test("The first of two manifests counts")
    func repeated() {
        #expect(
            guess(.init("manifest.json", audiobook), .init("manifest.json", FormatSample.manifest()))
                == .audiobook)
        #expect(
            guess(.init("manifest.json", FormatSample.manifest()), .init("manifest.json", audiobook))
                == .webPub)
    }

    @Test("A name with backslashes counts only from systems that write them so")
    func backslashes() {
        var entry = ZipBuilder.Entry("META-INF\\container.xml", "x")
        entry.madeBy = 0x0014
        #expect(guess(entry) == .epub)
        entry.madeBy = 0x0314
        #expect(guess(entry, .init("a.txt", "x")) == nil)
    }
}

@Suite("EPUB is recognised by its container or mimetype")
struct EPUBTests {
    @Test("A container document of that exact name suffices, encrypted or not")
    func container() {
        #expect(guess(.init("META-INF/container.xml", "x")) == .epub)
        var encrypted = ZipBuilder.Entry("META-INF/container.xml", "x")
        encrypted.flags |= 1
        #expect(guess(encrypted) == .epub)
        #expect(guess(.init("meta-inf/container.xml", "x"), .init("a.txt", "x")) == nil)
        #expect(guess(.init("a/META-INF/container.xml", "x"), .init("a.txt", "x")) == nil)
    }

    @Test(
        "A mimetype entry suffices as well, at any position",
        arguments: [
            ("application/epub+zip", true), (" application/epub+zip\r\n", true),
            ("application/epub+zip\(String(repeating: " ", count: 100))", true),
            ("application/vnd.oasis.opendocument.text", false), ("application/epub", false),
            ("application/epub+zipx", false),
            ("", false), ("\(String(repeating: " ", count: 64))application/epub+zip", false),
            ("APPLICATION/EPUB+ZIP", false),
        ])
    func mimetype(_ text: String, _ expected: Bool) {
        #expect(guess(.init("mimetype", text)) == (expected ? .epub : nil))
        #expect(
            guess(.init("a.txt", "x"), .init("b.txt", "x"), .init("mimetype", text))
                == (expected ? .epub : nil))
    }

    @Test("Documents of office programs and programs in Java have no format")
    func others() {
        #expect(guess(named: ["[Content_Types].xml", "word/document.xml", "word/fonts/f.odttf"]) == nil)
        #expect(guess(named: ["META-INF/MANIFEST.MF", "a.class"]) == nil)
        #expect(guess(named: ["AndroidManifest.xml", "classes.dex"]) == nil)
    }
}

@Suite("Archives of images and of audio are recognised by their entries")
struct ArchiveContentTests {
    static let images = ["acbf", "gif", "jpeg", "jpg", "png", "tiff", "tif", "webp", "xml"]
    static let audio = [
        "aac", "aiff", "alac", "flac", "m4a", "m4b", "mp3", "ogg", "oga", "mogg", "opus", "wav", "webm",
        "asx", "bio", "m3u",
        "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl",
    ]

    @Test("Each listed extension makes the format, in any case")
    func listed() {
        for name in Self.images {
            #expect(guess(named: ["a.\(name)", "b/c.\(name.uppercased())"]) == .cbz, "\(name)")
        }
        for name in Self.audio {
            #expect(guess(named: ["a.\(name)", "b/c.\(name.uppercased())"]) == .zab, "\(name)")
        }
    }

    static let cases: [([String], Format?)] = [
        ([], nil), (["a/"], nil), ([".DS_Store"], nil),
        (["a/.DS_Store", "__MACOSX/a.txt", "Thumbs.db", "b/"], nil),
        (["a/", "a/1.jpg"], .cbz), (["a/.DS_Store", "a/1.jpg"], .cbz), (["__MACOSX/._1.jpg", "1.jpg"], .cbz),
        (["a/__MACOSX/x.txt", "1.jpg"], .cbz), (["my__MACOSX/x.txt", "1.jpg"], nil),
        (["Thumbs.db", "a/THUMBS.DB", "1.jpg"], .cbz),
        (["README", "1.jpg"], nil), (["mimetype", "1.jpg"], nil), (["a.txt", "1.jpg"], nil),
        (["ComicInfo.xml"], .cbz),
        (["1.jpg", "1.mp3"], nil), (["1.mp3", "cover.jpg"], nil), (["1.mp3", "list.m3u8"], .zab),
        (["1.jpg "], nil), (["1. jpg"], nil),
        (["1..jpg"], .cbz), (["1.jpg."], nil), (["jpg"], nil), ([".jpg", "1.jpg"], .cbz),
        (["1.tar.jpg"], .cbz), (["1.jpg.txt"], nil),
        (["../1.jpg"], .cbz), (["1.jpg", "../x.exe"], nil), (["/1.jpg"], .cbz), (["1.avif"], nil),
        (["1.bmp"], nil), (["1.jxl"], nil),
        (["a.jpg/b"], nil), (["ü.jpg"], .cbz), (["1.ü"], nil), (["Thumbs.dbx"], nil),
    ]

    @Test("The table of decisions holds", arguments: cases)
    func decisions(_ names: [String], _ format: Format?) {
        #expect(guess(named: names) == format)
    }

    @Test("Folders by their attributes do not count; names of encrypted entries do")
    func attributes() {
        var folder = ZipBuilder.Entry("folder")
        folder.attributes = 0o040755 << 16
        var encrypted = ZipBuilder.Entry("1.jpg", "x")
        encrypted.flags |= 1
        #expect(guess(folder, encrypted) == .cbz)
        folder.attributes = 0
        #expect(guess(folder, encrypted) == nil)
    }
}

@Suite("ZIP archives and PDF files are recognised at the first byte")
struct SignatureTests {
    @Test("Only an archive at the first byte is opened")
    func gate() {
        let archive = ZipBuilder.archive(named: "1.jpg")
        #expect(FormatsTests.guess(archive) == .cbz)
        #expect(FormatsTests.guess([0] + archive) == nil)
        #expect(FormatsTests.guess(Array("#!/bin/sh\n".utf8) + archive) == nil)
        var wrong = archive
        wrong[2] = 9
        #expect(FormatsTests.guess(wrong) == nil)
        var spanned = archive
        spanned.replaceSubrange(0..<4, with: [0x50, 0x4B, 7, 8])
        // The check passes, because the directory alone has the names of the entries.
        #expect(FormatsTests.guess(spanned) == .cbz)
    }

    @Test(
        "Every prefix of each package is read without a trap and gives nothing",
        arguments: FormatSample.all.filter(\.isArchive))
    func truncated(_ sample: FormatSample) {
        for length in 0..<sample.content.count {
            #expect(FormatsTests.guess(Array(sample.content[..<length])) == nil)
        }
    }

    @Test(
        "Every damaged byte of a package is survived, giving some format or none",
        arguments: FormatSample.all.filter(\.isArchive))
    func damaged(_ sample: FormatSample) {
        var answers: Set<Format?> = []
        for index in sample.content.indices {
            var bytes = sample.content
            bytes[index] = ~bytes[index]
            answers.insert(FormatsTests.guess(bytes))
        }
        #expect(answers.contains(sample.format))
        #expect(answers.contains(nil))
    }

    @Test(
        "PDF is four bytes at the very beginning",
        arguments: [
            ("%PDF", true), ("%PDF-1.4\n", true), ("%PDFx", true), (" %PDF-1.4", false),
            ("\n%PDF-1.4", false),
            ("\u{FEFF}%PDF-1.4", false), ("%pdf-1.4", false), ("%PD", false), ("x%PDF", false),
        ])
    func pdf(_ text: String, _ expected: Bool) {
        #expect(FormatsTests.guess(text) == (expected ? .pdf : nil))
    }
}
