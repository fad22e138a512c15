import DeviceTransport
import FoundationEssentials
import Glibc
import Libraries
import Platform

/// Writes the fetched files book by book, so that the next run finds them even if this one is interrupted. It does
/// not use the device, so that the next files are fetched at the same time. For use by one thread at a time.
struct BackupWriter: Sendable {
    private let app: String
    private let folder: BackupFolder
    private let books: BookList
    private let steps: [BackupStep]
    /// Whether the app provides individual covers.
    private let asksForCovers: Bool
    private let covers: BackupCovers
    private let highlights: BackupHighlights
    private let pdfHighlights: PDFHighlights
    /// Whether highlights in a PDF file have no words because a program is not installed.
    private(set) var lacksProgram = false
    /// The manifest of the backup.
    private(set) var manifest: BackupManifest
    /// Whether the manifest has changed since the run began.
    private(set) var isChanged = false
    /// The results of the steps, in their order.
    private(set) var rows: [ItemRow?]
    /// The number of requested papers of each step that were not written yet.
    private var papersLeft: [Int: Int] = [:]
    /// The index in the manifest of each step's entry; nil for a step that is not complete.
    private var entries: [Int?]
    /// The files that wait for a cover from the app.
    private var waiting: [FetchedBackupFile] = []
    private var waitingSteps: Set<Int> = []
    /// The error that prevents writing further books.
    private(set) var problem: HostError?

    init(
        _ session: HostSession, _ request: BackupRequest, _ folder: BackupFolder, _ manifest: BackupManifest,
        books: BookList, steps: [BackupStep]
    ) {
        (self.folder, self.manifest) = (folder, manifest)
        app = session.app.name
        highlights = BackupHighlights(request, app: app, folder)
        pdfHighlights = PDFHighlights(session.request)
        (self.books, self.steps) = (books, steps)
        (rows, entries) = (
            Array(repeating: nil, count: steps.count), Array(repeating: nil, count: steps.count)
        )
        // An array that doubles its capacity is in memory twice for a moment.
        if self.manifest.entries.capacity < steps.count {
            self.manifest.entries.reserveCapacity(steps.count)
        }
        // An overlay of an earlier minor version would send the covers of all books.
        asksForCovers = session.link.target.overlay.abiMinor >= 5
        covers = BackupCovers(books, steps)
    }

    /// A text that changes with the metadata of a book.
    static func mark(of book: BookRecord) -> String {
        var hash = FNV1a()
        var text = MetadataPackage.text(book.book, cover: nil)
        // Optimized, because it runs for every book of every run.
        text.withUTF8 { bytes in for byte in bytes { hash.add(byte) } }
        return Hex.text(hash.value)
    }

    /// Records the requested papers by their steps. Some may never arrive.
    mutating func expectPapers(of steps: [Int]) {
        for step in steps { papersLeft[step, default: 0] += 1 }
    }

    /// Writes the arrived files in this order, even after a cancellation, because they were already fetched. Stops
    /// once there is a `problem`.
    mutating func settle(_ arrivals: [FetchedBackupFile]) {
        for arrival in arrivals where problem == nil {
            if let arrival = withOwnCover(arrival) {
                settle(arrival)
            } else {
                waiting.append(arrival)
                waitingSteps.insert(arrival.step)
            }
        }
    }

    /// Writes the arrived and the waiting files if the app can no longer be asked.
    mutating func settleWithoutApp(_ arrivals: [FetchedBackupFile]) {
        settle(arrivals)
        let rest = waiting.map { arrival in
            var arrival = arrival
            arrival.postponeCover()
            return arrival
        }
        (waiting, waitingSteps) = ([], [])
        settle(rest)
    }

    /// Whether enough files wait that the app should be asked for covers before more files arrive.
    func mayAsk(_ limits: BackupLimits) -> Bool {
        var (covers, copies) = (UInt64(0), UInt64(0))
        for arrival in waiting {
            covers &+= min(coverBytes(arrival), limits.covers.bytes)
            if case .success(let copy)? = arrival.answer { copies &+= min(copy.size, limits.waitingBytes) }
        }
        return waitingSteps.count >= limits.covers.books || covers >= limits.covers.bytes
            || copies >= limits.waitingBytes
    }

