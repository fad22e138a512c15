import FoundationEssentials
import OverlayKit

/// What Lantern knows about a book: the file `card.json` in the book's folder.
struct Card: Codable, Equatable {
    var title: String
    var authors: [String]
    var shelves: [String]
    /// Identifies the content.
    var uuid: String?
    /// Name of the book's file.
    var file: String
    /// Seconds since 1970.
    var added: Int64?
    /// The reading progress, 0 to 1.
    var read: Double?

    /// The largest card in bytes; the app writes a few hundred.
    static let limit: UInt64 = 1 << 16

    /// Reads a card. Data from a device is not trusted: a file name with a slash would lead out of the folder.
    init(_ bytes: [UInt8], subject: String) throws(OverlayError) {
        do {
            self = try JSONDecoder().decode(Card.self, from: Data(bytes))
        } catch {
            throw OverlayError(.damaged, "The card of the book cannot be read.", subject: subject)
        }
        guard !file.isEmpty, !file.contains("/"), file != "..", (0...1).contains(read ?? 0) else {
            throw OverlayError(.damaged, "The card of the book has invalid values.", subject: subject)
        }
    }

    init(
        title: String, authors: [String], shelves: [String], uuid: String?, file: String, added: Int64?
    ) {
        self.title = title
        self.authors = authors
        self.shelves = shelves
        self.uuid = uuid
        self.file = file
        self.added = added
    }

    /// The card as the app writes it.
    func bytes() throws(OverlayError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw OverlayError(.failed, "The card of the book cannot be written.", subject: title)
        }
    }
}
