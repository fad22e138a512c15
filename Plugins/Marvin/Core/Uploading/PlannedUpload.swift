import CommandProtocol
import OverlayKit

/// One item that goes to Marvin.
struct PlannedUpload: Equatable {
    /// Which input item.
    var index: Int
    var file: HostFile
    /// Name of the staged file, and of the book's file when Marvin has it.
    var name: String
    /// Whether the library has a book under that name already, which is to be replaced.
    var replaces: Bool
    /// The book that the new one takes the place of under another name; it goes when the new one is there.
    var supersedes: LibraryBook?
    /// Collections and flags the book shall be in.
    var collections: [String]
    /// Bytes of the file.
    var size: UInt64
    var uuid: String
    /// Whether Marvin shall protect the book against deletion.
    var isLocked = false
    var wordCount: UInt64?
    /// MD5 of the cover that the host knows; nil: it knows none, or it travels with the command.
    var coverHash: String?
    /// A cover that the file itself does not have.
    var cover: EmbeddedCover?

    /// The book in the command.
    var command: UploadBooks.Book {
        UploadBooks.Book(
            fileName: name, coverHash: coverHash, isLocked: isLocked,
            wordCount: wordCount.map { Int(clamping: $0) }, cover: cover, collections: collections)
    }
}
