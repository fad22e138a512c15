import OverlayKitTesting
import OverlayKit
import PropertyLists
import Testing

@testable import iBooks

@Suite("Annotations of Books are listed with their book")
struct AnnotationTests {
    private static let hash = "0123456789ABCDEF0123456789ABCDEF"

    @Test("A highlight has the colour of its style, and a bookmark has none")
    func colors() throws {
        let shelf = BooksShelf()
        shelf.put("a.epub", "EPUB a")
        try shelf.list(
            "Books.plist", [["Path": "a.epub", "Name": "A", "Package Hash": .string(Self.hash)]])
        func entry(_ type: PropertyList, _ style: PropertyList, _ text: String) -> PropertyList {
            [
                "annotationAssetID": .string(Self.hash), "annotationType": type, "annotationStyle": style,
                "annotationSelectedText": .string(text),
            ]
        }
        let root: PropertyList = [
            "x": [entry(2, 0, "a"), entry(2, 3, "b"), entry(2, 9, "c"), entry(1, 0, "d"), entry(1, 3, "e")]
        ]
        shelf.host.files[AnnotationReader.paths[0]] = .init(
            bytes: try root.encoded(.binary), modified: 1, created: 1)
        var colors: [String: String] = [:]
        try shelf.overlay().books(BooksOptions(withAnnotations: true)) { book in
            for annotation in book.annotations {
                colors["\(annotation.kind ?? "") \(annotation.text ?? "")"] = annotation.color ?? "none"
            }
        }
        #expect(
            colors == [
                "highlight a": "underline", "highlight b": "yellow", "highlight c": "none",
                "bookmark d": "none", "bookmark e": "none",
            ])
    }
}