    /// Removes and returns the first books that wait for covers from the app, each with its papers: as many as fit
    /// into one request.
    mutating func takeWaiting(_ limits: BackupLimits) -> [FetchedBackupFile] {
        var taken: Set<Int> = []
        var bytes: UInt64 = 0
        for arrival in waiting where arrival.paper == nil {
            bytes &+= min(coverBytes(arrival), limits.covers.bytes)
            guard taken.isEmpty || taken.count < limits.covers.books && bytes <= limits.covers.bytes
            else { break }
            taken.insert(arrival.step)
        }
        let given = waiting.filter { taken.contains($0.step) }
        waiting.removeAll { taken.contains($0.step) }
        waitingSteps.subtract(taken)
        return given
    }

    /// The size of the cover for which a book waits; an estimate if the app does not report it.
    private func coverBytes(_ arrival: FetchedBackupFile) -> UInt64 {
        guard arrival.paper == nil, let cover = steps[arrival.step].book.flatMap({ books[$0].cover })
        else { return 0 }
        return cover.size ?? 1 << 20
    }

    /// Whether books went from the device or came back to it, as far as is known before the run.
    var changesGone: Bool {
        steps.contains { step in
            step.entry.map { (step.book == nil) != (manifest.entries[$0].goneSince != nil) } ?? false
        }
    }

    /// The steps of books that are not written in this run and are gone, back, or at another path.
    var stepsToNote: [Int] {
        steps.indices.filter { place in
            let step = steps[place]
            guard let entry = step.entry.map({ manifest.entries[$0] }) else { return false }
            return switch step.row.action {
            case .gone: entry.goneSince == nil
            case .keep: entry.goneSince != nil || ExactText(entry.path) != ExactText(step.row.path)
            case .fetch, .update: false
            }
        }
    }

    /// Records where the book of a step is now, or that it is gone.
    mutating func note(_ place: Int) {
        let step = steps[place]
        guard let index = step.entry else { return }
        let isGone = step.row.action == .gone
        manifest.entries[index].path = step.row.path
        if isGone != (manifest.entries[index].goneSince != nil) {
            note(goneSince: isGone ? Int64(Date().timeIntervalSince1970) : nil, step, index)
        }
        isChanged = true
    }

    /// Records in an entry and in its metadata file whether the book is gone.
    private mutating func note(goneSince: Int64?, _ step: BackupStep, _ index: Int) {
        var entry = manifest.entries[index]
        if step.annotations == .unknown, entry.hasAnnotations, entry.highlightsGoneSince == nil {
            // The app may have others when they can be read again.
            entry.highlightsGoneSince = entry.goneSince
        }
        entry.goneSince = goneSince
        do throws(HostError) {
            if let file = try folder.store(entry) { entry[.metadata] = file }
        } catch {
            // The metadata file is as before, and the manifest has the new value.
        }
        manifest.entries[index] = entry
    }

    /// Releases the memory of the manifest, when it was written to the disk.
    mutating func forgetManifest() { manifest.entries = [] }

    /// Whether all papers of a step have been written.
    func hasAllPapers(_ place: Int) -> Bool { papersLeft[place, default: 0] == 0 }

    // MARK: one arrival

    /// The file with the cover from its copy, if that has the type and size of the cover that the app lists. The
    /// images are not compared, so another image with the same type and size counts as the app's cover. Nil if the
    /// app must be asked first. A paper waits for its book, because the book's metadata marks the folder as part of
    /// the backup.
    private func withOwnCover(_ arrival: FetchedBackupFile) -> FetchedBackupFile? {
        guard arrival.cover.isUnknown else { return arrival }
        guard !waitingSteps.contains(arrival.step) else { return nil }
        guard asksForCovers, arrival.paper == nil, let book = steps[arrival.step].book.map({ books[$0] }),
            book.cover != nil, needsCover(arrival.step, book)
        else { return arrival }
        guard case .read(let own?) = covers.read(arrival).coverInCopy else { return nil }
        var arrival = arrival
        arrival.cover = .provided(own)
        return arrival
    }

    private mutating func settle(_ arrival: FetchedBackupFile) {
        do throws(HostError) {
            if let (paper, record) = arrival.paper {
                try settle(arrival, paper, record)
            } else {
                try settleBook(arrival)
            }
        } catch {
            // If the disk is full or broken, or the folder is gone, the next book would fail in the same way.
            if error.code == .noSpace || !folder.isWritable
                || [.posix(EIO), .posix(EROFS)].contains(error.native)
            {
                problem = error
            }
            rows[arrival.step] = ItemRow(item: steps[arrival.step].row.path, failure: error)
        }
    }

