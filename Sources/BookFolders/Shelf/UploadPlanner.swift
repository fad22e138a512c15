import OverlayKit

/// Decides what is to happen with each item of an upload: by content first, then by name.
struct UploadPlanner {
    private let look: ShelfLook
    private let wanted: UploadOptions
    private let options: ShelfOptions
    private var taken: TakenNames
    private var byContent: [ContentFingerprint: FoundFile] = [:]
    /// Contents and files that earlier items of the same upload take.
    private var seen: Set<ContentFingerprint> = []
    private var replaced: Set<ShelfPath> = []

    /// - Parameter sizes: bytes of the files of all items; only files of these sizes can have the content of one.
    init(_ look: ShelfLook, _ wanted: UploadOptions, sizes: Set<UInt64>) throws(OverlayError) {
        self.look = look
        self.wanted = wanted
        options = look.shelf.options
        taken = TakenNames(look.contents)
        let alike = look.contents.files.filter { !$0.isPackage && sizes.contains($0.size) }
        let fingerprints = try look.fingerprints(of: alike)
        for file in alike.reversed() {
            if let fingerprint = fingerprints[file.path] { byContent[fingerprint] = file }
        }
    }

    /// What is to happen with an item.
    enum Decision {
        case send(PlannedUpload)
        /// The content is there; only what is known of the book beside the file is new.
        case note(ContentFingerprint, ItemResult)
        case row(ItemResult)
    }

    /// The decision for one item; items are to be asked for in their order.
    mutating func decide(
        _ index: Int, _ item: UploadItem, size: UInt64, _ fingerprint: ContentFingerprint
    ) -> Decision {
        let result = Result { () throws(OverlayError) in try decision(index, item, size, fingerprint) }
        switch result {
        case .success(let decision): return decision
        case .failure(let error): return .row(.failed(index, error))
        }
    }

    private mutating func decision(
        _ index: Int, _ item: UploadItem, _ size: UInt64, _ fingerprint: ContentFingerprint
    ) throws(OverlayError) -> Decision {
        guard seen.insert(fingerprint).inserted else {
            return .row(.done(index, .skipped, message: "The same book stands earlier in this upload."))
        }
        let (folder, remark) = try folder(of: item)
        func send(_ path: ShelfPath, _ outcome: Outcome) -> Decision {
            .send(
                PlannedUpload(
                    index: index, item: item, size: size, fingerprint: fingerprint, path: path,
                    outcome: outcome, message: remark))
        }
        // A file that an earlier item of this upload replaces is there no more.
        let replaces = wanted.onConflict == .replace || wanted.onConflict == .update
        if let present = byContent[fingerprint], !replaces || replaced.insert(present.path).inserted {
            switch wanted.onConflict {
            case .replace: return send(present.path, .replaced)
            case .update:
                let row = ItemResult.done(
                    index, .updated, path: present.path.text,
                    message: "The file is already there; what is known of the book was brought up to date.")
                return .note(fingerprint, row)
            default:
                return .row(
                    .done(index, .skipped, path: present.path.text, message: "The book is already there."))
            }
        }
        let ending = try fileExtension(of: item)
        let title = options.fileTitle(item.book) ?? ShelfPath(nil, item.name)?.stem ?? item.name
        let plain = ShelfPath(folder, BookName.file(title, fileExtension: ending))
        if let plain, let holder = taken.holder(of: plain), let present = look.files[holder],
            !replaced.contains(holder), try isSameBook(item.book, present)
        {
            switch wanted.onConflict {
            case .replace, .update:
                guard !present.isPackage else {
                    throw OverlayError(
                        .notSupported,
                        "The book on the device is a folder, which cannot be replaced by a file.",
                        subject: holder.text, hint: "Delete it first, or choose another title.")
                }
                replaced.insert(holder)
                return send(holder, wanted.onConflict == .update ? .updated : .replaced)
            default:
                return .row(
                    .done(
                        index, .skipped, path: holder.text,
                        message: "A book of this name with other content is already there."))
            }
        }
        guard let path = taken.takeFree(title, in: folder, fileExtension: ending) else {
            throw OverlayError(
                .invalidArgument, "No name is left for the book.", subject: title,
                hint: "Choose a shorter collection name.")
        }
        return send(path, .added)
    }

