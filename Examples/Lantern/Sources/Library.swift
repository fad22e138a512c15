import OverlayKit

/// Lantern's library on the device:
///
///     /Documents/Lantern/version.txt
///     /Documents/Lantern/Books/FOLDER/card.json     what the app knows of the book; written last, so that
///     /Documents/Lantern/Books/FOLDER/FILE          a folder without one is not (yet) a book
///     /Documents/Lantern/Books/FOLDER/cover.jpg     if there is one
///
/// The host uses the folder's name as the book's path.
struct Library {
    let host: HostServices

    static let knownVersion = "2"
    private static let home = "/Documents/Lantern"
    private static let shelf = home + "/Books"
    /// The largest cover in bytes.
    static let coverLimit: UInt64 = 8 << 20

    /// A book's folder and its card.
    struct Entry {
        var folder: String
        var card: Card
    }

    /// The version of the library; nil if it does not exist.
    func version() throws(OverlayError) -> String? {
        do throws(OverlayError) {
            let bytes = try host.transport.readAll(.documents, Self.home + "/version.txt", limit: 64)
            let text = String(decoding: bytes, as: UTF8.self)
            return String(text.prefix { !$0.isWhitespace })
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
    }

    /// All books, with one request for the folder and one batch for all cards.
    func entries() throws(OverlayError) -> [Entry] {
        let folders: [String]
        do throws(OverlayError) {
            folders = try host.transport.list(.documents, Self.shelf).map(\.name).sorted()
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
        host.progress.report(0, of: folders.count, phase: "Reading cards")
        let requests = folders.map { ReadRequest(Self.card(of: $0), length: Card.limit) }
        var entries: [Entry] = []
        for (folder, bytes) in zip(folders, try host.transport.readMany(.documents, requests)) {
            do throws(OverlayError) {
                entries.append(Entry(folder: folder, card: try Card(try bytes.get(), subject: folder)))
            } catch {
                switch error.status {
                // A folder without a card is not a book yet.
                case .notFound: continue
                // A damaged book must not hide the others.
                case .damaged: host.log.warning("lantern", "\(error)")
                // Fail: an incomplete list must not look complete.
                default: throw error
                }
            }
        }
        return entries
    }

    /// One book.
    ///
    /// - Throws: `notFound` if there is no such book.
    func entry(_ folder: String) throws(OverlayError) -> Entry {
        // The name comes from outside, so make sure that it is the name of one folder.
        guard !folder.isEmpty, !folder.contains("/"), folder != ".", folder != ".." else {
            throw OverlayError(.invalidArgument, "This is not a Lantern book.", subject: folder)
        }
        let bytes = try host.transport.readAll(
            .documents, Self.card(of: folder), limit: Int(Card.limit))
        return Entry(folder: folder, card: try Card(bytes, subject: folder))
    }

    /// Makes the library if the app has not made it yet. Lantern takes it over when it is opened.
    func make() throws(OverlayError) {
        try host.transport.makeFolder(.documents, Self.shelf)
        try host.transport.write(.documents, Self.home + "/version.txt", Array("\(Self.knownVersion)\n".utf8))
    }

    /// Writes the card of a book. A folder with a card is a book.
    func write(_ card: Card, to folder: String) throws(OverlayError) {
        try host.transport.write(.documents, Self.card(of: folder), try card.bytes())
    }

    static func folder(_ name: String) -> String { "\(shelf)/\(name)" }
    static func card(of folder: String) -> String { "\(shelf)/\(folder)/card.json" }
    static func cover(of folder: String) -> String { "\(shelf)/\(folder)/cover.jpg" }
    static func file(of entry: Entry) -> String { "\(shelf)/\(entry.folder)/\(entry.card.file)" }
}
