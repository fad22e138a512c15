import OverlayKit

/// Decides what is to happen with each item of an upload: by content first, then by name.
struct UploadPlanner {
    private let look: ShelfLook
    private let wanted: UploadOptions
    private let options: ShelfOptions
    private let digests: ContentDigests
    private var taken: TakenNames
    private var byContent: [ContentFingerprint: [FoundFile]] = [:]
    /// Earlier items of the same upload by their contents.
    private var seen: [ContentFingerprint: [(index: Int, file: HostFile)]] = [:]
    /// Files that earlier items of the same upload replace.
    private var replaced: Set<ShelfPath> = []
    /// What earlier items of the same upload bring to a path.
    private var coming: [ShelfPath: Coming] = [:]
    private let log: MatchLog

    /// What an earlier item brings to a path: a book that is sent there, or else one whose file is there already or moves there.
    private struct Coming {
        var index: Int
        var book: Book
        var fingerprint: ContentFingerprint
        /// What the row of a book that is sent says; nil if it is not sent.
        var sent: Outcome?
        /// The item whose file moves there first.
        var mover: Int?
    }

    /// - Parameter sizes: bytes of the files of all items; only files of these sizes can have the content of one.
    init(
        _ look: ShelfLook, _ wanted: UploadOptions, _ digests: ContentDigests, sizes: Set<UInt64>
    ) throws(OverlayError) {
        self.look = look
        self.wanted = wanted
        self.digests = digests
        options = look.shelf.options
        log = MatchLog(look.shelf.host.log, category: "books", place: "in \(options.appName)")
        taken = TakenNames(look.contents)
        let alike = look.contents.files.filter { !$0.isPackage && sizes.contains($0.size) }
        let fingerprints = try look.fingerprints(of: alike)
        for file in alike {
            if let fingerprint = fingerprints[file.path] { byContent[fingerprint, default: []].append(file) }
        }
    }

    /// What is to happen with an item.
    enum Decision {
        /// The book is sent; `insteadOf` an earlier item of the upload, which is another edition of it.
        case send(PlannedUpload, insteadOf: Int? = nil)
        /// The content is there, in another folder than the one that was asked for, into which its file moves.
        case move(FoundFile, PlannedUpload)
        /// The content is there; only what is known of the book beside the file is new.
        case note(ContentFingerprint, ItemResult)
        /// The same book stands earlier in the upload, at this index; the message says what of it is the same.
        case same(as: Int, String)
        case row(ItemResult)
    }

    /// The decision for one item; items are to be asked for in their order.
    ///
    /// - Throws: only what ends the running method.
    mutating func decide(
        _ index: Int, _ item: UploadItem, size: UInt64, _ fingerprint: ContentFingerprint
    ) throws(OverlayError) -> Decision {
        do throws(OverlayError) {
            for earlier in seen[fingerprint] ?? []
            where try digests.isSame(item.file, size: size, as: earlier.file) {
                return .same(as: earlier.index, AlreadyThere.sameContent)
            }
            seen[fingerprint, default: []].append((index, item.file))
            return try decision(index, item, size, fingerprint)
        } catch {
            if error.endsTheCall { throw error }
            return .row(.failed(index, error))
        }
    }

