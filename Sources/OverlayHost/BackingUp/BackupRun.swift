import FoundationEssentials
import Glibc
import Libraries
import Platform

/// Carries the plan of a backup out in batches. What a book has is written so that the next run finds it, also where this one
/// does not come to its end.
struct BackupRun {
    /// Most books of one batch, the bytes after which it ends, and those of its covers.
    private static let batch = (books: 256, bytes: UInt64(256 << 20), covers: UInt64(64 << 20))

    private let session: HostSession
    private let request: BackupRequest
    private let folder: BackupFolder
    private let books: BookList
    private let steps: [BackupStep]
    private var manifest: BackupManifest
    private var rows: [Int: ItemRow] = [:]
    /// How many papers of a step have not been copied yet.
    private var papersLeft: [Int: Int] = [:]
    /// The entries of the steps that have been settled, by their places in the manifest.
    private var entries: [Int: Int] = [:]

    init(
        _ session: HostSession, _ request: BackupRequest, _ folder: BackupFolder, _ manifest: BackupManifest,
        books: BookList, steps: [BackupStep]
    ) {
        (self.session, self.request, self.folder, self.manifest) = (session, request, folder, manifest)
        (self.books, self.steps) = (books, steps)
    }

    /// What changes with everything that metadata and annotations of a book say.
    static func mark(of book: BookRecord, _ request: BackupRequest, _ app: String) -> String {
        var hash = FNV1a()
        hash.add(MetadataPackage.text(book.book, cover: nil).utf8)
        if !book.annotations.isEmpty, let text = request.annotations?(book, app) {
            hash.add(0)
            hash.add(text.markdown.utf8)
            hash.add(0)
            hash.add(text.json.utf8)
        }
        return Hex.text(hash.value)
    }

    /// Does everything, and writes the manifest.
    ///
    /// - Parameter written: the manifest on the disk; nil if that has to be written anyway.
    /// - Returns: a row for each step that does something, or that finds a copy lost, in the order of the plan.
    mutating func run(since written: BackupManifest?) -> BatchResult {
        var failure: HostError?
        let places = steps.indices.filter { [.fetch, .update].contains(steps[$0].row.action) }
        do throws(HostError) {
            if !places.isEmpty || written == nil { try folder.begin() }
            try carryOut(places)
            settleOthers()
        } catch {
            failure = error
        }
        // What is done stays known, also where the rest is not.
        if !places.isEmpty || written != manifest {
            do throws(HostError) { try folder.finish(manifest, isWhole: failure == nil) } catch {
                failure = failure ?? error
            }
        }
        let rows = places.map { place in
            if let row = self.rows[place], failure == nil || papersLeft[place, default: 0] == 0 { return row }
            let error = failure ?? HostError(.failed, "No result was reported for this book.")
            return HostSession.unreported(
                steps[place].row.path, error, again: "Run the same command again to finish.")
        }
        return BatchResult(rows: rows + steps.filter(\.isLost).map(Self.lost), failure: failure)
    }

    /// The row of a copy that cannot be made anew.
    private static func lost(_ step: BackupStep) -> ItemRow {
        let reason = step.row.action == .gone ? step.row.reason : nil
        return ItemRow(
            item: step.row.path,
            failure: HostError(
                .damaged, reason ?? "Its copy is missing or damaged, and the device does not give the file.",
                subject: step.row.folder,
                hint: "Put an intact file in its place."))
    }

    /// Takes how the device lists the books that are as they were, and notes those that are gone.
    private mutating func settleOthers() {
        let now = Int64(Date().timeIntervalSince1970)
        for step in steps {
            guard let entry = step.entry else { continue }
            if let book = step.book.map({ books[$0] }) {
                manifest.entries[entry].goneSince = nil
                if step.row.action == .keep { manifest.entries[entry].path = book.path }
            } else if manifest.entries[entry].goneSince == nil {
                manifest.entries[entry].goneSince = now
            }
        }
    }

    // MARK: batches

    private mutating func carryOut(_ places: [Int]) throws(HostError) {
        let fetched = places.filter { steps[$0].row.action == .fetch }
        session.link.progress.begin(
            "Copying books", items: UInt64(fetched.count),
            bytes: fetched.reduce(into: UInt64(0)) { $0 &+= steps[$1].row.bytes },
            counting: [.pull, .read])
        var (items, bytes) = (UInt64(0), UInt64(0))
        var rest = places[...]
        while !rest.isEmpty {
            try session.request.checkCancellation()
            let batch = next(&rest)
            session.link.progress.goOn(after: items, bytes: bytes)
            try carryOut(batch: batch)
            for place in batch where steps[place].row.action == .fetch {
                items += 1
                bytes &+= steps[place].row.bytes
            }
        }
    }

