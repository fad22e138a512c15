import DeviceTransport
import Formats
import Foundation
import TestSupport
import Testing

@testable import OverlayHost

extension LocalBook {
    /// Checks a file that is to be added to an app.
    static func checked(
        _ path: String, _ formats: [String], app: String = "Reader", others: [OtherApp] = []
    ) throws(HostError) -> LocalBook {
        try LocalBook(
            path, AcceptedFormats(app: app, extensions: formats) { others },
            cancellation: Cancellation(), known: nil)
    }
}

@Suite("A local file is known by its content, and refused if the app does not accept it")
struct LocalBookTests {
    @Test("A file that the app does not accept is refused with the name of another app that does")
    func otherApp() throws {
        let environment = try FakeEnvironment()
        func hint(_ name: String, _ content: String, _ others: OtherApp...) throws -> (
            String?, HintCode?
        ) {
            let path = environment.folder.path(name)
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: HostError.self) {
                try LocalBook.checked(path, ["mobi"], others: others)
            }
            return (error?.hint, error?.hintCode)
        }
        let (epub, both) = (
            OtherApp(name: "Shelf", argument: "Shelf", formats: ["epub"]),
            OtherApp(name: "Good Reader", argument: "Good Reader", formats: ["epub", "pdf"])
        )
        #expect(
            try hint("a.pdf", "%PDF-1.4", epub, both)
                == ("Convert the book first. Good Reader may accept it: use --app 'Good Reader'.", .chooseApp)
        )
        #expect(try hint("a.pdf", "%PDF-1.4", epub) == ("Convert the book first.", nil))
        #expect(
            try hint("b.epub", "text", epub)
                == ("Reader accepts: mobi. Shelf may accept it: use --app Shelf.", .chooseApp))
        #expect(
            try hint("c.xyz", "text", OtherApp(name: "Files", argument: "org.files", formats: []))
                == ("Reader accepts: mobi. Files may accept it: use --app org.files.", .chooseApp))
        #expect(
            try hint("none", "text", OtherApp(name: "Files", argument: "org.files", formats: [])) == (
                "Reader accepts: mobi.", nil
            ))
    }

    @Test("The content decides what a file is, whether its extension is wrong or missing")
    func contentDecides() throws {
        let environment = try FakeEnvironment()
        func check(_ name: String, _ content: Data, _ formats: [String]) throws -> LocalBook {
            let path = environment.folder.path(name)
            try content.write(to: URL(fileURLWithPath: path))
            return try LocalBook.checked(path, formats, app: "Marvin")
        }
        let epub = try Data(contentsOf: RealBooks.history("ja"))
        let book = try check("no extension", epub, ["epub"])
        #expect(book.format == .epub)
        #expect(book.description?.title?.isEmpty == false)
        #expect(try check("wrong.pdf", epub, ["epub"]).format == .epub)
        let pdf = #expect(throws: HostError.self) { try check("a.epub", Data("%PDF-1.4".utf8), ["epub"]) }
        #expect(pdf?.code == .unsupportedFormat)
        #expect(pdf?.message == "The file has the extension .epub, but it is a PDF. Marvin accepts EPUB.")
        var comic = ZipBuilder()
        comic.entries = [.init("1.jpg", Data([0xFF, 0xD8, 0xFF]))]
        let refused = #expect(throws: HostError.self) {
            try check("b.epub", comic.data(), ["epub", "pdf"])
        }
        #expect(
            refused?.message
                == "The file has the extension .epub, but it is a comic book archive. Marvin accepts EPUB and PDF."
        )
        #expect(refused?.hint == "Convert the book first." && refused?.hintCode == nil)
        // Text that only looks like a page keeps the format of its name.
        #expect(try check("notes.txt", Data("<html>".utf8), ["txt"]).format?.isHtml == true)
        // The reader app decides about a damaged file.
        #expect(try check("broken.epub", Data("nothing".utf8), ["epub"]).format == nil)
    }

    @Test("A truncated EPUB is known as one that overlays refuse; a whole one and another file are not")
    func cutOff() throws {
        let environment = try FakeEnvironment()
        let whole = try Data(contentsOf: RealBooks.history("ja"))
        func refusal(_ name: String, _ content: Data) throws -> HostError? {
            let path = environment.folder.path(name)
            try content.write(to: URL(fileURLWithPath: path))
            return try LocalBook.checked(path, []).refusal
        }
        #expect(try refusal("half.epub", whole.prefix(whole.count / 2))?.code == .damaged)
        #expect(try refusal("whole.epub", whole) == nil)
        #expect(try refusal("text.epub", Data("nothing".utf8)) == nil)
        #expect(try refusal("half.cbz", whole.prefix(whole.count / 2)) == nil)
    }
}
