import Diagnostics
import Testing

@testable import MarvinCommands

@Suite("A hostile file costs no more than a message")
struct HostileFilesTests {
    private func code(_ text: String, _ limits: CommandFileLimits = .command) -> CommandReadError.Code? {
        do {
            _ = try CommandFileReader(limits: limits, subject: "file").read(Array(text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "A document type is refused at any place",
        arguments: [
            "<!DOCTYPE status [<!ENTITY a 'b'>]><status>&a;</status>",
            "<?xml version='1.0'?><!DOCTYPE status SYSTEM 'file:///etc/passwd'><status/>",
            "<!-- x --><?y z?>\n<!DOCTYPE s><s/>",
        ])
    func documentType(text: String) {
        #expect(code(text) == .documentType)
    }

    @Test("Undeclared entities are an error, not an empty text")
    func undeclaredEntity() {
        #expect(code("<a>&b;</a>") == .malformed)
    }

    @Test("A document type inside the root element is malformed")
    func lateDocumentType() {
        #expect(code("<a><!DOCTYPE b [<!ENTITY c 'd'>]></a>") == .malformed)
    }

    @Test("Deep nesting, many elements and large files are refused")
    func limits() {
        let limits = CommandFileLimits(bytes: 1000, elements: 20, depth: 4)
        #expect(code("<a><b><c><d/></c></b></a>", limits) == nil)
        #expect(code("<a><b><c><d><e/></d></c></b></a>", limits) == .tooDeep)
        #expect(code("<a>" + String(repeating: "<b/>", count: 19) + "</a>", limits) == nil)
        #expect(code("<a>" + String(repeating: "<b/>", count: 20) + "</a>", limits) == .tooLarge)
        #expect(code("<a>" + String(repeating: " ", count: 1000) + "</a>", limits) == .tooLarge)
    }

    @Test(
        "An element with very many attributes is refused before the parser compares them all",
        arguments: ["<a %>", "<!-- \" --><a %>", "<?x \"?><a %/>", "<a b='>'><![CDATA[\"]]><c %/></a>"])
    func manyAttributes(text: String) {
        func filled(_ count: Int) -> String {
            let attributes = (0..<count).map { "x\($0)='='" }.joined(separator: " ")
            return text.replacing("%", with: attributes)
        }
        #expect(code(filled(300_000)) == .tooLarge)
        #expect(code(filled(257)) == .tooLarge)
        #expect(code(filled(256)) != .tooLarge)
    }

    @Test("Very deep nesting does not exhaust the stack")
    func veryDeep() {
        let depth = 200_000
        #expect(code(String(repeating: "<a>", count: depth)) == .tooDeep)
        let limits = CommandFileLimits(bytes: 1 << 24, elements: 1 << 20, depth: 1 << 20)
        #expect(
            code(String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth), limits)
                == .tooDeep)
    }

    @Test("A cover larger than libxml2's own limit of 10 MB for a text is read")
    func largeText() throws {
        let image = [UInt8](repeating: 0xA5, count: 9 << 20)
        let command = UploadBooks(
            timestamp: CommandTimestamp(seconds: 1),
            books: [UploadBooks.Book(fileName: "a", cover: EmbeddedCover(hash: "h", data: image))])
        #expect(try Command(decoding: command.encoded()) == .uploadBooks(command))
    }

    @Test("Bytes that are not UTF-8 are an error")
    func invalidUTF8() {
        let bytes =
            Array("<status code='0'><messages><message>".utf8) + [0xFF, 0xC0, 0x80]
            + Array("</message></messages></status>".utf8)
        #expect(throws: CommandReadError.self) { try CommandStatus(decoding: bytes) }
    }

    @Test("A file with any one byte changed is read or refused, never trapped on", arguments: Golden.commands)
    func changedBytes(command: Command) {
        let whole = command.encoded()
        var refused = 0
        for index in whole.indices {
            for value in [0x00, 0x22, 0x26, 0x2F, 0x3C, 0x3E, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                do {
                    _ = try Command(decoding: bytes)
                } catch {
                    #expect(!error.message.isEmpty)
                    refused += 1
                }
            }
        }
        #expect(refused > whole.count)
    }

    @Test("A message of nothing but brackets is parsed at once")
    func brackets() {
        let text = String(repeating: "[]", count: 1 << 20)
        #expect(Rejection(message: text, fileNames: ["a.epub"]).fileName == nil)
        #expect(Rejection(message: String(repeating: "[", count: 1 << 20)).fileName == nil)
    }
}
