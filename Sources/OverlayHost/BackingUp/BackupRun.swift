import Libraries
import Platform

/// Carries the plan of a backup out in batches: while one comes from the device, the one before is written down on a thread of
/// its own.
struct BackupRun {
    private let session: HostSession
    private let folder: BackupFolder
    private let books: BookList
    private let steps: [BackupStep]
    private let limits: BackupLimits
    private let settler: Monitor<BackupWriter>
    private let covers: BackupCovers
    /// The thread that settles a batch.
    private var thread: SystemThread?
    /// What came and is not with the settler yet.
    private var unsettled: [FetchedBackupFile] = []
    /// Copies that have not got their places yet.
    private let copies: PullFolder

    init(
        _ session: HostSession, _ request: BackupRequest, _ folder: BackupFolder, _ manifest: BackupManifest,
        books: BookList, steps: [BackupStep], limits: BackupLimits
    ) {
        (self.session, self.folder, self.limits) = (session, folder, limits)
        (self.books, self.steps) = (books, steps)
        settler = Monitor(BackupWriter(session, request, folder, manifest, books: books, steps: steps))
        copies = PullFolder(parent: folder.path)
        covers = BackupCovers(books, steps)
    }

    /// Does everything, and writes the manifest.
    ///
    /// - Parameter isWritten: whether the manifest is on the disk as it was at the beginning.
    /// - Returns: a row for each step that does something, or that finds a copy lost, in the order of the plan.
    mutating func run(isWritten: Bool) -> BatchResult {
        var failure: HostError?
        let places = steps.indices.filter { [.fetch, .update].contains(steps[$0].row.action) }
        do throws(HostError) {
            if !places.isEmpty || !isWritten { try folder.begin() }
            try carryOut(places)
            settler.change { $0.settleOthers() }
        } catch {
            failure = error
        }
        copies.remove()
        // What is done stays known, also where the rest is not.
        let settled = settler.change { $0 }
        if !places.isEmpty || !isWritten || settled.isChanged {
            do throws(HostError) { try folder.finish(settled.manifest, isWhole: failure == nil) } catch {
                failure = failure ?? error
            }
        }
        let rows = places.map { place in
            if let row = settled.rows[place], row.status == .failed || settled.hasAllPapers(place) {
                return row
            }
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

    // MARK: batches

    private mutating func carryOut(_ places: [Int]) throws(HostError) {
        let fetched = places.filter { steps[$0].row.action == .fetch }
        session.link.progress.begin(
            "Copying books", items: UInt64(fetched.count),
            bytes: fetched.reduce(into: UInt64(0)) { $0 &+= steps[$1].row.bytes },
            counting: [.pull, .read])
        do throws(HostError) {
            try carryOutBatches(places)
        } catch {
            settleRest()
            throw error
        }
    }

    private mutating func carryOutBatches(_ places: [Int]) throws(HostError) {
        var (items, bytes) = (UInt64(0), UInt64(0))
        var rest = places[...]
        while !rest.isEmpty {
            try session.request.checkCancellation()
            let batch = next(&rest)
            session.link.progress.goOn(after: items, bytes: bytes)
            let wanted = batch.flatMap { wantedFiles($0) }
            let (arrivals, failure) = fetch(batch, wanted)
            unsettled += covers.readAhead(
                arrivals, withCovers: session.link.target.overlay.abiMinor >= 5)
            // The device is taken as gone also where the thread has a problem of its own.
            let ended = failure.map { session.settled($0) }
            try waitForThread()
            settler.change { $0.expectPapers(of: wanted.filter { $0.paper != nil }.map(\.step)) }
            if let ended { throw ended }
            try askForCovers { [limits] in $0.mayAsk(limits) }
            settleUnsettled()
            for place in batch where steps[place].row.action == .fetch {
                items += 1
                bytes &+= steps[place].row.bytes
            }
        }
        try waitForThread()
        try askForCovers { _ in true }
        settleUnsettled()
        try waitForThread()
    }

    /// Asks the app for the covers of what waits for them, while `isEnough`. Meanwhile the other books are written down.
    private mutating func askForCovers(_ isEnough: (BackupWriter) -> Bool) throws(HostError) {
        var isFirst = true
        while true {
            let waiting = settler.change { isEnough($0) ? $0.takeWaiting(limits) : [] }
            guard !waiting.isEmpty else { return }
            settleUnsettled()
            // What comes to nothing below is still here.
            unsettled = waiting
            // The covers of one request only are held at once.
            if !isFirst { try waitForThread() }
            unsettled = try withCovers(waiting)
            try waitForThread()
            isFirst = false
        }
    }

    /// Keeps every file that came, also where the rest cannot be had. The covers that only the app has stay due.
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

    /// Copies the wanted files of a batch from the device, and tells why that ended early. A book comes before its further
    /// papers.
    private func fetch(_ batch: [Int], _ wanted: [WantedFile]) -> ([FetchedBackupFile], HostError?) {
        var arrivals = batch.filter { !steps[$0].copiesBook }.map { FetchedBackupFile(step: $0) }
        guard !wanted.isEmpty else { return (arrivals, nil) }
        let failure = session.fetch(wanted.map(\.record), in: folder.path) { index, answer in
            let wish = wanted[index]
            let copy = answer.flatMap { file in
                do throws(HostError) { return .success(try BackupCopy(file, in: copies)) } catch {
                    return .failure(UnfetchedBook(row: ItemRow(item: "", failure: error)))
                }
            }
            arrivals.append(
                FetchedBackupFile(step: wish.step, paper: wish.paper.map { ($0, wish.record) }, answer: copy))
        }
        return (arrivals, failure)
    }

    /// The books with the covers that the app has for them.
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
            arrival.cover = covers.map { .told($0[ExactText(path)]) } ?? .refused
            return arrival
        }
    }

    // MARK: settling

    /// Settles what is not settled on another thread; on this one if the system has none left.
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

/// How much a backup copies, holds and asks for at once.
struct BackupLimits {
    /// Most books of one batch, and the bytes after which it ends. What is written down beside the next batch is a batch.
    var batch = (books: 64, bytes: UInt64(256 << 20))
    /// Most books, and most bytes of covers, that the app is asked for at once. A larger cover is asked for alone.
    var covers = (books: 256, bytes: UInt64(64 << 20))
    /// The bytes of copies that wait for covers after which the app is asked.
    var waitingBytes = UInt64(256 << 20)
}