    private func next(_ rest: inout ArraySlice<Int>) -> [Int] {
        var batch: [Int] = []
        var (bytes, covers) = (UInt64(0), UInt64(0))
        while let place = rest.first, batch.count < Self.batch.books, bytes < Self.batch.bytes,
            covers < Self.batch.covers
        {
            bytes &+= steps[place].row.bytes
            if let cover = steps[place].book.flatMap({ books[$0].cover }) { covers &+= cover.size ?? 1 << 20 }
            batch.append(place)
            rest.removeFirst()
        }
        return batch
    }

    private mutating func carryOut(batch: [Int]) throws(HostError) {
        let covers = try covers(of: batch)
        var problem: HostError?
        func settle(_ run: inout BackupRun, _ place: Int, _ file: FetchedBook?, _ failed: ItemRow?) {
            do throws(HostError) {
                try run.settle(place, file, failed, covers)
            } catch {
                // Where the disk is full or broken, or the folder is gone, the next book ends in the same way.
                if [.noSpace, .cancelled].contains(error.code) || !run.folder.isWritable
                    || [.posix(EIO), .posix(EROFS)].contains(error.native)
                {
                    problem = problem ?? error
                }
                run.rows[place] = ItemRow(item: run.steps[place].row.path, failure: error)
            }
        }
        // A book comes before its further papers, so that its folder is known to be ours.
        for place in batch where !steps[place].copiesBook && problem == nil { settle(&self, place, nil, nil) }
        let wanted = batch.flatMap { wantedFiles($0) }
        if !wanted.isEmpty, problem == nil {
            for file in wanted where file.paper != nil { papersLeft[file.step, default: 0] += 1 }
            // A copy is worked with, because two parts of a value cannot be changed at once.
            var run = self
            let failure = session.fetch(wanted.map(\.record), in: folder.path) { index, answer in
                guard problem == nil else { return }
                let wish = wanted[index]
                switch (wish.paper, answer) {
                case (nil, .success(let file)): settle(&run, wish.step, file, nil)
                case (nil, .failure(let failed)): settle(&run, wish.step, nil, failed.row)
                case (let paper?, let answer):
                    do throws(HostError) { try run.settle(wish.step, paper, wish.record, answer) } catch {
                        problem = problem ?? error
                    }
                }
            }
            self = run
            if let failure { throw session.settled(failure) }
        }
        if let problem { throw problem }
    }

    /// The covers that the app has of the books of a batch whose cover is new or missing; nil if it did not give them.
    private func covers(of batch: [Int]) throws(HostError) -> [ExactText: [UInt8]]? {
        let paths = batch.compactMap { place -> String? in
            guard let book = steps[place].book.map({ books[$0] }), book.cover != nil else { return nil }
            return needsCover(place, book) ? book.path : nil
        }
        // An overlay of an earlier minor version would deliver the covers of all books.
        guard !paths.isEmpty, session.link.target.overlay.abiMinor >= 5 else { return [:] }
        var covers: [ExactText: [UInt8]] = [:]
        do throws(HostError) {
            let listed = try session.link.instance.books(withCovers: true, wanted: paths, unread: true)
            for book in listed { covers[ExactText(book.path)] = book.cover?.data }
        } catch {
            if [.cancelled, .deviceGone].contains(error.code) { throw session.settled(error) }
            session.request.loggers.host.notice("covers of the reader app: \(error)")
            return nil
        }
        return covers
    }

    private func needsCover(_ place: Int, _ book: BookRecord) -> Bool {
        guard let entry = steps[place].entry.map({ manifest.entries[$0] }) else { return true }
        return steps[place].row.action == .fetch || entry.coverMark != BackupEntry.coverMark(of: book.book)
            || !folder.isWhole(entry, .cover)
    }

    // MARK: papers

    /// A file that is fetched.
    private struct WantedFile {
        var step: Int
        var record: BookRecord
        /// The paper that it is; nil for the book itself.
        var paper: BackupPaper?
    }

    /// The further papers of a book, as the device lists them.
    static func papers(of record: BookRecord) -> [BackupPaper] {
        ReferenceValues.furtherPapers(of: record).map {
            BackupPaper(path: $0.path ?? "", mark: $0.mark, size: $0.size)
        }
    }

