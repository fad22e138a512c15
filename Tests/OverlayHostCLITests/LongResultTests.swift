import JSON
import Synchronization
import Testing

@testable import OverlayHostCLI

@Suite("A result with a long list is written while it is made")
struct LongResultTests {
    private final class Written: Sendable {
        let pieces = Mutex<[String]>([])
    }

    private let written = Written()

    private func console(json: Bool) -> Console {
        Console(
            isJSON: json, isQuiet: false,
            output: { [written] text in written.pieces.withLock { $0.append(text) } }, diagnostics: { _ in })
    }

    private let elements = (0..<5000).map { JSONValue.string("\($0) " + String(repeating: "x", count: 60)) }

    @Test("JSON is the same document, in several pieces") func json() {
        var members = JSONObject()
        members["app"] = .string("Marvin")
        console(json: true).result(members, "books", of: elements) { _ in }
        members["books"] = .array(elements)
        let pieces = written.pieces.withLock { $0 }
        #expect(pieces.joined() == JSONValue.object(members).text(.indented) + "\n")
        #expect(pieces.count > 3)
        #expect(pieces.allSatisfy { $0.utf8.count < 100_000 })
    }

    @Test("Text is in several pieces with a line end, and without text there are no lines") func text() {
        console(json: false).result(JSONObject(), "books", of: elements) { print in
            for element in elements { print(element.string ?? "") }
        }
        let pieces = written.pieces.withLock { $0 }
        #expect(pieces.joined() == elements.map { $0.string ?? "" }.joined() + "\n")
        #expect(pieces.count > 3)
        written.pieces.withLock { $0 = [] }
        console(json: false).result(JSONObject(), "books", of: elements) { print in print("") }
        #expect(written.pieces.withLock { $0 }.isEmpty)
    }

    @Test("A long list inside a larger document is written at once") func part() {
        var console = console(json: true)
        let parts = Written()
        console.document = { document in parts.pieces.withLock { $0.append(document.text()) } }
        console.result(JSONObject(), "books", of: [.null]) { _ in }
        #expect(parts.pieces.withLock { $0 } == [#"{"books": [null]}"#])
        #expect(written.pieces.withLock { $0 }.isEmpty)
    }
}
