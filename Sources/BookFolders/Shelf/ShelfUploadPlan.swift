import OverlayKit
import UploadPlanning

/// Turns the decisions about an upload into files to send, files to move, and messages.
struct ShelfUploadPlan {
    private let scan: ShelfScan
    private let wanted: UploadOptions
    private let options: ShelfOptions
    private let evidence: ShelfEvidence
    private let contents: [Int: String]
    private var planner: UploadPlanner<ShelfPath>
    private var taken: TakenNames
    /// The slot of each item: the file that it adds at a path.
    private var slots: [Int: Slot] = [:]
    /// The new paths of files that move, and the items that move them.
    private var moved: [ShelfPath: (path: ShelfPath, mover: Int)] = [:]

    private struct Slot {
        var path: ShelfPath
        /// The outcome of an item that is sent; nil if its file is on the device already or only moves.
        var sent: Outcome?
        /// The item that moves the old file there first.
        var mover: Int?
    }

    /// What happens to an item.
    enum Step {
        /// Send the book; `insteadOf` is an earlier item of the upload with another edition of it.
        case send(ShelfUpload, insteadOf: Int? = nil)
        /// The content is in another folder than requested; move the file there.
        case move(FoundFile, ShelfUpload)
        /// The content is at this path, and only the host's metadata may be new. The row contains the remark.
        case note(ContentFingerprint, ShelfPath, remark: String?)
        /// The item is the same book as the earlier item with this index; the message says what is the same.
        case same(as: Int, String)
        case row(ItemResult)
    }

    /// - Parameter measured: what was measured of the files of all items.
    init(
        _ scan: ShelfScan, _ items: [UploadItem], _ wanted: UploadOptions, _ digests: ContentDigests,
        measured: [BookShelf.Measured]
    ) throws(OverlayError) {
        self.scan = scan
        self.wanted = wanted
        options = scan.shelf.options
        let place = "in \(options.appName)"
        let policy = UploadPolicy(
            app: options.appName, place: place, comparesContentFirst: true, update: .putsFile,
            refreshesSameContent: true, titleAloneReplaces: true,
            rules: "its content, its uuid, or its title and authors")
        planner = UploadPlanner(
            policy, wanted, of: items.map(\.book),
            MatchLog(scan.shelf.host.log, category: "books", place: place))
        taken = TakenNames(scan.contents)
        evidence = try ShelfEvidence(
            scan, digests, measured: measured.map { ($0.size, $0.fingerprint) })
        contents = try Self.contents(items, measured, digests)
    }

    /// A key that only items with the same bytes share: the fingerprint and, if several items have it and it does not
    /// cover all bytes, the host's id for the content or a digest.
    private static func contents(
        _ items: [UploadItem], _ measured: [BookShelf.Measured], _ digests: ContentDigests
    ) throws(OverlayError) -> [Int: String] {
        var counts: [ContentFingerprint: Int] = [:]
        for file in measured { counts[file.fingerprint, default: 0] += 1 }
        var contents: [Int: String] = [:]
        for file in measured {
            var content = file.fingerprint.text
            if counts[file.fingerprint] != 1, !ContentFingerprint.isWhole(size: file.size) {
                content += "-" + (try digests.content(of: items[file.index]))
            }
            contents[file.index] = content
        }
        return contents
    }

    /// The decision for one item. Ask for the items in order.
    ///
    /// - Throws: only errors that end the running method.
    mutating func step(
        _ measured: BookShelf.Measured, _ item: UploadItem
    ) throws(OverlayError) -> Step {
        do throws(OverlayError) {
            return try decided(measured, item)
        } catch {
            if error.endsTheCall { throw error }
            return .row(.failed(measured.index, error))
        }
    }

