/// Reading marks: data that the user left in a book, or that the app wrote into its file, and that would be lost with
/// a new file.
public struct ReadingMarks: Hashable, Sendable {
    /// The number of highlights without a note.
    public var highlights: Int
    /// The number of notes.
    public var notes: Int
    /// The number of bookmarks.
    public var bookmarks: Int
    /// The reading progress, from 0 to 1; 0 if the book was not begun, nil if unknown.
    public var progress: Double?
    /// Whether the app has written into the file since it was sent.
    public var isFileChanged: Bool
    /// Whether the app may have highlights, notes or bookmarks besides these, because they could not be read.
    public var areIncomplete = false

    /// Creates marks; there are none by default.
    public init(
        highlights: Int = 0, notes: Int = 0, bookmarks: Int = 0, progress: Double? = nil,
        isFileChanged: Bool = false
    ) {
        self.highlights = highlights
        self.notes = notes
        self.bookmarks = bookmarks
        self.progress = progress
        self.isFileChanged = isFileChanged
    }

    /// The marks among annotations, by their kinds: `highlight`, `note` and `bookmark`. Any other kind counts as a
    /// highlight.
    public init(kinds: [String], progress: Double? = nil) {
        let (notes, bookmarks) = (
            kinds.count { $0 == "note" }, kinds.count { $0 == "bookmark" }
        )
        self.init(
            highlights: kinds.count - notes - bookmarks, notes: notes, bookmarks: bookmarks,
            progress: progress)
    }

    /// Whether there are no marks that could be lost.
    public var isEmpty: Bool { parts(app: "").isEmpty }

    /// Describes the marks, such as `2 highlights, 1 note and the reading position (42 %)`; empty without marks.
    public func phrase(app: String) -> String {
        let parts = parts(app: app)
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    private func parts(app: String) -> [String] {
        var parts: [String] = []
        for (count, one) in [(highlights, "highlight"), (notes, "note"), (bookmarks, "bookmark")]
        where count > 0 {
            parts.append(count == 1 ? "1 \(one)" : "\(count) \(one)s")
        }
        if areIncomplete { parts.append("any highlights, notes and bookmarks that cannot be read") }
        if let progress, progress > 0, progress.isFinite {
            let percent = Int(max(1, (min(progress, 1) * 100).rounded()))
            parts.append("the reading position (\(percent) %)")
        }
        if isFileChanged { parts.append("what \(app) has added to the file since it was sent") }
        return parts
    }
}
