/// The name of a command, which is also the stem of the file that carries it.
package struct CommandName: RawRepresentable, Hashable, Sendable {
    /// The stem, for example `upload_books`.
    package let rawValue: String

    /// Wraps a stem; no check is made that it names a known command.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Adds the books whose files wait in the document staging folder.
    package static let uploadBooks = CommandName(rawValue: "upload_books")
    /// Removes books from the app's library.
    package static let deleteBooks = CommandName(rawValue: "delete_books")
    /// Replaces the metadata of books.
    package static let updateMetadata = CommandName(rawValue: "update_metadata")
    /// Replaces the collections and flags of books.
    package static let rebuildCollections = CommandName(rawValue: "rebuild_collections")

    /// Changes single things the library says about books.
    package static let updateItems = CommandName(rawValue: "update_metadata_items")
    /// Asks for something the app offers beyond its library.
    package static let app = CommandName(rawValue: "command")

    /// Every command a host sends, in the order in which an app that finds several takes them.
    package static let all: [CommandName] = [
        .deleteBooks, .uploadBooks, .updateMetadata, .rebuildCollections, .updateItems, .app,
    ]

    /// The name under which the app looks for the command.
    package var fileName: String { rawValue + ".xml" }
    /// The name under which the host writes the command before it renames it.
    package var temporaryFileName: String { rawValue + ".tmp" }
}