    private mutating func decision(
        _ index: Int, _ item: UploadItem, _ size: UInt64, _ fingerprint: ContentFingerprint
    ) throws(OverlayError) -> Decision {
        let place = try folder(of: item)
        func plan(
            _ path: ShelfPath, _ outcome: Outcome, _ remarks: [String?], mover: Int? = nil
        ) -> PlannedUpload {
            PlannedUpload(
                index: index, item: item, size: size, fingerprint: fingerprint, path: path, outcome: outcome,
                mover: mover, remarks: remarks.compactMap { $0 })
        }
        func arrival(_ sent: Outcome? = nil, mover: Int? = nil) -> Coming {
            Coming(index: index, book: item.book, fingerprint: fingerprint, sent: sent, mover: mover)
        }
        func row(_ outcome: Outcome, _ present: FoundFile, _ message: String) -> ItemResult {
            let words = [message, stays(present, place)].compactMap { $0 }.joined(separator: " ")
            return .done(index, outcome, path: present.path.text, message: words)
        }
        // A file that an earlier item of this upload replaces is there no more.
        let replaces = wanted.onConflict == .replace || wanted.onConflict == .update
        if let present = try holder(of: item, size, fingerprint, place, andNotReplaced: replaces) {
            log.found(item, .content, path: present.path.text, title: item.book.title)
            switch wanted.onConflict {
            case .replace:
                replaced.insert(present.path)
                if let path = try newPlace(present, place) {
                    coming[path] = arrival(mover: index)
                    return .move(present, plan(path, .replaced, [place.remark]))
                }
                coming[present.path] = arrival(.replaced)
                return .send(plan(present.path, .replaced, [stays(present, place)]))
            case .update:
                replaced.insert(present.path)
                coming[present.path] = arrival()
                return .note(
                    fingerprint,
                    row(
                        .updated, present,
                        "The file is already there; what is known of the book was brought up to date."))
            default:
                return .row(
                    row(.skipped, present, AlreadyThere.sentence("in \(options.appName)", isOther: false)))
            }
        }
        let ending = try fileExtension(of: item)
        let stem = ShelfPath(nil, item.name)?.stem ?? item.name
        let title = options.fileTitle(item.book) ?? stem
        func likeness(to other: Book) -> Likeness {
            Likeness(title: item.book.title ?? stem, authors: item.book.authors, other)
        }
        let plain = ShelfPath(place.folder, BookName.file(title, fileExtension: ending))
        let holder = plain.flatMap { taken.holder(of: $0) }
        var found = Likeness.none
        if let holder, let present = look.files[holder], !replaced.contains(holder) {
            _ = try look.readMetadata(of: [present])
            // What a file that cannot be read now would say could be anything.
            if look.isFilled(present) { found = likeness(to: look.known(present)) }
            if found == .same || found == .perhaps && replaces {
                log.found(item, .name, path: holder.text, title: look.book(present).title)
                guard replaces else {
                    let words = AlreadyThere.sentence("in \(options.appName)", isOther: true)
                    return .row(row(.skipped, present, words))
                }
                guard !present.isPackage else {
                    throw OverlayError(
                        .notSupported,
                        "The book on the device is a folder, which cannot be replaced by a file.",
                        subject: holder.text, hint: "Delete it first, or choose another title.")
                }
                replaced.insert(holder)
                let outcome: Outcome = wanted.onConflict == .update ? .updated : .replaced
                coming[holder] = arrival(outcome)
                return .send(plan(holder, outcome, [place.remark]))
            }
        } else if let holder, let earlier = coming[holder] {
            // What two uploads would do one after the other, in one.
            found = likeness(to: earlier.book)
            if found == .same || found == .perhaps && replaces {
                if !replaces, earlier.sent != nil { return .same(as: earlier.index, AlreadyThere.earlier) }
                // What gives way is nothing that a still later item could be the same as.
                seen[earlier.fingerprint]?.removeAll { $0.index == earlier.index }
                let outcome = earlier.sent ?? (wanted.onConflict == .update ? .updated : .replaced)
                coming[holder] = arrival(outcome, mover: earlier.mover)
                return .send(
                    plan(holder, outcome, [place.remark], mover: earlier.mover),
                    insteadOf: earlier.sent == nil ? nil : earlier.index)
            }
        }
        log.none(item, byUUID: false)
        guard let path = taken.takeFree(title, in: place.folder, fileExtension: ending) else {
            throw OverlayError(
                .invalidArgument, "No name is left for the book.", subject: title,
                hint: "Choose a shorter collection name.")
        }
        coming[path] = arrival(.added)
        return .send(
            plan(path, .added, [place.remark, found == .perhaps ? AlreadyThere.sameTitle : nil]))
    }

    /// The file on the device that has all the bytes of an item; of several one in the folder that was asked for.
    private func holder(
        of item: UploadItem, _ size: UInt64, _ fingerprint: ContentFingerprint, _ place: Place,
        andNotReplaced: Bool
    ) throws(OverlayError) -> FoundFile? {
        let files = byContent[fingerprint] ?? []
        let asked = files.filter { place.isAsked && $0.path.folder == place.folder }
        for file in asked + files {
            if andNotReplaced, replaced.contains(file.path) { continue }
            if try digests.isSame(item.file, size: size, as: file) { return file }
        }
        return nil
    }

    /// Where the file of a book that is replaced moves, because another folder was asked for; nil if it stays.
    private mutating func newPlace(_ present: FoundFile, _ place: Place) throws(OverlayError) -> ShelfPath? {
        guard place.isAsked, let folder = place.folder, folder != present.path.folder, options.replacingMoves
        else { return nil }
        guard
            let path = taken.takeFree(
                present.path.stem, in: folder, fileExtension: present.path.writtenExtension)
        else {
            throw OverlayError(
                .invalidArgument, "No name is left for the book.", subject: present.path.text,
                hint: "Choose a shorter collection name.")
        }
        return path
    }

    /// What is said of a book that stays where it is although another collection was asked for.
    private func stays(_ present: FoundFile, _ place: Place) -> String? {
        guard place.isAsked, let folder = place.folder else { return place.remark }
        guard folder != present.path.folder else { return nil }
        guard let own = present.path.folder else { return "It stays outside of “\(folder.text)”." }
        return "It stays in “\(own.text)” and did not come into “\(folder.text)”."
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

    /// Where an item goes.
    private struct Place {
        /// The folder; nil is the shared folder itself.
        var folder: ShelfPath?
        /// Whether the person asked for that folder.
        var isAsked = false
        /// What of the collections cannot be done.
        var remark: String?
    }

    /// The folder an item goes into: the collection that was asked for, or the first one that is known of the book.
    private mutating func folder(of item: UploadItem) throws(OverlayError) -> Place {
        let asked = (wanted.collections ?? []).filter { !$0.isEmpty }
        guard options.foldersAreCollections else {
            guard !asked.isEmpty else { return Place() }
            return Place(remark: AlreadyThere.noCollections(options.appName))
        }
        guard asked.count <= 1 else { throw .oneFolder(options.appName) }
        let own = asked.isEmpty ? item.book.collections ?? [] : []
        guard let name = asked.first ?? own.first, !name.isEmpty else { return Place() }
        let folder = try look.folder(named: name, taken)
        // The next item finds it, however its collection is spelled.
        var level: ShelfPath? = folder
        while let path = level, taken.holder(of: path) == nil {
            taken.take(path)
            level = path.folder
        }
        var place = Place(folder: folder, isAsked: !asked.isEmpty)
        if place.isAsked {
            place.remark = ShelfLook.keptAs(name, folder)
        } else if own.count > 1 {
            place.remark =
                "A book can be in one folder only; of its collections it is in “\(folder.text)”."
        }
        return place
    }
}
