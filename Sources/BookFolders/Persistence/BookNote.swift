import JSON
import OverlayBridge
import OverlayKit

/// What is recorded about one content in addition to the metadata in its file.
struct BookNote: Equatable {
    /// The host's metadata when it sent the file.
    var known: Book?
    /// The values that the user entered.
    var edited: Book?
    /// The earlier contents from which the app has created this one, oldest first.
    var formerly: [ContentFingerprint] = []

    /// The values to show: the user's values override the host's.
    var shown: Book {
        guard let edited else { return known ?? Book() }
        return (known ?? Book()).overlaid(with: edited)
    }

    /// Whether nothing is recorded.
    var isEmpty: Bool { known == nil && edited == nil && formerly.isEmpty }

    /// One step in the history of a note.
    enum Change: Equatable {
        /// The host sent the file with this metadata.
        case known(CompactBook)
        /// The user entered these fields.
        indirect case edit(Book)
        /// All values that people have entered; nil removes them.
        indirect case edited(Book?)
        /// The app created the content from these contents. An empty list means that the content is unchanged since
        /// it was sent.
        case laterState([ContentFingerprint])
        /// The content no longer exists.
        case forgotten
    }

    /// Applies a step.
    mutating func apply(_ change: Change) {
        switch change {
        case .known(let kept): known = kept.book
        case .edit(let book): edited = (edited ?? Book()).overlaid(with: book)
        case .edited(let book): edited = book
        case .laterState(let contents): formerly = contents
        case .forgotten: self = BookNote()
        }
    }
}

/// A stored step in the history of a note.
struct DatedNote {
    private static let known = "known"
    private static let edit = "edit"
    private static let edited = "edited"
    private static let laterState = "later_state_of"
    private static let forgotten = "forgotten"

    /// The content that it concerns.
    var content: ContentFingerprint
    /// The time in milliseconds since 1970. A later step overrides an earlier one.
    var time: Int64
    var change: BookNote.Change

    init(_ content: ContentFingerprint, _ time: Int64, _ change: BookNote.Change) {
        (self.content, self.time, self.change) = (content, time, change)
    }

    /// The step as an entry of a file.
    var json: JSONValue {
        var object = JSONObject()
        object["content"] = .string(content.text)
        object["time"] = .integer(time)
        switch change {
        case .known(let kept): object[Self.known] = .object(kept.book.keptJSON())
        case .edit(let book): object[Self.edit] = .object(book.keptJSON())
        case .edited(let book?): object[Self.edited] = .object(book.keptJSON())
        case .edited(nil): object[Self.edited] = .null
        case .laterState(let contents):
            object[Self.laterState] = .array(contents.map { .string($0.text) })
        case .forgotten: object[Self.forgotten] = .bool(true)
        }
        return .object(object)
    }

    /// The steps of an entry; empty if it is invalid. An entry of version 1 contains what the user entered.
    static func steps(_ json: JSONValue, version: Int64) -> [DatedNote] {
        guard let object = json.object,
            let content = object["content"]?.string.flatMap({ ContentFingerprint($0) })
        else { return [] }
        guard version > 1 else { return [DatedNote(content, 0, .edited(Book(keptJSON: object)))] }
        let time = object["time"]?.integer ?? 0
        var steps: [DatedNote] = []
        if object[forgotten]?.bool == true { steps.append(DatedNote(content, time, .forgotten)) }
        if let book = object[known]?.object {
            steps.append(DatedNote(content, time, .known(CompactBook(Book(keptJSON: book)))))
        }
        if let value = object[edited] {
            steps.append(DatedNote(content, time, .edited(value.object.map { Book(keptJSON: $0) })))
        }
        if let book = object[edit]?.object {
            steps.append(DatedNote(content, time, .edit(Book(keptJSON: book))))
        }
        if case .array(let texts)? = object[laterState] {
            let contents = texts.compactMap { $0.string.flatMap { ContentFingerprint($0) } }
            steps.append(DatedNote(content, time, .laterState(contents)))
        }
        return steps
    }
}