    private func wantedFiles(_ place: Int) -> [WantedFile] {
        let step = steps[place]
        guard step.row.action == .fetch, let record = step.book.map({ books[$0] }) else { return [] }
        let papers = ReferenceValues.files(of: record).dropFirst().compactMap { file in
            step.papers.first { ExactText($0.path) == ExactText(file.path) }.map {
                WantedFile(step: place, record: file, paper: $0)
            }
        }
        return (step.copiesBook ? [WantedFile(step: place, record: record)] : []) + papers
    }

    /// Gives the copy of a paper its place beside the book, and notes it; or notes why there is none.
    private mutating func settle(
        _ place: Int, _ paper: BackupPaper, _ record: BookRecord, _ answer: Result<FetchedBook, UnfetchedBook>
    ) throws(HostError) {
        papersLeft[place, default: 0] -= 1
        let step = steps[place]
        guard let book = step.book.map({ books[$0] }) else { return }
        guard let index = entries[place] else {
            // A row that says more about the book stays.
            if rows[place] == nil {
                rows[place] = ItemRow(
                    item: step.row.path,
                    failure: HostError(
                        .failed, "A paper came before its reference and was not copied.", subject: paper.path,
                        hint: "Run the same command again."))
            }
            return
        }
        do throws(HostError) {
            guard case .success(let file) = answer else {
                guard case .failure(let failed) = answer else { return }
                throw HostError(
                    failed.row.code ?? .failed, failed.row.message ?? "The paper could not be copied.",
                    subject: paper.path, hint: failed.row.hint, native: failed.row.native)
            }
            var entry = manifest.entries[index]
            var copy = try described(file, FileName(record), entry, entry.copy(ofPaper: paper.path))
            (copy.role, copy.paper) = (.paper, paper)
            try folder.place(file.path, as: copy.name, in: entry.folder)
            entry.take(copy)
            let metadata = MetadataPackage.text(
                book.book, cover: entry[.cover]?.name, entry: entry.withoutMetadata)
            entry[.metadata] = try folder.write(
                Array(metadata.utf8), .metadata, name: "metadata.opf", in: entry.folder)
            manifest.entries[index] = entry
            if rows[place]?.status == .updated { rows[place] = row(step, entry, file, nil) }
        } catch {
            rows[place] = ItemRow(item: step.row.path, failure: error)
            if [.noSpace, .cancelled].contains(error.code) || !folder.isWritable { throw error }
        }
    }

    // MARK: one book

    /// Writes down what is known of a book, with its file if it was fetched.
    private mutating func settle(
        _ place: Int, _ file: FetchedBook?, _ failed: ItemRow?, _ covers: [ExactText: [UInt8]]?
    ) throws(HostError) {
        let step = steps[place]
        guard let book = step.book.map({ books[$0] }) else { return }
        let former = step.entry.map { manifest.entries[$0] }
        var entry = BackupEntry(
            book.book, folder: step.row.folder, mark: Self.mark(of: book, request, session.app.name),
            files: former?.files ?? [])
        if let file {
            entry[.book] = try described(file, FileName(book), former, former?[.book])
        } else if let former {
            // What is not copied stays due.
            (entry.size, entry.dateAdded, entry.contentID) = (former.size, former.dateAdded, former.contentID)
        }
        let copy = file?.path ?? entry[.book].map { "\(folder.path)/\(entry.folder)/\($0.name)" }
        if needsCover(place, book) {
            let image = cover(book, covers ?? [:], copy)
            if covers == nil, image == nil, book.cover != nil {
                // It stays due, and a former one stays where it is.
                entry.coverMark = former?.coverMark == entry.coverMark ? nil : former?.coverMark
            } else {
                try write(image, &entry)
            }
        }
        try writeAnnotations(book, &entry)
        // Of a new book the metadata come first, so that its folder is known to be ours; of another the file does, so that
        // the metadata never promise what is not there.
        if let file, former != nil { try put(file, &entry, former) }
        let metadata = MetadataPackage.text(
            book.book, cover: entry[.cover]?.name, entry: entry.withoutMetadata)
        entry[.metadata] = try folder.write(
            Array(metadata.utf8), .metadata, name: "metadata.opf", in: entry.folder)
        if let file, former == nil { try put(file, &entry, former) }
        if let index = step.entry {
            manifest.entries[index] = entry
        } else {
            manifest.entries.append(entry)
        }
        entries[place] = step.entry ?? manifest.entries.endIndex - 1
        // What is missing of its papers stays said.
        if rows[place]?.status != .failed { rows[place] = row(step, entry, file, failed) }
    }

