import FoundationEssentials
import JSON
import OverlayBridge
import OverlayKit

/// What people have said about books that the files themselves do not say: titles and authors they entered, and what the
/// host knew of a file it sent. Kept on the host by content, so that it follows a file that is moved or renamed.
///
/// Several programs may note something at once. So no program rewrites what another has written: each save is a file of its
/// own that holds what is new in it, with its time, and a reader takes all of them together. When there are many, one
/// program writes a new file of all that it has read, each step with its own time, and then removes what it has read: at
/// every moment every step is in some file, and one that is in two of them counts once.
///
/// Unlike a cache it cannot be made again: a damaged file is reported and left alone, and a save that fails throws.
public final class BookNotes {
    /// How the keys begin; the file of the first version is called `edits.json`.
    private static let prefix = "edits"
    private static let version: Int64 = 2
    /// More files than that are made one.
    private static let mostFiles = 12
    /// Former states of a file, except the first one.
    private static let mostStates = 15
    /// How often files are looked for that another program is just making one.
    private static let attempts = 8

    private var kept: StorageService?
    private let log: LogService
    /// The history including unsaved edits.
    private var current = NoteHistory()
    /// The sound files that were read.
    private var read: [String] = []
    /// What is new since.
    private var changes: [DatedNote] = []

    /// Loads the notes; with nil they live only as long as this object.
    public init(_ kept: StorageService?, log: LogService) {
        (self.kept, self.log) = (kept, log)
        guard let kept else { return }
        do throws(OverlayError) {
            try load(kept)
        } catch {
            // A host of an older version keeps nothing.
            if error.status == .notSupported {
                self.kept = nil
            } else {
                log.warning("books", "Cannot read the titles and authors you entered: \(error.message)")
            }
        }
    }

    private func load(_ kept: StorageService) throws(OverlayError) {
        for attempt in 1...Self.attempts {
            var steps: [DatedNote] = []
            var sound: [String] = []
            var isWhole = true
            for key in try kept.keys(.data) where key.hasPrefix(Self.prefix) && key.hasSuffix(".json") {
                guard let bytes = try kept.read(.data, key) else {
                    // Another program has just made one file of several.
                    isWhole = false
                    continue
                }
                do throws(OverlayError) {
                    steps += try Self.parse(bytes, key)
                    sound.append(key)
                } catch {
                    log.warning("books", "Cannot read the titles and authors you entered: \(error.message)")
                }
            }
            guard isWhole || attempt == Self.attempts else { continue }
            read = sound
            // Steps of one time keep the order of their files, which only matters to programs that write at once.
            for step in steps { current.take(step) }
            return
        }
    }

    private static func parse(_ bytes: [UInt8], _ key: String) throws(OverlayError) -> [DatedNote] {
        let (steps, version) = try parse(bytes, key, as: Self.version)
        // What an entry says depends on the version, which is known when the file has been read.
        return version == Self.version ? steps : try parse(bytes, key, as: version).steps
    }

