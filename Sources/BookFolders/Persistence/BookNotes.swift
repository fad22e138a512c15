import FoundationEssentials
import JSON
import OverlayBridge
import OverlayKit

/// Stores what is known about books but not in their files: titles and authors that people entered, and the host's metadata
/// for files that it sent. It is kept on the host by content, so that it follows a file that is moved or renamed.
///
/// Several programs may write notes at once, so no program changes another one's files. Each save writes a new file
/// with the new steps and their times, and a reader combines all files. When there are many, one program writes
/// everything that it has read into new files, each step with its own time, and then removes the files it has read. At
/// every moment each step is in some file; a step that is in two files counts once. A file with combined steps is
/// small enough that a long history never is in memory as text.
///
/// Unlike a cache, notes cannot be recreated: a damaged file is reported and left alone, and a save that fails throws.
public final class BookNotes {
    /// The beginning of all keys.
    private static let prefix = "edits"
    /// The file of version 1, which programs of that version replace.
    static let firstKey = "edits.json"
    private static let version: Int64 = 2
    /// The most files that are not full; if there are more, they are combined.
    private static let mostFiles = 12
    /// The most earlier contents of a file that are kept, besides the first one.
    private static let mostStates = 15
    /// The most attempts to read files while another program combines them.
    private static let attempts = 8

    /// The most contents in a file of combined steps.
    var contentsPerFile = 4096
    private var kept: StorageService?
    private let log: LogService
    /// The history, including unsaved steps.
    private var current = NoteHistory()
    /// The valid files that were read.
    private var read: [String] = []
    /// The unsaved steps.
    private var changes: [DatedNote] = []

    /// Loads the notes. Without storage they exist only as long as this object.
    public convenience init(_ kept: StorageService?, log: LogService) { self.init(kept, log: log, nil) }

    /// Loads the notes, with the files that were parsed before.
    init(_ kept: StorageService?, log: LogService, _ early: EarlyRecords?) {
        (self.kept, self.log) = (kept, log)
        guard let kept else { return }
        do throws(OverlayError) {
            try load(kept, early)
        } catch {
            // A host of an older version does not have storage.
            if error.status == .notSupported {
                self.kept = nil
            } else {
                log.warning("books", "Cannot read the titles and authors you entered: \(error.message)")
            }
        }
    }

    /// The keys of all files of notes.
    static func keys(_ kept: StorageService) throws(OverlayError) -> [String] {
        try kept.keys(.data).filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
    }

    private func load(_ kept: StorageService, _ early: EarlyRecords?) throws(OverlayError) {
        for attempt in 1...Self.attempts {
            var history = NoteHistory()
            var sound: [String] = []
            var isWhole = true
            for key in try Self.keys(kept) {
                // A file of this version never changes.
                if let steps = early?.takeNotes(key) {
                    for step in steps { history.take(step) }
                    sound.append(key)
                    continue
                }
                guard let bytes = try kept.read(.data, key) else {
                    // Another program has just combined several files into one.
                    isWhole = false
                    continue
                }
                do throws(OverlayError) {
                    // Steps with the same time keep the order of their files; this matters only if programs write at
                    // the same time.
                    for step in try Self.parse(bytes, key) { history.take(step) }
                    sound.append(key)
                } catch {
                    log.warning("books", "Cannot read the titles and authors you entered: \(error.message)")
                }
            }
            guard isWhole || attempt == Self.attempts else { continue }
            (read, current) = (sound, history)
            return
        }
    }

