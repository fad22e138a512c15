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

    @Test("The preferred extension of a media type has that type; parameters and case are ignored")
    func preferred() {
        for format in FileFormat.all {
            for type in format.mediaTypes {
                let preferred = FileFormat.fileExtension(ofMediaType: type)
                #expect(preferred.map { FileFormat.has($0, mediaType: type) } == true, "\(type)")
            }
        }
        #expect(FileFormat.fileExtension(ofMediaType: "Application/PDF; charset=x") == "pdf")
        #expect(FileFormat.fileExtension(ofMediaType: "application/x-unknown") == nil)
    }

    @Test("Kindle's formats are one family, in which azw3 has the names of several programs")
    func kindle() {
        #expect(FileFormat.mediaType(of: "azw3") == FileFormat.mediaType(of: "azw"))
        #expect(FileFormat.fileExtension(ofMediaType: "application/vnd.amazon.ebook") == "azw3")
        #expect(FileFormat.fileExtension(ofMediaType: "application/vnd.amazon.mobi8-ebook") == "azw3")
        #expect(FileFormat.has("prc", mediaType: "application/x-mobipocket-ebook"))
        #expect(!FileFormat.has("azw", mediaType: "application/x-mobipocket-ebook"))
    }

    @Test("Books of other devices have no media type, because their names may deceive")
    func foreign() {
        #expect(FileFormat.of("kepub")?.kind == .foreign)
        #expect(FileFormat.all.filter { $0.kind == .foreign }.allSatisfy { $0.mediaType == nil })
    }
}
