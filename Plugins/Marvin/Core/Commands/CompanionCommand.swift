import MarvinCommands
import OverlayKit

/// A command that only the companion of the original driver sends.
struct CompanionCommand {
    private static let items = "update_metadata_items"

    /// The kind of command; nil for the partial update.
    private let kind: AppCommand.Kind?

    /// The names of all commands.
    static var names: [String] { [items] + AppCommand.Kind.all.map(\.rawValue) }

    /// The command with this name, in any case; nil if there is none.
    init?(named name: String) {
        let name = name.lowercased()
        if name == Self.items {
            kind = nil
        } else if let found = AppCommand.Kind.all.first(where: { $0.rawValue.lowercased() == name }) {
            kind = found
        } else {
            return nil
        }
    }

    /// Whether Marvin may work on the command for minutes without reporting progress.
    var isLong: Bool {
        kind.map { [.generateDeepView, .backup, .backupManifest].contains($0) } ?? false
    }

    /// The file that will contain the answer; nil if there is none.
    var response: ResponseFile? { kind.flatMap(ResponseFile.init) }

    /// The command to send.
    ///
    /// - Throws: `invalidArgument` if it needs books or parameters that are missing.
    func command(
        _ parameters: [(String, String)], _ books: [LibraryBook]
    ) throws(OverlayError) -> Command {
        guard let kind else { return .updateItems(try update(parameters, books)) }
        let identities = books.map(\.identity)
        switch kind {
        case .lockBooks, .unlockBooks, .generateDeepView:
            guard !books.isEmpty else { throw Self.missing("the path of at least one book") }
            return .app(AppCommand(kind, timestamp: .now, .books(identities)))
        case .deepViewArticles, .localVocabulary:
            return .app(
                AppCommand(kind, timestamp: .now, .parameters(described(parameters, identities.first))))
        case .firstOccurrence:
            var all = parameters.map { AppCommand.Parameter($0.0, $0.1) }
            if let id = books.first?.id, !all.contains(where: { $0.name == "bookID" }) {
                all.insert(.init("bookID", "\(id)"), at: 0)
            }
            for name in ["bookID", "entityID"] where !all.contains(where: { $0.name == name }) {
                throw Self.missing("the parameter \(name)")
            }
            return .app(AppCommand(kind, timestamp: .now, .parameters(all)))
        case .updateGlobalCollections:
            let names = Set(parameters.map(\.0))
            guard names.isSuperset(of: ["action", "name"]) else {
                throw Self.missing("the parameters action and name")
            }
            fallthrough
        default:
            let all = parameters.map { AppCommand.Parameter($0.0, $0.1) }
            return .app(AppCommand(kind, timestamp: .now, .parameters(all)))
        }
    }

    /// Values that the parameters leave out come from the book's record.
    private func described(
        _ parameters: [(String, String)], _ book: BookIdentity?
    ) -> [AppCommand.Parameter] {
        var all = parameters.map { AppCommand.Parameter($0.0, $0.1) }
        guard let book else { return all }
        for (name, value) in [
            ("title", book.title), ("author", book.author), ("uuid", book.uuid), ("filename", book.fileName),
        ] where !all.contains(where: { $0.name == name }) {
            all.append(.init(name, value))
        }
        return all
    }

    private func update(
        _ parameters: [(String, String)], _ books: [LibraryBook]
    ) throws(OverlayError) -> UpdateItems {
        guard !books.isEmpty else { throw Self.missing("the path of at least one book") }
        var change = UpdateItems.Book(BookIdentity(fileName: ""))
        for (name, value) in parameters {
            switch name {
            case "rating":
                guard let rating = Double(value), (0...5).contains(rating) else {
                    throw Self.wrong(name, value, "a number from 0 to 5")
                }
                change.rating = rating
            case "wordcount":
                guard let count = Int(value), count >= 0 else {
                    throw Self.wrong(name, value, "a whole number")
                }
                change.wordCount = count
            case "newuuid": change.newUUID = value
            case "collection": change.collections = (change.collections ?? []) + [value]
            case "nocollections": change.collections = change.collections ?? []
            case "cover":
                guard let bytes = EmbeddedCover(hash: "", base64: value)?.data else {
                    throw Self.wrong(name, String(value.prefix(20)), "an image in base 64")
                }
                change.cover = EmbeddedCover(
                    hash: try EmbeddedCover.hash(of: bytes), data: bytes)
            default:
                throw Self.wrong(
                    name, value, "one of rating, wordcount, newuuid, collection, nocollections, cover")
            }
        }
        if change.newUUID != nil, books.count > 1 {
            throw OverlayError(.invalidArgument, "Two books cannot have the same uuid.", subject: "newuuid")
        }
        return UpdateItems(
            timestamp: .now,
            books: books.map { book in
                var change = change
                change.identity = book.identity
                return change
            })
    }

    private static func missing(_ what: String) -> OverlayError {
        OverlayError(.invalidArgument, "The command needs \(what).")
    }

    private static func wrong(_ name: String, _ value: String, _ expected: String) -> OverlayError {
        OverlayError(
            .invalidArgument, "The parameter \(name) cannot be '\(value)'.", hint: "Give \(expected).")
    }
}

extension LibraryBook {
    /// The values by which Marvin finds the book.
    var identity: BookIdentity {
        BookIdentity(fileName: fileName, uuid: uuid ?? "", title: title ?? "", author: author ?? "")
    }
}

/// The file that contains Marvin's answer to a command of the companion.
struct CommandResponse {
    private let file: ResponseFile
    private let device: MarvinDevice

    init(_ file: ResponseFile, _ device: MarvinDevice) {
        self.file = file
        self.device = device
    }

    private var path: String {
        switch file {
        case .staged(let name): device.paths.staged(name)
        case .document(let name): device.paths.document(name)
        }
    }

    /// Whether the file belongs to the protocol, not to the user.
    private var isOurs: Bool {
        if case .staged = file { true } else { false }
    }

    /// Removes an answer of an earlier session, because it would be mistaken for the new answer.
    func prepare() throws(OverlayError) {
        guard isOurs else { return }
        do {
            try device.host.transport.remove(device.root, path)
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }

    /// Delivers the answer, and removes the file if it belongs to the protocol.
    ///
    /// - Throws: `protocolError` if Marvin reported an answer but did not write one.
    func deliver(
        _ answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError)
            -> Void
    ) throws(OverlayError) {
        guard let info = try device.files([path])[0] else {
            throw OverlayError(
                .protocolError, "Marvin reported success, but did not answer.", subject: path,
                hint: "Restart Marvin on the device and try again.", domain: .readerApp)
        }
        var received: UInt64 = 0
        try device.host.transport.read(device.root, path, offset: 0, length: info.size) {
            chunk, offset, _ throws(OverlayError) in
            received += UInt64(chunk.count)
            try answer(chunk, offset, info.size)
        }
        guard received == info.size else {
            throw OverlayError(
                .verificationFailed, "Received only \(received) of \(info.size) bytes of the answer.",
                subject: path,
                hint: "Try again.", retryable: true)
        }
        try prepare()
    }
}