    /// The steps in a file.
    static func parse(_ bytes: [UInt8], _ key: String) throws(OverlayError) -> [DatedNote] {
        let (steps, version) = try parse(bytes, key, as: Self.version)
        // The version of the file determines the meaning of an entry, and it is known only after the file has been
        // read.
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

    /// The values to show for a content; nil if nothing is recorded.
    public func shown(_ content: ContentFingerprint) -> Book? {
        let note = current.note(content)
        return note.isEmpty ? nil : note.shown
    }

    /// Records fields that the user entered.
    public func edit(_ content: ContentFingerprint, _ fields: Book) {
        guard fields != Book() else { return }
        change(content, .edit(fields))
    }

    /// Records the host's metadata for a file that it has sent.
    ///
    /// The user's values are kept, unless the host has new values since.
    ///
    /// - Parameters:
    ///   - content: the file's content.
    ///   - book: the host's metadata.
    ///   - own: the metadata in the file, if known; used if the host has not sent any before.
    /// - Returns: whether the notes changed.
    @discardableResult
    public func setKnown(_ content: ContentFingerprint, _ book: Book, own: Book?) -> Bool {
        // Compare the form that will be read back, because fields that are not kept do not count as new.
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
        // The host has exactly these bytes.
        if !old.formerly.isEmpty { change(content, .laterState([])) }
        return current.note(content) != old
    }

    /// The host's metadata when it sent a content; nil if it did not send it.
    func known(_ content: ContentFingerprint) -> Book? { current.note(content).known }

    /// The host's metadata for a file that it sent, from which the app may have created this content in several steps.
    /// Empty if that file's note was forgotten, for example because a copy of it was deleted; nil if the host sent no
    /// such file.
    func sent(_ content: ContentFingerprint) -> Book? {
        let note = current.note(content)
        if let known = note.known { return known }
        guard let first = note.formerly.first else { return nil }
        let origin = current.note(first)
        return origin.known ?? (origin.isEmpty ? Book() : nil)
    }

    /// Whether the app has changed the file of a content since it was sent.
    func isLaterState(_ content: ContentFingerprint) -> Bool { !current.note(content).formerly.isEmpty }

    /// The contents that the app has created from other contents, by each of the other contents.
    func laterStates() -> [ContentFingerprint: [ContentFingerprint]] { current.laterStates() }

    /// Copies the notes of a content to another content that the app has created from it. Existing notes of that
    /// content are kept.
    func carry(from old: ContentFingerprint, to content: ContentFingerprint) {
        let (source, target) = (current.note(old), current.note(content))
        if target.known == nil, let known = source.known { change(content, .known(CompactBook(known))) }
        if target.edited == nil, let edited = source.edited { change(content, .edit(edited)) }
        noteLaterState(of: old, content)
    }

    /// Records that the app has created one content from another.
    func noteLaterState(of old: ContentFingerprint, _ content: ContentFingerprint) {
        let (source, target) = (current.note(old), current.note(content))
        guard target.formerly.isEmpty, !source.formerly.contains(content) else { return }
        // The content that was sent comes first.
        let formerly = source.formerly + [old]
        let states = formerly.dropFirst()
        change(content, .laterState(Array(formerly.prefix(1) + states.suffix(Self.mostStates))))
        // What an app has written over long ago will not come back, and notes must not grow with each change.
        for past in states.dropLast(Self.mostStates) where isLaterState(past) { forget(past) }
    }

    /// Forgets a content that no longer exists.
    public func forget(_ content: ContentFingerprint) {
        if !current.note(content).isEmpty { change(content, .forgotten) }
    }

    private func change(_ content: ContentFingerprint, _ change: BookNote.Change) {
        // If the clock was set back, the newest step must still be the latest.
        let time = max(Self.now, (current.lastTime(content) ?? 0) &+ 1)
        let step = DatedNote(content, time, change)
        current.take(step)
        changes.append(step)
    }

    /// Milliseconds since 1970.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// Writes the unsaved steps.
    ///
    /// - Throws: why they cannot be stored, so that the user does not believe that an edit was saved. The steps are
    ///   then discarded, and a later save does not include them.
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
        let key = Self.newKey()
        try kept.write(.data, key, Self.bytes(changes))
        read.append(key)
        let full = current.contents.count / contentsPerFile
        if read.count > Self.mostFiles + 2 * full { combine(kept) }
    }

    /// Writes all steps that are still needed into new files, and removes the files that were read. A failure is only
    /// logged, because the old files still contain all steps.
    private func combine(_ kept: StorageService) {
        let old = read
        // Creating a text takes longer than comparing two.
        let contents = current.contents.map { (text: $0.text, content: $0) }.sorted { $0.text < $1.text }
        let now = Self.now
        var key = ""
        do throws(OverlayError) {
            for start in stride(from: 0, to: contents.count, by: contentsPerFile) {
                let steps = contents[start...].prefix(contentsPerFile).flatMap {
                    current.needed($0.content, at: now)
                }
                guard !steps.isEmpty else { continue }
                key = Self.newKey()
                try kept.write(.data, key, Self.bytes(steps))
                read.append(key)
            }
        } catch {
            return log.notice(
                "books", "Cannot combine files of edits (harmless): \(error.message)", ["file": key])
        }
        read.removeAll { old.contains($0) }
        for key in old {
            do throws(OverlayError) { try kept.remove(.data, key) } catch {
                log.notice(
                    "books", "Cannot remove an old file of edits (harmless): \(error.message)", ["file": key])
            }
        }
    }

    private static func bytes(_ steps: [DatedNote]) -> [UInt8] {
        var object = JSONObject()
        object["version"] = .integer(version)
        // Steps about one content keep their order.
        let sorted = steps.enumerated().map { (text: $1.content.text, place: $0, step: $1) }.sorted {
            ($0.text, $0.place) < ($1.text, $1.place)
        }
        var bytes: [UInt8] = []
        object.write(array: "books", of: sorted.lazy.map(\.step.json), .line) { bytes += $0.utf8 }
        return bytes
    }

    /// A key that other programs do not use.
    private static func newKey() -> String {
        "\(prefix)-\(UInt64.random(in: 0 ... .max)).json"
    }
}
