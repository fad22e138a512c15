import OverlayKit

extension Book {
    /// A book with a value in every field.
    static let complete = Book(
        path: "books/Sämtliche Erzählungen.epub", uuid: "7b1c", title: "Sämtliche Erzählungen 📚",
        titleSort: "Erzählungen, Sämtliche", authors: ["Franz Kafka", "Max Brod"], authorSort: "Kafka, Franz",
        series: "Werke", seriesIndex: 2.5, publisher: "Fischer", pubdate: "1970-01-31", dateAdded: -3,
        description: "<p>Zeile\u{0}Ende</p>", tags: ["Klassiker", ""], collections: [], rating: 4.5, size: 0,
        format: "application/epub+zip", coverMediaType: "image/jpeg", coverSize: 3, coverData: [1, 0, 255],
        isLocked: false, wordCount: 12_345, progress: 0.5,
        annotations: [
            Annotation(
                kind: "note", location: "epubcfi(/6/4)", text: "Zeile", note: "", color: "gelb", modified: -4),
            Annotation(),
        ], contentID: "0b5c1d34-8a55-8f3e-9c41-2f7a6d1e0c98")
}
