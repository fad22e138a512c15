import Testing

@testable import BookModel

@Suite("The table of file formats")
struct FileFormatTests {
    @Test("Each extension stands once, in lower case and without a dot")
    func unique() {
        let extensions = FileFormat.all.map(\.fileExtension)
        #expect(Set(extensions).count == extensions.count)
        #expect(extensions.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty && !$0.contains(".") })
    }

    @Test(
        "A media type has a preferred extension; its parameters and case are ignored",
        arguments: [
            ("application/epub+zip", "epub"), ("Application/PDF; charset=x", "pdf"), ("audio/mp4", "m4b"),
            ("image/jpeg", "jpg"), ("text/html", "html"), ("image/vnd.djvu", "djvu"),
            ("application/x-cbz", "cbz"),
            ("application/x-unknown", nil),
        ] as [(String, String?)])
    func preferred(mediaType: String, fileExtension: String?) {
        #expect(FileFormat.fileExtension(ofMediaType: mediaType) == fileExtension)
    }

    @Test("Kindle's formats are one family, in which azw3 has the names of several programs")
    func kindle() {
        #expect(FileFormat.mediaType(of: "azw3") == FileFormat.mediaType(of: "azw"))
        #expect(FileFormat.fileExtension(ofMediaType: "application/vnd.amazon.ebook") == "azw3")
        #expect(FileFormat.fileExtension(ofMediaType: "application/vnd.amazon.mobi8-ebook") == "azw3")
        #expect(FileFormat.has("prc", mediaType: "application/x-mobipocket-ebook"))
        #expect(!FileFormat.has("azw", mediaType: "application/x-mobipocket-ebook"))
    }

    @Test("The extension of a book of another device says nothing of its content")
    func foreign() {
        #expect(FileFormat.of("kepub")?.kind == .foreign)
        #expect(FileFormat.mediaType(of: "kepub") == nil)
    }
}
