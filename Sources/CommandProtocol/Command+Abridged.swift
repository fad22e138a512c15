extension Command {
    /// The command as it stands in a log: without images, and with no more of a description than its length.
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