    private func row(_ step: BackupStep, _ entry: BackupEntry, _ file: FetchedBook?, _ failed: ItemRow?)
        -> ItemRow
    {
        if var failed {
            failed.item = step.row.path
            return failed
        }
        let name = entry[.book]?.name
        return ItemRow(
            item: step.row.path, path: "\(folder.path)/\(entry.folder)" + (name.map { "/\($0)" } ?? ""),
            status: file == nil ? .updated : .fetched,
            message: file?.message ?? (name == nil ? step.row.reason : nil))
    }

    /// The name, size and checksum that a fetched file gets: the name of its former copy, else one that no other file of the book has.
    private func described(
        _ file: FetchedBook, _ name: FileName, _ entry: BackupEntry?, _ former: BackupFile?
    ) throws(HostError) -> BackupFile {
        guard let descriptor = FileDescriptor(opening: file.path, O_RDONLY | O_NOFOLLOW) else {
            throw BackupFolder.unwritable(file.path, errno)
        }
        let cancellation = session.request.cancellation
        guard let status = descriptor.status,
            let digest = FileDigest.of(descriptor.number, isCancelled: { cancellation.isCancelled })
        else {
            try session.request.checkCancellation()
            throw HostError(.hostIO, "Cannot read the copied book.", subject: file.path)
        }
        let taken = Set((entry?.files ?? []).filter { $0 != former }.map { $0.name.lowercased() })
        var text = (1...taken.count + 1).lazy.map { Self.own(name.text($0)) }.first {
            !taken.contains($0.lowercased())
        }
        if let known = former?.name, LocalBook.fileExtension(of: known) == name.ending { text = known }
        return BackupFile(
            .book, name: text ?? Self.own(name.text()), size: UInt64(status.st_size), digest: digest)
    }

    /// A name that none of the files has that are written beside a book.
    private static func own(_ name: String) -> String { isOurs(name) ? "book " + name : name }

    /// Whether a name is one of the files that are written beside a book.
    private static func isOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["metadata.opf", "highlights.md", "highlights.json"].contains(name) || name.hasPrefix("cover.")
    }

    private func put(
        _ file: FetchedBook, _ entry: inout BackupEntry, _ former: BackupEntry?
    ) throws(HostError) {
        guard let new = entry[.book] else { return }
        try folder.place(file.path, as: new.name, in: entry.folder)
        if let old = former?[.book], !old.name.utf8.elementsEqual(new.name.utf8) {
            folder.remove(old, in: entry.folder)
        }
    }

    /// The cover that the app has, else the one in the book's file.
    private func cover(_ book: BookRecord, _ covers: [ExactText: [UInt8]], _ copy: String?) -> [UInt8]? {
        if let own = covers[ExactText(book.path)], !own.isEmpty { return own }
        guard let copy else { return nil }
        do {
            let content = try OpenContent(path: copy, name: FileName(book).text())
            defer { content.close() }
            return try content.publication().cover.map { [UInt8](try $0.read()) }
        } catch {
            // A book whose file tells no cover has none here.
            return nil
        }
    }

    private func write(_ image: [UInt8]?, _ entry: inout BackupEntry) throws(HostError) {
        let endings = ["image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"]
        let ending = image.flatMap { Sidecar.imageType($0) }.flatMap { endings[$0] }
        let former = entry[.cover]
        if let image, let ending {
            entry[.cover] = try folder.write(image, .cover, name: "cover.\(ending)", in: entry.folder)
        } else {
            entry[.cover] = nil
        }
        if let former, former.name != entry[.cover]?.name { folder.remove(former, in: entry.folder) }
    }

    private func writeAnnotations(_ book: BookRecord, _ entry: inout BackupEntry) throws(HostError) {
        guard !book.annotations.isEmpty, let text = request.annotations?(book, session.app.name) else {
            for role in [BackupFile.Role.highlights, .annotations] {
                if let former = entry[role] { folder.remove(former, in: entry.folder) }
                entry[role] = nil
            }
            return
        }
        entry[.highlights] = try folder.write(
            Array((text.markdown + "\n").utf8), .highlights, name: "highlights.md", in: entry.folder)
        entry[.annotations] = try folder.write(
            Array((text.json + "\n").utf8), .annotations, name: "highlights.json", in: entry.folder)
    }
}

extension BackupEntry {
    /// The entry as the metadata note it, which cannot have a checksum of themselves.
    fileprivate var withoutMetadata: BackupEntry {
        var entry = self
        entry[.metadata] = nil
        return entry
    }
}