    /// Whether a file that has the name an item would get is the same book, perhaps in another edition, as far as their
    /// authors tell. Two books of the same title by different people are not.
    private func isSameBook(_ book: Book, _ file: FoundFile) throws(OverlayError) -> Bool {
        guard let authors = book.authors.map(Self.compared), !authors.isEmpty else { return true }
        _ = try look.readMetadata(of: [file])
        guard let others = look.book(file).authors.map(Self.compared), !others.isEmpty else { return true }
        return !authors.isDisjoint(with: others)
    }

    /// Names of authors in one form, whether the family name stands first or last.
    private static func compared(_ authors: [String]) -> Set<[String]> {
        Set(
            authors.map { author in
                author.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }.sorted()
            }.filter { !$0.isEmpty })
    }

    /// The extension the file gets: its own if the app takes it, else that of what its content is.
    private func fileExtension(of item: UploadItem) throws(OverlayError) -> String {
        let own = ShelfPath(nil, item.name)?.fileExtension ?? ""
        if options.formats.contains(own) { return own }
        if let type = item.book.format, let ending = options.formats.fileExtension(ofMediaType: type) {
            return ending
        }
        let kinds = options.formats.extensions.map { $0.uppercased() }.joined(separator: ", ")
        throw OverlayError(
            .unsupportedFormat,
            own.isEmpty
                ? "What kind of book the file is cannot be told."
                : "\(options.appName) does not take .\(own) files.",
            hint: "It takes: \(kinds).")
    }

    /// The folder an item goes into: the collection that was asked for, or the first one that is known of the book.
    private mutating func folder(of item: UploadItem) throws(OverlayError) -> (ShelfPath?, remark: String?) {
        guard options.foldersAreCollections else { return (nil, nil) }
        let asked = wanted.collections ?? []
        guard asked.count <= 1 else { throw .oneFolder(options.appName) }
        let own = asked.isEmpty ? item.book.collections ?? [] : []
        guard let name = asked.first ?? own.first, !name.isEmpty else { return (nil, nil) }
        let folder = try look.folder(named: name, taken)
        // The next item finds it, however its collection is spelled.
        var level: ShelfPath? = folder
        while let path = level, taken.holder(of: path) == nil {
            taken.take(path)
            level = path.folder
        }
        guard own.count > 1 else { return (folder, nil) }
        return (folder, "A book can be in one folder only; of its collections it is in “\(folder.text)”.")
    }
}

extension ShelfLook {
    /// The folder of a collection: an existing one of that name, or the path of a new one.
    func folder(named collection: String, _ taken: TakenNames) throws(OverlayError) -> ShelfPath {
        var folder: ShelfPath?
        for part in collection.split(separator: "/") {
            guard let next = ShelfPath(folder, BookName.folder(String(part))) else { folder = nil; break }
            folder = taken.holder(of: next) ?? next
        }
        guard let folder else {
            throw OverlayError(
                .invalidArgument, "This is no name for a folder.", subject: collection,
                hint: "Choose a shorter name.")
        }
        var level: ShelfPath? = folder
        while let path = level {
            if let holder = taken.holder(of: path), files[holder] != nil {
                throw OverlayError(
                    .alreadyExists, "There is a file where the collection's folder should be.",
                    subject: path.text, hint: "Choose another name for the collection.")
            }
            level = path.folder
        }
        return folder
    }
}

extension OverlayError {
    /// A file is in one folder.
    static func oneFolder(_ app: String) -> OverlayError {
        OverlayError(
            .invalidArgument, "In \(app) a book can be in one collection only, for collections are folders.",
            hint: "Name one collection; A/B is the folder B within the folder A.")
    }
}
