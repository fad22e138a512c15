import Testing

import JSON

@Suite("A long list of a document is read element by element")
struct ListedDocumentTests {
    /// The elements that were passed on, and the rest of the document.
    private func read(_ text: String, list: String?) throws -> (elements: [String], rest: String) {
        var elements: [String] = []
        let rest = try JSONValue.parsing(Array(text.utf8), list: list) { elements.append($0.text()) }
        return (elements, rest.text())
    }

    @Test("A document that is a list hands on its elements and no others")
    func document() throws {
        let (elements, rest) = try read(" [1, [2, 3], {\"books\": [4]}] ", list: nil)
        #expect(elements == ["1", "[2, 3]", "{\"books\": [4]}"] && rest == "[]")
        #expect(try read("[]", list: nil).elements.isEmpty)
        #expect(try read("{\"books\": [4]}", list: nil) == ([], "{\"books\": [4]}"))
    }

    @Test("Only the member of the document's object counts, not one of the same name below it")
    func member() throws {
        let text =
            "{\"a\": {\"books\": [1]}, \"b\": [{\"books\": [2]}], \"books\": [{\"books\": [3]}, [4]], \"c\": [5]}"
        let (elements, rest) = try read(text, list: "books")
        #expect(elements == ["{\"books\": [3]}", "[4]"])
        #expect(rest == "{\"a\": {\"books\": [1]}, \"b\": [{\"books\": [2]}], \"books\": [], \"c\": [5]}")
        #expect(try read("{\"books\": \"none\", \"a\": [1]}", list: "books").elements.isEmpty)
    }

    @Test(
        "Damage behind elements is an error",
        arguments: ["[1, 2", "[1, 2,]", "[1, 2] 3", "[1, {\"a\": 1, \"a\": 2}]"])
    func damage(_ text: String) {
        #expect(throws: JSONSyntaxError.self) { try read(text, list: nil) }
    }
}
