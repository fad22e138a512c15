/// `command.xml`: a function that an app offers in addition to its library, identified by a type name.
///
/// The original host does not send it, but its companion does. A command contains either books or parameters.
package struct AppCommand: Hashable, Sendable {
    /// The function; an open set.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        /// The value of the `type` attribute.
        package let rawValue: String

        /// Creates a type from its name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Protects books against deletion in the app.
        package static let lockBooks = Kind(rawValue: "LockBooks")
        /// Removes this protection.
        package static let unlockBooks = Kind(rawValue: "UnlockBooks")
        /// Prepares the Deep View of books, which takes long.
        package static let generateDeepView = Kind(rawValue: "GenerateDeepView")
        /// Renames or deletes a collection; parameters `action`, `name`, `newname`.
        package static let updateGlobalCollections = Kind(rawValue: "UpdateGlobalCollections")
        /// The articles of a book's Deep View; parameters `title`, `author`, `uuid`, `filename`.
        package static let deepViewArticles = Kind(rawValue: "GetDeepViewArticlesHTML")
        /// The words that the user looked up in a book; parameters as for `deepViewArticles`.
        package static let localVocabulary = Kind(rawValue: "GetLocalVocabularyHTML")
        /// The first occurrences of a name in a book; parameters `bookID`, `entityID`, `hits`.
        package static let firstOccurrence = Kind(rawValue: "GetFirstOccurrenceHTML")
        /// The words that the user looked up in all books.
        package static let globalVocabulary = Kind(rawValue: "GetGlobalVocabularyHTML")
        /// Creates a backup of the complete app, which takes long.
        package static let backup = Kind(rawValue: "backup")
        /// Lists the contents of a backup.
        package static let backupManifest = Kind(rawValue: "BACKUPMANIFEST")

        /// All known types.
        package static let all: [Kind] = [
            .lockBooks, .unlockBooks, .generateDeepView, .updateGlobalCollections, .deepViewArticles,
            .localVocabulary, .firstOccurrence, .globalVocabulary, .backup, .backupManifest,
        ]
    }

    /// The content of a command.
    package enum Content: Hashable, Sendable {
        /// Named texts in order.
        case parameters([Parameter])
        /// Books.
        case books([BookIdentity])
    }

    /// A named text.
    package struct Parameter: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The text.
        package var value: String

        /// Creates a parameter.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The function.
    package var kind: Kind
    /// The time when the host wrote the command.
    package var timestamp: CommandTimestamp
    /// The content of the command.
    package var content: Content

    /// Creates a command.
    package init(_ kind: Kind, timestamp: CommandTimestamp, _ content: Content = .parameters([])) {
        self.kind = kind
        self.timestamp = timestamp
        self.content = content
    }

    /// The books of the command; empty for a command with parameters.
    package var books: [BookIdentity] {
        if case .books(let books) = content { books } else { [] }
    }

    /// The text of a parameter; nil if it does not exist.
    package func parameter(_ name: String) -> String? {
        guard case .parameters(let parameters) = content else { return nil }
        return parameters.first { $0.name == name }?.value
    }

    static let root = "command"

    init(_ root: CommandFileElement) {
        kind = Kind(rawValue: root.attributes["type"] ?? "")
        timestamp = CommandTimestamp(text: root.attributes["timestamp"] ?? "")
        guard root.first("manifest") == nil else {
            content = .books(root.manifest.map { BookIdentity($0) })
            return
        }
        content = .parameters(
            root.all("parameters").flatMap { $0.all("parameter") }
                .map { Parameter($0.attributes["name"] ?? "", $0.text) })
    }

    /// Encodes the file.
    package func encoded() -> [UInt8] {
        var writer = CommandFileWriter()
        writer.open(AppCommand.root, ["type": kind.rawValue, "timestamp": timestamp.text])
        switch content {
        case .books(let books):
            writer.manifest(books) { book, writer in
                writer.open(
                    "book",
                    [
                        "author": book.author, "filename": book.fileName, "title": book.title,
                        "uuid": book.uuid,
                    ])
                writer.close("book")
            }
        case .parameters(let parameters):
            writer.open("parameters")
            for parameter in parameters {
                writer.element("parameter", parameter.value, ["name": parameter.name])
            }
            writer.close("parameters")
        }
        writer.close(AppCommand.root)
        writer.newLine()
        return writer.bytes
    }
}

/// The values with which the companion's commands identify a book.
package struct BookIdentity: Hashable, Sendable {
    /// The authors, joined with a comma and a space.
    package var author: String
    /// The file's name, relative to `/Documents`.
    package var fileName: String
    /// The title.
    package var title: String
    /// The book's uuid; empty when unknown.
    package var uuid: String

    /// Creates an identity. Apps use the name of the file.
    package init(fileName: String, uuid: String = "", title: String = "", author: String = "") {
        self.fileName = fileName
        self.uuid = uuid
        self.title = title
        self.author = author
    }

    init(_ book: CommandFileElement) {
        self.init(
            fileName: book.attributes["filename"] ?? "", uuid: book.identifier("uuid"),
            title: book.attributes["title"] ?? "", author: book.attributes["author"] ?? "")
    }
}