    private static func parse(
        _ bytes: [UInt8], _ key: String, as version: Int64
    ) throws(OverlayError) -> (steps: [DatedNote], version: Int64) {
        var steps: [DatedNote] = []
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue.parsing(bytes, list: "books") { entry in
                steps += DatedNote.steps(entry, version: version)
            }
        } catch {
            throw OverlayError(.damaged, "The file of edits is not JSON: \(error)", subject: key)
        }
        guard let object = json.object, let found = object["version"]?.integer,
            (1...Self.version).contains(found), case .array? = object["books"]
        else { throw OverlayError(.damaged, "The file of edits has an unsupported version.", subject: key) }
        return (steps, found)
    }

    /// What is noted about a content, as it is shown; nil if nothing is.
    public func shown(_ content: ContentFingerprint) -> Book? {
        let note = current.note(content)
        return note.isEmpty ? nil : note.shown
    }

    /// Notes fields that a person entered.
    public func edit(_ content: ContentFingerprint, _ fields: Book) {
        guard fields != Book() else { return }
        change(content, .edit(fields))
    }

    /// Notes what the host knows about a file it has sent.
    ///
    /// What a person entered here stays, unless the host has got something new to say since.
    ///
    /// - Parameters:
    ///   - content: the file's content.
    ///   - book: what the host knows.
    ///   - own: the metadata in the file, if known; used where the host has sent nothing before.
    /// - Returns: whether the notes changed.
    @discardableResult
    public func setKnown(_ content: ContentFingerprint, _ book: Book, own: Book?) -> Bool {
        // As it will be read back: what is not kept is nothing new.
        let book = Book(keptJSON: book.keptJSON())
        let old = current.note(content)
        if var edited = old.edited, let before = old.known ?? own {
            if let title = book.title, let last = before.title, title != last {
                (edited.title, edited.titleSort) = (nil, nil)
            }
            if let authors = book.authors, let last = before.authors, authors != last {
                (edited.authors, edited.authorSort) = (nil, nil)
            }
            if edited != old.edited { change(content, .edited(edited == Book() ? nil : edited)) }
        }
        if old.known != book { change(content, .known(CompactBook(book))) }
        // The host has these very bytes.
        if !old.formerly.isEmpty { change(content, .laterState([])) }
        return current.note(content) != old
    }

    /// What the host knew of a content when it sent it; nil if it did not.
    func known(_ content: ContentFingerprint) -> Book? { current.note(content).known }

    /// Whether the app has written into the file of a content since it was sent.
    func isLaterState(_ content: ContentFingerprint) -> Bool { !current.note(content).formerly.isEmpty }

    /// The contents that the app has made of others, by each of these.
    func laterStates() -> [ContentFingerprint: [ContentFingerprint]] { current.laterStates() }

    /// Carries the notes of a content over to another content that the app has made of it; its own notes stay.
    func carry(from old: ContentFingerprint, to content: ContentFingerprint) {
        let (source, target) = (current.note(old), current.note(content))
        if target.known == nil, let known = source.known { change(content, .known(CompactBook(known))) }
        if target.edited == nil, let edited = source.edited { change(content, .edit(edited)) }
        noteLaterState(of: old, content)
    }

    /// Notes that the app has made one content of another.
    func noteLaterState(of old: ContentFingerprint, _ content: ContentFingerprint) {
        let (source, target) = (current.note(old), current.note(content))
        guard target.formerly.isEmpty, !source.formerly.contains(content) else { return }
        // What was sent stands first.
        let formerly = source.formerly + [old]
        change(content, .laterState(Array(formerly.prefix(1) + formerly.dropFirst().suffix(Self.mostStates))))
    }

    /// Forgets a content that is gone.
    public func forget(_ content: ContentFingerprint) {
        if !current.note(content).isEmpty { change(content, .forgotten) }
    }

    private func change(_ content: ContentFingerprint, _ change: BookNote.Change) {
        // A clock that was put back must not make the newest word the oldest.
        let time = max(Self.now, (current.lastTime(content) ?? 0) &+ 1)
        let step = DatedNote(content, time, change)
        current.take(step)
        changes.append(step)
    }

    /// Milliseconds since 1970.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// Writes what changed.
    ///
    /// - Throws: why it cannot be kept, so that the person does not take an edit for stored. What changed is forgotten
    ///   then, and does not come back with a later change.
    public func save() throws(OverlayError) {
        guard !changes.isEmpty else { return }
        do throws(OverlayError) { try write() } catch {
            current.takeBack(changes)
            changes = []
            throw error
        }
        changes = []
    }

    private func write() throws(OverlayError) {
        guard let kept else {
            throw OverlayError(
                .notSupported, "This host cannot save edits.", hint: "Update the host program.")
        }
        let old = read.count >= Self.mostFiles ? read : []
        let key = Self.newKey()
        try kept.write(.data, key, Self.bytes(old.isEmpty ? changes : current.needed(at: Self.now)))
        read = (old.isEmpty ? read : []) + [key]
        for key in old {
            do throws(OverlayError) { try kept.remove(.data, key) } catch {
                log.notice(
                    "books", "Cannot remove an old file of edits (harmless): \(error.message)", ["file": key]
                )
            }
        }
    }

    private static func bytes(_ steps: [DatedNote]) -> [UInt8] {
        var object = JSONObject()
        object["version"] = .integer(version)
        // The order of steps about one content stays.
        let sorted = steps.enumerated().sorted {
            ($0.element.content.text, $0.offset) < ($1.element.content.text, $1.offset)
        }
        var bytes: [UInt8] = []
        object.write(array: "books", of: sorted.lazy.map(\.element.json)) { bytes += $0.utf8 }
        return bytes
    }

    /// A key that no other program uses.
    private static func newKey() -> String {
        "\(prefix)-\(UInt64.random(in: 0 ... .max)).json"
    }
}
