import Logging
import Libraries
import Platform

/// Carries out the plan of a backup in batches. While one batch is fetched from the device, a separate thread writes
/// the previous one.
struct BackupRun {
    private let session: HostSession
    private let folder: BackupFolder
    private let books: BookList
    private let steps: [BackupStep]
    private let limits: BackupLimits
    private let settler: Monitor<BackupWriter>
    private let covers: BackupCovers
    /// The thread that writes a batch.
    private var thread: SystemThread?
    /// Files that arrived and were not yet passed to the writer.
    private var unsettled: [FetchedBackupFile] = []
    /// The folder of copies that are not in their final places yet.
    private let copies: PullFolder
    private let findings: CopyFindings

    init(
        _ session: HostSession, _ request: BackupRequest, _ folder: BackupFolder, _ manifest: BackupManifest,
        books: BookList, steps: [BackupStep], findings: CopyFindings, limits: BackupLimits
    ) {
        self.findings = findings
        (self.session, self.folder, self.limits) = (session, folder, limits)
        (self.books, self.steps) = (books, steps)
        settler = Monitor(BackupWriter(session, request, folder, manifest, books: books, steps: steps))
        copies = PullFolder(parent: folder.path)
        covers = BackupCovers(books, steps)
    }

    /// Carries out all steps and writes the manifest.
    ///
    /// - Parameter isWritten: whether the manifest at the beginning is already on disk.
    /// - Returns: a row for each step that changes something or finds a lost copy, in the order of the plan.
    consuming func run(isWritten: Bool) -> BatchResult {
        var failure: HostError?
        let places = steps.indices.filter { [.fetch, .update].contains(steps[$0].row.action) }
        // Metadata files are written before the manifest that lists them.
        let writes = !places.isEmpty || !isWritten || settler.change { $0.changesGone }
        do throws(HostError) {
            if writes { try folder.begin() }
            try carryOut(places)
            try noteOthers()
        } catch {
            failure = error
        }
        copies.remove()
        // Record what was done, even if the run failed.
        if writes || settler.change({ $0.isChanged }) {
            do throws(HostError) {
                try folder.finish(settler.change { $0.manifest }, isWhole: failure == nil)
            } catch {
                failure = failure ?? error
            }
        }
        // The results of a large library need the memory.
        settler.change { $0.forgetManifest() }
        let settled = settler.change { $0 }
        if settled.lacksProgram { PDFHighlights(session.request).reportMissingProgram() }
        var rows = places.map { place in
            if let row = settled.rows[place], row.status == .failed || settled.hasAllPapers(place) {
                return row
            }
            let error = failure ?? HostError(.failed, "No result was reported for this book.")
            return HostSession.unreported(
                steps[place].row.path, error, again: "Run the same command again to finish.")
        }
        rows += steps.filter(\.isLost).map(Self.lost)
        return BatchResult(rows: rows, failure: failure)
    }

    /// Notes which of the books that were not written are gone, back, or at another path. If this is cancelled, the
    /// next run notes the rest.
    private func noteOthers() throws(HostError) {
        let places = settler.change { $0.stepsToNote }
        guard !places.isEmpty else { return }
        let total = UInt64(places.count)
        session.link.progress.begin("Noting books that are gone or back", items: total)
        for (count, place) in places.enumerated() {
            session.link.progress.items(UInt64(count), of: total, phase: nil)
            try session.request.checkCancellation()
            settler.change { $0.note(place) }
        }
    }

    /// The row of a copy that cannot be replaced.
    private static func lost(_ step: BackupStep) -> ItemRow {
        let reason = step.row.action == .gone ? step.row.reason : nil
        return ItemRow(
            item: step.row.path,
            failure: HostError(
                .damaged,
                reason ?? "The copy is missing or damaged, and the file cannot be read from the device.",
                subject: step.row.folder,
                hint: "Put an intact file in its place."))
    }

    // MARK: batches

    private mutating func carryOut(_ places: [Int]) throws(HostError) {
        let fetched = places.filter { steps[$0].row.action == .fetch }
        if fetched.isEmpty {
            session.link.progress.begin("Updating metadata and highlights", items: UInt64(places.count))
        } else {
            session.link.progress.begin(
                "Copying books", items: UInt64(fetched.count),
                bytes: fetched.reduce(into: UInt64(0)) { $0 &+= steps[$1].row.bytes },
                counting: [.pull, .read])
        }
        do throws(HostError) {
            try carryOutBatches(places, countingAll: fetched.isEmpty)
        } catch {
            settleRest()
            throw error
        }
    }

    /// - Parameter countingAll: whether all books count as progress, not only those that are copied.
    private mutating func carryOutBatches(_ places: [Int], countingAll: Bool) throws(HostError) {
        var (items, bytes) = (UInt64(0), UInt64(0))
        var rest = places[...]
        while !rest.isEmpty {
            try session.request.checkCancellation()
            let batch = next(&rest)
            if !countingAll { session.link.progress.goOn(after: items, bytes: bytes) }
            let wanted = batch.flatMap { wantedFiles($0) }
            let (arrivals, failure) = fetch(batch, wanted)
            unsettled += covers.readAhead(
                arrivals, withCovers: session.link.target.overlay.abiMinor >= 5)
            // Handle a lost device even if the thread fails with another error.
            let ended = failure.map { session.settled($0) }
            try waitForThread()
            // Now the earlier batches are written.
            if countingAll { session.link.progress.goOn(after: items, bytes: bytes) }
            settler.change { $0.expectPapers(of: wanted.filter { $0.paper != nil }.map(\.step)) }
            if let ended { throw ended }
            try askForCovers { [limits] in $0.mayAsk(limits) }
            settleUnsettled()
            for place in batch where countingAll || steps[place].row.action == .fetch {
                items += 1
                if !countingAll { bytes &+= steps[place].row.bytes }
            }
        }
        try waitForThread()
        try askForCovers { _ in true }
        settleUnsettled()
        try waitForThread()
        if countingAll { session.link.progress.goOn(after: items, bytes: bytes) }
    }

