/// The name of a command, which is also the name of its file without the extension.
package struct CommandName: RawRepresentable, Hashable, Sendable {
    /// The name, for example `upload_books`.
    package let rawValue: String

    /// Creates a name, which need not be that of a known command.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Adds the books whose files are in the document staging folder.
    package static let uploadBooks = CommandName(rawValue: "upload_books")
    /// Removes books from the app's library.
    package static let deleteBooks = CommandName(rawValue: "delete_books")
    /// Replaces the metadata of books.
    package static let updateMetadata = CommandName(rawValue: "update_metadata")
    /// Replaces the collections and flags of books.
    package static let rebuildCollections = CommandName(rawValue: "rebuild_collections")

    /// Changes single values of books.
    package static let updateItems = CommandName(rawValue: "update_metadata_items")
    /// Uses a function that the app offers in addition to its library.
    package static let app = CommandName(rawValue: "command")

    /// All commands of a host, in the order in which an app processes them.
    package static let all: [CommandName] = [
        .deleteBooks, .uploadBooks, .updateMetadata, .rebuildCollections, .updateItems, .app,
    ]

    /// The file name for which the app searches.
    package var fileName: String { rawValue + ".xml" }
    /// The file name with which the host writes the command before it renames it.
    package var temporaryFileName: String { rawValue + ".tmp" }
}