    private mutating func decided(
        _ measured: BookShelf.Measured, _ item: UploadItem
    ) throws(OverlayError) -> Step {
        let (index, book) = (measured.index, item.book)
        let place = try UploadPlace(item, wanted, scan, &taken)
        let stem = ShelfPath(nil, item.name)?.stem ?? item.name
        let title = options.fileTitle(book) ?? stem
        let ending = try fileExtension(of: item)
        evidence.take(
            ShelfEvidence.Item(
                file: item.file, contentID: book.contentID, size: measured.size,
                fingerprint: measured.fingerprint,
                path: ShelfPath(place.folder, BookName.file(title, fileExtension: ending)),
                isFolderAsked: place.isAsked), index)
        let incoming = IncomingBook(
            index: index, name: item.name, uuid: book.uuid?.lowercased(), content: contents[index] ?? "",
            title: book.title ?? stem, authors: book.authors ?? [], folder: place.folder?.text,
            format: ending.lowercased(), replacedPath: book.path)
        func plan(
            _ path: ShelfPath, _ outcome: Outcome, _ remarks: [String?], mover: Int? = nil
        ) -> ShelfUpload {
            ShelfUpload(
                index: index, item: item, size: measured.size, fingerprint: measured.fingerprint, path: path,
                outcome: outcome, mover: mover, remarks: remarks.compactMap { $0 })
        }
        func row(_ outcome: Outcome, _ path: ShelfPath, _ message: String) -> ItemResult {
            let words = [message, place.remark(staying: path)].compactMap { $0 }.joined(separator: " ")
            return .done(index, outcome, path: path.text, message: words)
        }
        let replaced: Outcome = wanted.onConflict == .update ? .updated : .replaced
        switch try planner.decide(incoming, evidence) {
        case .send(.new, let remarks):
            guard let path = taken.takeFree(title, in: place.folder, fileExtension: ending) else {
                throw OverlayError(
                    .invalidArgument, "Cannot find an unused name for the book.", subject: title,
                    hint: "Choose a shorter collection name.")
            }
            slots[index] = Slot(path: path, sent: .added)
            return .send(plan(path, .added, [place.remark] + remarks))
        case .send(.present(let present), let remarks):
            guard scan.file(at: present.key)?.isPackage != true else {
                throw OverlayError(
                    .notSupported, "The book on the device is a folder, and a file cannot replace it.",
                    subject: present.path, hint: "Delete it first, or choose another title.")
            }
            try Self.requireFormat(item, ending, present.path)
            let move = moved[present.key]
            let path = move?.path ?? present.key
            slots[index] = Slot(path: path, sent: replaced, mover: move?.mover)
            return .send(
                plan(path, replaced, [place.remark(staying: path)] + remarks, mover: move?.mover))
        case .send(.earlier(let earlier), let remarks):
            guard let slot = slots[earlier] else {
                return .same(as: earlier, DuplicateMessages.sameBook)
            }
            try Self.requireFormat(item, ending, slot.path.text)
            let outcome = slot.sent ?? replaced
            slots[index] = Slot(path: slot.path, sent: outcome, mover: slot.mover)
            return .send(
                plan(slot.path, outcome, [place.remark] + remarks, mover: slot.mover),
                insteadOf: slot.sent == nil ? nil : earlier)
        case .refresh(let present):
            if let file = scan.file(at: present.key), let path = try newPlace(file, place) {
                slots[index] = Slot(path: path, sent: nil, mover: index)
                moved[present.key] = (path, index)
                return .move(file, plan(path, .updated, [place.remark]))
            }
            slots[index] = Slot(path: present.key, sent: nil)
            return .note(measured.fingerprint, present.key, remark: place.remark(staying: present.key))
        case .update(let present, _):
            return .note(measured.fingerprint, present.key, remark: place.remark(staying: present.key))
        case .same(let first, let message): return .same(as: first, message)
        case .skip(let present, .changed):
            let words = DuplicateMessages.changed("in \(options.appName)", app: options.appName)
            return .row(row(.skipped, present.key, words))
        case .skip(let present, let rule):
            let words = DuplicateMessages.sentence(
                "in \(options.appName)", isOther: rule != .content, title: present.title(ifOther: rule))
            return .row(row(.skipped, present.key, words))
        case .skipAmbiguous(let books, let message):
            return .row(.done(index, .skipped, path: books.first?.path, message: message))
        case .fail(let error, let present):
            return .row(.failed(index, error, path: present?.path))
        }
    }

