import PropertyLists

/// A file that a command is about to send, or to remove after the lists have changed, as it is noted on the host.
struct UnfinishedFile: Equatable {
    /// What is to become of it.
    enum Kind: Equatable {
        /// It is sent: as long as no list names it, nobody has it.
        case new
        /// It is deleted.
        case deleted
        /// It goes when another file has taken its place.
        case replaced(by: SafePath)
    }

    /// Below `/Books`.
    let path: SafePath
    let kind: Kind
    /// The name of its cover; nil if it has none, or shares it with the book that takes its place.
    let persistentID: String?
    /// The lists that there were then. While one of them is missing, that no list names a file says nothing.
    let lists: Set<BooksPlist>

    init(_ path: SafePath, _ kind: Kind, persistentID: String?, lists: Set<BooksPlist>) {
        (self.path, self.kind, self.persistentID, self.lists) = (path, kind, persistentID, lists)
    }

    /// A file as it was noted; nil for a damaged note.
    init?(_ value: PropertyList) {
        guard let path = value["path"]?.string.flatMap({ SafePath($0) }), BookFormat(path) != nil,
            let lists = value["lists"]?.array?.compactMap(\.string)
        else { return nil }
        switch value["kind"]?.string {
        case "new": kind = .new
        case "deleted": kind = .deleted
        case "replaced":
            guard let new = value["by"]?.string.flatMap({ SafePath($0) }) else { return nil }
            kind = .replaced(by: new)
        default: return nil
        }
        self.path = path
        persistentID = value["id"]?.string
        self.lists = Set(BooksPlist.all.filter { lists.contains($0.path) })
    }

    /// The note.
    var propertyList: PropertyList {
        var values: [String: PropertyList] = [
            "path": .string(path.text),
            "lists": .array(BooksPlist.all.filter { lists.contains($0) }.map { .string($0.path) }),
        ]
        values["id"] = persistentID.map { .string($0) }
        switch kind {
        case .new: values["kind"] = "new"
        case .deleted: values["kind"] = "deleted"
        case .replaced(let new): (values["kind"], values["by"]) = ("replaced", .string(new.text))
        }
        return .dictionary(values)
    }
}