    /// Moves the copy of a paper beside its book and records it, or records the reason why there is no copy.
    private mutating func settle(
        _ arrival: FetchedBackupFile, _ paper: BackupPaper, _ record: BookRecord
    ) throws(HostError) {
        let place = arrival.step
        papersLeft[place, default: 0] -= 1
        let step = steps[place]
        guard let book = step.book.map({ books[$0] }) else { return }
        guard let index = entries[place] else {
            // Keep a row that says more about the book.
            if rows[place] == nil {
                rows[place] = ItemRow(
                    item: step.row.path,
                    failure: HostError(
                        .failed, "The overlay reported a paper before its reference.", subject: paper.path,
                        hint: "Run the same command again."))
            }
            return
        }
        guard case .success(let file)? = arrival.answer else {
            guard case .failure(let failed)? = arrival.answer else { return }
            throw HostError(
                failed.row.code ?? .failed, failed.row.message ?? "The paper could not be copied.",
                subject: paper.path, hint: failed.row.hint, hintCode: failed.row.hintCode,
                native: failed.row.native)
        }
        var entry = manifest.entries[index]
        var copy = try described(file, FileName(record), entry, entry.copy(ofPaper: paper.path))
        (copy.role, copy.paper) = (.paper, paper)
        try folder.place(file.path, as: copy.name, in: entry.folder)
        entry.take(copy)
        try writeMetadata(book, &entry)
        manifest.entries[index] = entry
        isChanged = true
        if rows[place]?.status == .updated { rows[place] = row(step, entry, file, nil) }
    }

    /// Writes the metadata of a book, and its file if it was fetched.
    private mutating func settleBook(_ arrival: FetchedBackupFile) throws(HostError) {
        let (place, step) = (arrival.step, steps[arrival.step])
        guard let book = step.book.map({ books[$0] }) else { return }
        let (file, failed): (BackupCopy?, ItemRow?) =
            switch arrival.answer {
            case .success(let file)?: (file, nil)
            case .failure(let failed)?: (nil, failed.row)
            case nil: (nil, nil)
            }
        let former = step.entry.map { manifest.entries[$0] }
        var entry = BackupEntry(
            book.book, folder: step.row.folder, mark: step.mark, files: former?.files ?? [])
        // The same texts, so that they are not in memory twice.
        (entry.path, entry.title) = (step.row.path, step.row.title)
        if let file {
            entry[.book] = try described(file, FileName(book), entry, former?[.book])
        } else if let former {
            // A file that was not copied remains due.
            (entry.size, entry.dateAdded, entry.contentID) = (former.size, former.dateAdded, former.contentID)
        }
        let copy = file?.path ?? former?[.book].map { "\(folder.path)/\(entry.folder)/\($0.name)" }
        // Reading a copy takes time. A new folder without metadata would not be found after an interruption.
        let found = highlights.find(step, book, copy: copy, isNew: file != nil, former, pdfHighlights)
        lacksProgram = lacksProgram || found.lacksProgram
        if needsCover(place, book) { try writeCover(arrival.cover, book, &entry, former, copy) }
        try highlights.write(found, &entry, former)
        // For a new book, write the metadata first, because it marks the folder as part of the backup. Otherwise
        // write the file first, so that the metadata never describes a missing file.
        if let file, former != nil { try put(file, &entry, former) }
        try writeMetadata(book, &entry)
        if let file, former == nil { try put(file, &entry, former) }
        entry.files.trim()
        if let index = step.entry {
            manifest.entries[index] = entry
        } else {
            manifest.entries.append(entry)
        }
        isChanged = true
        entries[place] = step.entry ?? manifest.entries.endIndex - 1
        // Keep the message about a missing paper.
        if rows[place]?.status != .failed {
            rows[place] = row(step, entry, file, failed)
            if entry.highlightsGoneSince != nil, former?.highlightsGoneSince == nil, !found.keepsSaved {
                rows[place]?.remarks.append(
                    "\(app) has no highlights, notes or bookmarks of this book any more. Those in the backup are kept."
                )
            }
        }
    }