    /// Asks the app for the missing covers while `isEnough` returns true. Other books are written at the same time.
    private mutating func askForCovers(_ isEnough: (BackupWriter) -> Bool) throws(HostError) {
        var isFirst = true
        while true {
            let waiting = settler.change { isEnough($0) ? $0.takeWaiting(limits) : [] }
            guard !waiting.isEmpty else { return }
            settleUnsettled()
            // Keep the files in case of an error below.
            unsettled = waiting
            // Only keep the covers of one request in memory at a time.
            if !isFirst { try waitForThread() }
            unsettled = try withCovers(waiting)
            try waitForThread()
            isFirst = false
        }
    }

    /// Writes every file that arrived, even if the rest cannot be fetched. Covers that only the app has remain due.
    private mutating func settleRest() {
        thread?.join()
        thread = nil
        let arrivals = unsettled
        unsettled = []
        settler.change { $0.settleWithoutApp(arrivals) }
    }

    private func next(_ rest: inout ArraySlice<Int>) -> [Int] {
        var batch: [Int] = []
        var bytes = UInt64(0)
        while let place = rest.first, batch.count < limits.batch.books, bytes < limits.batch.bytes {
            bytes &+= steps[place].row.bytes
            batch.append(place)
            rest.removeFirst()
        }
        return batch
    }

    // MARK: the device

    /// A file to fetch.
    private struct WantedFile {
        var step: Int
        var record: BookRecord
        /// The paper; nil for the book itself.
        var paper: BackupPaper?
    }

    /// The additional papers of a book, as the device lists them.
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

    /// Copies the wanted files of a batch from the device, and returns the error if that ended early. A book comes
    /// before its additional papers.
    private func fetch(_ batch: [Int], _ wanted: [WantedFile]) -> ([FetchedBackupFile], HostError?) {
        var arrivals = batch.filter { !steps[$0].copiesBook }.map { FetchedBackupFile(step: $0) }
        guard !wanted.isEmpty else { return (arrivals, nil) }
        let failure = session.fetch(wanted.map(\.record), in: folder.path) { index, answer in
            let wish = wanted[index]
            let copy = answer.flatMap { file in
                do throws(HostError) {
                    return .success(try BackupCopy(file, in: copies, findings: findings))
                } catch {
                    return .failure(UnfetchedBook(row: ItemRow(item: "", failure: error)))
                }
            }
            arrivals.append(
                FetchedBackupFile(step: wish.step, paper: wish.paper.map { ($0, wish.record) }, answer: copy))
        }
        return (arrivals, failure)
    }

    /// Adds the app's covers to the books that wait for them.
    private func withCovers(_ waiting: [FetchedBackupFile]) throws(HostError) -> [FetchedBackupFile] {
        let paths = waiting.filter { $0.paper == nil }.compactMap {
            steps[$0.step].book.map { books[$0].path }
        }
        guard !paths.isEmpty else { return waiting }
        var covers: [ExactText: [UInt8]]? = [:]
        do throws(HostError) {
            let listed = try session.link.instance.books(withCovers: true, wanted: paths, unread: true)
            for book in listed { covers?[ExactText(book.path)] = book.cover?.data }
        } catch {
            if [.cancelled, .deviceGone].contains(error.code) { throw session.settled(error) }
            session.request.loggers.host.notice("covers of the reader app: \(error)")
            covers = nil
        }
        return waiting.map { arrival in
            var arrival = arrival
            let path = steps[arrival.step].book.map { books[$0].path } ?? ""
            arrival.cover = covers.map { .provided($0[ExactText(path)]) } ?? .refused
            return arrival
        }
    }

    // MARK: settling

    /// Writes the arrived files on another thread, or on this one if no thread can be started.
    private mutating func settleUnsettled() {
        guard !unsettled.isEmpty else { return }
        let (settler, arrivals) = (settler, unsettled)
        unsettled = []
        thread = SystemThread { settler.change { $0.settle(arrivals) } }
        if thread == nil { settler.change { $0.settle(arrivals) } }
    }

    private mutating func waitForThread() throws(HostError) {
        thread?.join()
        thread = nil
        if let problem = settler.change({ $0.problem }) { throw problem }
    }
}

/// The limits of a backup for copies, memory and requests.
struct BackupLimits {
    /// The largest number of books in a batch, and the bytes after which it ends. One batch is written while the next
    /// is fetched.
    var batch = (books: 64, bytes: UInt64(256 << 20))
    /// The largest number of books and bytes of covers in one request to the app. A larger cover is requested alone.
    var covers = (books: 256, bytes: UInt64(64 << 20))
    /// When the copies that wait for covers have this many bytes, the covers are requested.
    var waitingBytes = UInt64(256 << 20)
}
