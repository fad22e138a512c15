import JSON
import OverlayKit

/// What people have said about books that the files themselves do not say: titles and authors they entered, and what the
/// host knew of a file it sent. Kept on the host by content, so that it follows a file that is moved or renamed.
///
/// Unlike a cache it cannot be made anew: a damaged file is left alone and reported, and writing it throws.
public final class BookNotes {
    private static let key = "edits.json"
    private static let version: Int64 = 1

    private var kept: StorageService?
    private var notes: [ContentFingerprint: Book] = [:]
    private var problem: OverlayError?
    private var isChanged = false

    /// Loads the notes; with nil they live only as long as this object.
    public init(_ kept: StorageService?, log: LogService) {
        self.kept = kept
        guard let kept else { return }
        do throws(OverlayError) {
            guard let bytes = try kept.read(.data, Self.key) else { return }
            notes = try Self.parse(bytes)
        } catch {
            // A host of an older version keeps nothing.
            if error.status == .notSupported {
                self.kept = nil
                return
            }
            log.warning("books", "Titles and authors you entered cannot be read: \(error.message)")
            problem = error
        }
    }

    private static func parse(_ bytes: [UInt8]) throws(OverlayError) -> [ContentFingerprint: Book] {
        let json: JSONValue
        do throws(JSONSyntaxError) { json = try JSONValue(parsing: bytes) } catch {
            throw OverlayError(.damaged, "The file of edits is not JSON: \(error).", subject: key)
        }
        guard let object = json.object, object["version"]?.integer == version,
            case .array(let books)? = object["books"]
        else { throw OverlayError(.damaged, "The file of edits is of another version.", subject: key) }
        var notes: [ContentFingerprint: Book] = [:]
        for book in books.compactMap(\.object) {
            guard let fingerprint = book["content"]?.string.flatMap({ ContentFingerprint($0) }) else {
                continue
            }
            notes[fingerprint] = Book(keptJSON: book)
        }
        return notes
    }

    /// Whether any content of that size has a note; if not, no fingerprint is needed to know it.
    public func mayKnow(size: UInt64) -> Bool { sizes.contains(size) }

    private lazy var sizes: Set<UInt64> = Set(notes.keys.compactMap(\.size))

    /// What is noted of a content.
    public subscript(fingerprint: ContentFingerprint) -> Book? {
        get { notes[fingerprint] }
        set {
            guard notes[fingerprint] != newValue else { return }
            notes[fingerprint] = newValue
            if let size = fingerprint.size { sizes.insert(size) }
            isChanged = true
        }
    }

    /// Writes what changed.
    ///
    /// - Throws: why it cannot be kept, so that nobody believes an edit was stored that was not.
    public func save() throws(OverlayError) {
        guard isChanged else { return }
        if let problem { throw problem }
        guard let kept else {
            throw OverlayError(.notSupported, "This host keeps no edits.", hint: "Update the host program.")
        }
        var object = JSONObject()
        object["version"] = .integer(Self.version)
        object["books"] = .array(
            notes.sorted { $0.key.text < $1.key.text }.map { fingerprint, book in
                var entry = book.keptJSON()
                entry["content"] = .string(fingerprint.text)
                return .object(entry)
            })
        try kept.write(.data, Self.key, Array(JSONValue.object(object).text(.indented).utf8))
        isChanged = false
    }
}