    private func row(_ step: BackupStep, _ entry: BackupEntry, _ file: BackupCopy?, _ failed: ItemRow?)
        -> ItemRow
    {
        if var failed {
            failed.item = step.row.path
            return failed
        }
        let name = entry[.book]?.name
        return ItemRow(
            item: step.row.path,
            path: String(exactly: folder.path, "/", entry.folder, name == nil ? "" : "/", name ?? ""),
            status: file == nil ? .updated : .fetched,
            message: file?.message ?? (name == nil ? step.row.reason : nil))
    }

    // MARK: the file

    /// The name, size and checksum of a fetched file. The name is that of the previous copy, or one that is unused in
    /// the book's folder.
    ///
    /// - Parameter entry: the entry of the book, with the previous copy.
    private func described(
        _ file: BackupCopy, _ name: FileName, _ entry: BackupEntry, _ former: BackupFile?
    ) throws(HostError) -> BackupFile {
        let content = try file.checksum()
        var new = BackupFile(.book, name: name.text(), size: content.size, digest: content.digest)
        if let known = former?.name, LocalBook.fileExtension(of: known) == name.ending {
            new.name = known
        } else {
            new.name = folder.unusedName(for: new, former: former, among: entry.files, in: entry.folder) {
                Self.own(name.text($0))
            }
        }
        return new
    }

    /// A name that differs from those of the files that a backup writes beside a book.
    private static func own(_ name: String) -> String { isOurs(name) ? "book " + name : name }

    /// Whether a name is that of a file that a backup writes beside a book.
    private static func isOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["metadata.opf", "highlights.md", "highlights.json"].contains(name) || name.hasPrefix("cover.")
    }

    private func put(
        _ file: BackupCopy, _ entry: inout BackupEntry, _ former: BackupEntry?
    ) throws(HostError) {
        guard let new = entry[.book] else { return }
        try folder.place(file.path, as: new.name, in: entry.folder)
        if let old = former?[.book], !old.name.utf8.elementsEqual(new.name.utf8) {
            folder.remove(old, in: entry.folder)
        }
    }

    // MARK: what is beside it

    /// Whether the cover of a book is new or missing.
    private func needsCover(_ place: Int, _ book: BookRecord) -> Bool {
        guard let entry = steps[place].entry.map({ manifest.entries[$0] }) else { return true }
        return steps[place].row.action == .fetch || entry.coverMark != BackupEntry.coverMark(of: book.book)
            || !folder.isWhole(entry, .cover)
    }

    /// Writes the cover from the app, or otherwise the one from the copy of the book.
    private func writeCover(
        _ appCover: FetchedBackupFile.AppCover, _ book: BookRecord, _ entry: inout BackupEntry,
        _ former: BackupEntry?, _ copy: String?
    ) throws(HostError) {
        var image: [UInt8]?
        if case .provided(let own?) = appCover, !own.isEmpty { image = own }
        if image == nil, !appCover.isPostponed, let copy { image = BackupCovers.inFile(copy, of: book) }
        if image == nil, appCover.isUnanswered, book.cover != nil {
            // The cover remains due, and an earlier one is kept.
            entry.coverMark = former?.coverMark == entry.coverMark ? nil : former?.coverMark
        } else {
            try write(image, &entry)
        }
    }

    private func write(_ image: [UInt8]?, _ entry: inout BackupEntry) throws(HostError) {
        let endings = ["image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"]
        let ending = image.flatMap { Sidecar.imageType($0) }.flatMap { endings[$0] }
        let former = entry[.cover]
        if let image, let ending {
            entry[.cover] = try folder.write(image, .cover, name: "cover.\(ending)", for: entry)
        } else {
            entry[.cover] = nil
        }
        if let former, former.name != entry[.cover]?.name { folder.remove(former, in: entry.folder) }
    }

    private func writeMetadata(_ book: BookRecord, _ entry: inout BackupEntry) throws(HostError) {
        var stored = entry
        // The metadata file cannot contain its own checksum.
        stored[.metadata] = nil
        let text = MetadataPackage.text(book.book, cover: entry[.cover]?.name, entry: stored)
        entry[.metadata] = try folder.write(Array(text.utf8), .metadata, name: "metadata.opf", for: entry)
    }
}

extension FetchedBackupFile.AppCover {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
    fileprivate var isPostponed: Bool { if case .postponed = self { true } else { false } }
    /// Whether the app should be asked again.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .refused, .postponed: true
        case .unknown, .provided: false
        }
    }
}
