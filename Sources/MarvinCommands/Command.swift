import Diagnostics

/// A command from the host to the reader app.
package enum Command: Hashable, Sendable {
    /// Adds staged files to the library.
    case uploadBooks(UploadBooks)
    /// Removes books.
    case deleteBooks(DeleteBooks)
    /// Replaces the metadata of books.
    case updateMetadata(UpdateMetadata)
    /// Replaces the collections and flags of books.
    case rebuildCollections(RebuildCollections)
    /// Changes single values of books.
    case updateItems(UpdateItems)
    /// Uses a function that the app offers in addition to its library.
    case app(AppCommand)

    /// The name of the command and of its file.
    package var name: CommandName {
        switch self {
        case .uploadBooks: .uploadBooks
        case .deleteBooks: .deleteBooks
        case .updateMetadata: .updateMetadata
        case .rebuildCollections: .rebuildCollections
        case .updateItems: .updateItems
        case .app: .app
        }
    }

    /// The file names of the command's books, in order.
    package var fileNames: [String] {
        switch self {
        case .uploadBooks(let command): command.books.map(\.fileName)
        case .deleteBooks(let command): command.books.map(\.fileName)
        case .updateMetadata(let command): command.books.map(\.fileName)
        case .rebuildCollections(let command): command.books.map(\.fileName)
        case .updateItems(let command): command.books.map(\.identity.fileName)
        case .app(let command): command.books.map(\.fileName)
        }
    }

    /// Encodes the command file.
    package func encoded() -> [UInt8] {
        switch self {
        case .uploadBooks(let command): command.encoded()
        case .deleteBooks(let command): command.encoded()
        case .updateMetadata(let command): command.encoded()
        case .rebuildCollections(let command): command.encoded()
        case .updateItems(let command): command.encoded()
        case .app(let command): command.encoded()
        }
    }

    /// Reads a command file. The root element determines the command, not the file's name.
    ///
    /// - Parameter subject: the name for errors, usually that of the file.
    package init(
        decoding bytes: [UInt8], limits: CommandFileLimits = .command, subject: String = "the command file"
    ) throws(CommandReadError) {
        let root = try CommandFileReader(limits: limits, subject: subject).read(bytes)
        switch root.name {
        case UploadBooks.root: self = .uploadBooks(UploadBooks(root))
        case DeleteBooks.root: self = .deleteBooks(DeleteBooks(root))
        case UpdateMetadata.root: self = .updateMetadata(UpdateMetadata(root))
        case RebuildCollections.root: self = .rebuildCollections(RebuildCollections(root))
        case UpdateItems.root: self = .updateItems(UpdateItems(root))
        case AppCommand.root: self = .app(AppCommand(root))
        default:
            throw CommandReadError(
                .unexpectedRoot, "The root element <\(root.name)> is not a known command.",
                subject: subject)
        }
    }
}

extension Command {
    /// The command for a log: without images, and with the length of each description instead of its text.
    package var abridged: Command {
        switch self {
        case .uploadBooks(var command):
            for index in command.books.indices { command.books[index].cover?.data = [] }
            return .uploadBooks(command)
        case .updateMetadata(var command):
            for index in command.books.indices {
                command.books[index].cover?.data = []
                command.books[index].description = command.books[index].description.map(Self.length)
            }
            return .updateMetadata(command)
        case .updateItems(var command):
            for index in command.books.indices { command.books[index].cover?.data = [] }
            return .updateItems(command)
        case .deleteBooks, .rebuildCollections, .app:
            return self
        }
    }

    private static func length(_ text: String) -> String { text.isEmpty ? "" : "(\(text.utf8.count) bytes)" }
}
