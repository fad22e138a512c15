/// `command.xml`: one of the things an app offers beyond its library, by the name of its type.
///
/// The original host never sends it; its companion does. A command is about books or has parameters.
package struct AppCommand: Hashable, Sendable {
    /// What is to be done; an open set.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        /// The `type` attribute, as it is written.
        package let rawValue: String

        /// A type by its name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Protects books against deletion in the app.
        package static let lockBooks = Kind(rawValue: "LockBooks")
        /// Takes that protection away.
        package static let unlockBooks = Kind(rawValue: "UnlockBooks")
        /// Prepares the Deep View of books, which takes long.
        package static let generateDeepView = Kind(rawValue: "GenerateDeepView")
        /// Renames or deletes a collection; parameters `action`, `name`, `newname`.
        package static let updateGlobalCollections = Kind(rawValue: "UpdateGlobalCollections")
        /// The articles of a book's Deep View; parameters `title`, `author`, `uuid`, `filename`.
        package static let deepViewArticles = Kind(rawValue: "GetDeepViewArticlesHTML")
        /// The words a person looked up in a book; parameters as before.
        package static let localVocabulary = Kind(rawValue: "GetLocalVocabularyHTML")
        /// The first places of a name in a book; parameters `bookID`, `entityID`, `hits`.
        package static let firstOccurrence = Kind(rawValue: "GetFirstOccurrenceHTML")
        /// The words a person looked up in all books.
        package static let globalVocabulary = Kind(rawValue: "GetGlobalVocabularyHTML")
        /// Makes a backup of the whole app, which takes long.
        package static let backup = Kind(rawValue: "backup")
        /// Says what a backup would hold.
        package static let backupManifest = Kind(rawValue: "BACKUPMANIFEST")

        /// Every type that is known.
        package static let all: [Kind] = [
            .lockBooks, .unlockBooks, .generateDeepView, .updateGlobalCollections, .deepViewArticles,
            .localVocabulary, .firstOccurrence, .globalVocabulary, .backup, .backupManifest,
        ]
    }

    /// What a command is about.
    package enum Content: Hashable, Sendable {
        /// Named texts in their order.
        case parameters([Parameter])
        /// Books.
        case books([BookIdentity])
    }

    /// One named text.
    package struct Parameter: Hashable, Sendable {
        /// The name.
        package var name: String
        /// The text.
        package var value: String

        /// A text by its name.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What is to be done.
    package var kind: Kind
    /// When the host wrote the command.
    package var timestamp: CommandTimestamp
    /// What it is about.
    package var content: Content

    /// A command of a type.
    package init(_ kind: Kind, timestamp: CommandTimestamp, _ content: Content = .parameters([])) {
        self.kind = kind
        self.timestamp = timestamp
        self.content = content
    }

    /// The books it is about; none of a command with parameters.
    package var books: [BookIdentity] {
        if case .books(let books) = content { books } else { [] }
    }

    /// The text of a parameter; nil when there is none of that name.
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

    /// The bytes of the file.
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

/// What an app finds a book by, as the companion's commands name it.
package struct BookIdentity: Hashable, Sendable {
    /// The authors, joined with a comma and a space.
    package var author: String
    /// The file's name, relative to `/Documents`.
    package var fileName: String
    /// The title.
    package var title: String
    /// The book's uuid; empty when unknown.
    package var uuid: String

    /// A book by what is known about it; the name of the file is what counts.
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