    /// Refuses to replace a book by a file whose content is not of the format that its name claims, such as a web page
    /// with the message of a server. As a new book, such a file is added.
    private static func requireFormat(
        _ item: UploadItem, _ ending: String, _ path: String?
    ) throws(OverlayError) {
        guard let type = item.book.format, BookFormats.contradicts(type, ending.lowercased()) else { return }
        throw OverlayError(
            .unsupportedFormat,
            "The book was not replaced because the new file has the extension .\(ending), but its content is not "
                + "\(ending.uppercased()).",
            subject: path, hint: "Get a new copy of the book.")
    }

    /// Where the file of a replaced book moves because another folder was requested; nil if it stays.
    private mutating func newPlace(
        _ present: FoundFile, _ place: UploadPlace
    ) throws(OverlayError) -> ShelfPath? {
        guard place.isAsked, let folder = place.folder, folder != present.path.folder, options.replacingMoves
        else { return nil }
        guard
            let path = taken.takeFree(
                present.path.stem, in: folder, fileExtension: present.path.writtenExtension)
        else {
            throw OverlayError(
                .invalidArgument, "Cannot find an unused name for the book.", subject: present.path.text,
                hint: "Choose a shorter collection name.")
        }
        return path
    }

    /// The extension of the new file: its own if the app accepts it, otherwise that of its actual format.
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
                ? "Cannot determine the file's format."
                : "\(options.appName) does not accept .\(own) files.",
            hint: "Accepted formats: \(kinds).")
    }
}

/// A file to send to the device.
struct ShelfUpload {
    /// The index of the input item.
    var index: Int
    var item: UploadItem
    /// The size of the file in bytes.
    var size: UInt64
    var fingerprint: ContentFingerprint
    /// The target path.
    var path: ShelfPath
    /// The outcome in the row on success.
    var outcome: Outcome
    /// The item that first moves a file to this path, which this one then replaces; usually nil.
    var mover: Int?
    /// Further sentences for the row.
    var remarks: [String]

    /// The remarks as one text; nil if there are none.
    var message: String? { remarks.isEmpty ? nil : remarks.joined(separator: " ") }
}

/// Where an item of an upload goes: the requested collection, or the first known collection of the book.
struct UploadPlace {
    /// The folder; nil is the shared folder itself.
    private(set) var folder: ShelfPath?
    /// Whether the user requested that folder.
    private(set) var isAsked = false
    /// A message about collections that the app cannot have.
    private(set) var remark: String?

    /// - Parameter taken: receives a new folder, so that the next item finds it, however its collection is spelled.
    init(
        _ item: UploadItem, _ wanted: UploadOptions, _ scan: ShelfScan, _ taken: inout TakenNames
    ) throws(OverlayError) {
        let app = scan.options.appName
        let asked = (wanted.collections ?? []).filter { !$0.isEmpty }
        guard scan.options.foldersAreCollections else {
            if !asked.isEmpty { remark = DuplicateMessages.noCollections(app) }
            return
        }
        guard asked.count <= 1 else { throw .oneFolder(app) }
        let own = asked.isEmpty ? item.book.collections ?? [] : []
        guard let name = asked.first ?? own.first, !name.isEmpty else { return }
        let folder = try scan.folder(named: name, taken)
        var level: ShelfPath? = folder
        while let path = level, taken.holder(of: path) == nil {
            taken.take(path)
            level = path.folder
        }
        (self.folder, isAsked) = (folder, !asked.isEmpty)
        if isAsked {
            remark = ShelfScan.keptAs(name, folder)
        } else if own.count > 1 {
            remark =
                "A book can be in only one folder, so it is only in '\(folder.text)'."
        }
    }

    /// The message about a book that stays at its path although another collection was requested.
    func remark(staying path: ShelfPath) -> String? {
        guard isAsked, let folder else { return remark }
        guard folder != path.folder else { return remark }
        guard let own = path.folder else { return "The book was not moved to '\(folder.text)'." }
        return "The book stays in '\(own.text)' and was not moved to '\(folder.text)'."
    }
}
