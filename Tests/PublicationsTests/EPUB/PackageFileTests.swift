import Archives
import Foundation
import JSON
import Testing

@testable import Publications

@Suite("A package document beside a book is read on its own")
struct PackageFileTests {
    private func read(_ text: String) throws -> PackageFile {
        try PackageFile.read(from: DataByteSource(Data(text.utf8)), name: "metadata.opf")
    }

    private func package(_ metadata: String, _ rest: String = "") -> String {
        """
        <package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
        \(metadata)</metadata>\(rest)</package>
        """
    }

    @Test("A package document has the fields of an EPUB that contains it")
    func fields() throws {
        let file = try read(
            package("<dc:title>A</dc:title><dc:creator>B</dc:creator><dc:language>de</dc:language>"))
        #expect(file.metadata.title == "A")
        #expect(file.metadata.authors.map(\.name) == ["B"])
        #expect(file.metadata.languages == ["de"])
        #expect(file.coverReference == nil && file.userColumns.isEmpty && file.shortcomings.isEmpty)
    }

    @Test("The cover of the guide counts before the one that metadata or manifest mark")
    func cover() throws {
        let manifest =
            #"<manifest><item id="c" href="c.png"/><item id="d" href="d.png" properties="cover-image"/></manifest>"#
        let guide = #"<guide><reference type="cover" href=" g.jpg "/></guide>"#
        let meta = #"<meta name="cover" content="c"/>"#
        #expect(try read(package(meta, manifest + guide)).coverReference == "g.jpg")
        #expect(try read(package(meta, manifest)).coverReference == "c.png")
        #expect(try read(package("", manifest)).coverReference == "d.png")
    }

    @Test("Each column counts once, and anything else is left out with a message")
    func columns() throws {
        func meta(_ name: String, _ json: String) -> String {
            let quoted = json.replacing("\"", with: "&quot;")
            return #"<meta name="calibre:user_metadata:\#(name)" content="\#(quoted)"/>"#
        }
        let file = try read(
            package(
                meta("#a", ##"{"#value#": 3, "name": "A", "datatype": "int"}"##)
                    + meta("#a", ##"{"#value#": 4}"##) + meta("", ##"{"#value#": 5}"##)
                    + meta("#b", "{{{") + meta("#c", "[1]") + meta("#d", "{}")))
        #expect(
            file.userColumns == [
                .init(lookupName: "#a", heading: "A", type: "int", value: .integer(3)),
                .init(lookupName: "#d", heading: "", type: "", value: .null),
            ])
        #expect(file.shortcomings.map(\.code) == [.badValue])
    }

    @Test("Columns beyond a thousand are left out")
    func many() throws {
        let metas = (0..<1200).map { #"<meta name="calibre:user_metadata:#c\#($0)" content="{}"/>"# }
        #expect(try read(package(metas.joined())).userColumns.count == 1000)
    }

    @Test("Entities that the document declares are not expanded")
    func entities() throws {
        let text = """
            <!DOCTYPE package [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
            \(package("<dc:title>x&b;y&f;z</dc:title>"))
            """
        let title = try read(text).metadata.title ?? ""
        #expect(!title.contains("aaaa") && !title.contains("root"))
    }

    @Test(
        "A file that is not a package document is refused",
        arguments: ["", "plain text", "<html><body/></html>", "<feed/>"])
    func others(_ text: String) {
        #expect(throws: PublicationError.self) { try read(text) }
    }

    @Test("A document larger than any real one is refused unread")
    func large() {
        let text = package("<dc:title>A</dc:title>" + String(repeating: " ", count: 5 << 20))
        let error = #expect(throws: PublicationError.self) { try read(text) }
        #expect(error?.code == .tooLarge)
    }
}
