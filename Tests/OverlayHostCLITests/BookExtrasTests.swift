import BookModel
import JSON
import OverlayHost
import Testing

@testable import OverlayHostCLI

@Suite("Other values of an app are shown beside the fields of a book, and replace none of them")
struct BookExtrasTests {
    private func members(_ extra: String) -> [String] {
        var book = BookRecord(path: "/a.epub")
        book.extra = extra
        return BookDocument.json(book).object?.members.map(\.name).filter { $0 != "cover" } ?? []
    }

    @Test("Values with names of their own are members of the document")
    func own() {
        let extra = """
            {"cite_key": "a:b", "identifiers": {"doi": "10.1"}, "color": {"any": [1]}, "pubdate_precision": "day",
             "files": [{"path": "a.pdf", "state": "on_device"}, {"path": null, "state": "missing"}]}
            """
        #expect(members(extra) == ["path", "cite_key", "identifiers", "color", "pubdate_precision", "files"])
    }

    @Test(
        "A value with the name of a field, or with another type than the documents give it, is left out",
        arguments: [
            #"{"title": 7, "content_id": 7, "locked": "yes", "progress": "x", "word_count": "many"}"#,
            #"{"app": 1, "device": 1, "file": 1, "source": 1, "status": 1, "overlay": 1, "annotations": 1}"#,
            #"{"cite_key": 4, "type": [], "library": null, "journal": {}, "pubdate_precision": "hour"}"#,
            #"{"files": "x"}"#, #"{"files": [{"path": 1, "state": "missing"}]}"#,
            #"{"files": [{"path": "a", "state": "lost"}]}"#, #"{"files": [7]}"#,
            #"{"identifiers": {"doi": 1}}"#, #"{"a\u0000b": 1}"#, "[1]", "no JSON",
        ])
    func others(extra: String) { #expect(members(extra) == ["path"]) }

    @Test("The fault of each value that is left out is named for authors of overlays")
    func faults() {
        let extra = #"{"title": 7, "files": "x", "color": 1, "status": 1, "search_texts": {"notes": ["a"]}}"#
        let values = ExtraValues(extra)
        #expect(values.members.map(\.name) == ["color"])
        #expect(
            values.faults == [
                "Its member title has the name of another value.",
                "Its member files does not have the type that docs/json/book.schema.json gives it.",
                "Its member status has the name of another value.",
            ])
        #expect(ExtraValues("[1]").faults == ["It is not a JSON object."])
        #expect(ExtraValues("no JSON").faults == ["It is not JSON."])
    }
}
