import Glibc
import Libraries
import Platform

/// Carries out a plan in batches. The state is saved before each batch, so that the run after an interruption
/// recognizes the books that this run sent.
struct SyncRun {
    private let session: HostSession
    private let reader: SourceReader
    private let store: SyncStateStore
    private let request: SyncRequest
    private let policy: SyncPolicy
    /// Why books are not removed; nil if they are.
    private let refusal: HostError?
    private var books: [SourceBook]
    private var steps: [SyncStep]
    /// The planned rows of the steps whose rows this run has changed.
    private var planned: [Int: SyncPlanRow] = [:]
    /// The list of books on which the plan is based.
    private var device: BookList
    private var state: SyncState
    /// Whether the state has to be saved.
    private var isUnsaved: Bool
    /// The results of the steps, in their order.
    private var rows: [ItemRow?]
    /// The current paths of the books whose steps are complete.
    private var done: [String?]
    private var failure: HostError?
    /// The records of copies that this run has left behind.
    private var leftBehind: Set<ExactText> = []
    /// The steps of new books that the app took for copies that another step is about to replace or change.
    private var postponed: Set<Int> = []
    /// The steps of books that the app already had from an interrupted run, and whose metadata must still be updated.
    private var unfinished: [Int] = []

    init(
        _ session: HostSession, _ reader: SourceReader, _ store: SyncStateStore, _ request: SyncRequest,
        _ policy: SyncPolicy, books: [SourceBook], steps: [SyncStep], _ refusal: HostError?,
        state: SyncState, isUnsaved: Bool, device: BookList
    ) {
        (self.session, self.reader, self.store, self.request) = (session, reader, store, request)
        (self.policy, self.books, self.steps, self.state) = (policy, books, steps, state)
        (rows, done) = (Array(repeating: nil, count: steps.count), Array(repeating: nil, count: steps.count))
        if state.isMoved, policy.deletes, refusal == nil {
            self.state.isMoved = false
        }
        self.isUnsaved =
            isUnsaved || self.state.isMoved != state.isMoved || state.kind != reader.place.kind
            || state.former != nil
        self.state.kind = reader.place.kind
        (self.device, self.refusal) = (device, refusal)
    }

    /// Carries out all steps and saves the new state.
    ///
    /// - Parameter present: the keys of all books in the source.
    /// - Returns: a row for each step that changes something, in the order of the plan.
    mutating func run(_ present: Set<ExactText>) -> BatchResult {
        if state.settleKept(&steps) { isUnsaved = true }
        for place in steps.indices where steps[place].source.map({ books[$0].problem != nil }) == true {
            if let error = steps[place].source.flatMap({ books[$0].problem }) {
                rows[place] = ItemRow(item: item(place), failure: error)
            }
        }
        do throws(HostError) {
            try send()
            try update(unfinished)
            try batches(.update) { (run, places) throws(HostError) in try run.update(places) }
            // What was taken for these books has been replaced or changed since.
            if !postponed.isEmpty {
                postponed = []
                try send()
            }
            try remove()
            try agree(present)
        } catch {
            failure = error
            // Record what was done, even if the connection fails.
            do throws(HostError) { try save() } catch { failure = failure ?? error }
        }
        return BatchResult(rows: finishedRows(), failure: failure)
    }

    /// Sends new and changed books. A device that is full does not prevent updates and removals.
    private mutating func send() throws(HostError) {
        do throws(HostError) {
            try batches(.add) { (run, places) throws(HostError) in try run.send(places, .protect) }
            try batches(.replace) { (run, places) throws(HostError) in try run.send(places, .replace) }
        } catch {
            guard error.code == .noSpace else { throw error }
            failure = error
        }
    }

    /// The rows as they were planned, in order. They come from the steps, because a second list of a large library
    /// would need 10 MB while books are sent.
    var plan: [SyncPlanRow] { steps.indices.map { planned[$0] ?? steps[$0].row } }

    /// Changes what a step does, and keeps its planned row.
    private mutating func change(_ place: Int, to action: SyncAction, _ path: String?) {
        if planned[place] == nil { planned[place] = steps[place].row }
        (steps[place].row.action, steps[place].row.path) = (action, path)
    }

    private func item(_ place: Int) -> String { steps[place].row.item ?? steps[place].row.path ?? "" }

    private mutating func save() throws(HostError) {
        guard isUnsaved else { return }
        try store.save(state)
        isUnsaved = false
    }

    /// Sets the record of a book; nil to remove it.
    private mutating func agree(_ key: String, _ record: SyncRecord?) {
        if state.agree(key, record) { isUnsaved = true }
    }

    // MARK: batches

    private func places(_ action: SyncAction) -> [Int] {
        steps.indices.filter { steps[$0].row.action == action && rows[$0] == nil }
    }

    private mutating func batches(
        _ action: SyncAction, _ carryOut: (inout SyncRun, [Int]) throws(HostError) -> Void
    ) throws(HostError) {
        var rest = places(action)[...]
        while !rest.isEmpty {
            try session.request.checkCancellation()
            let batch = try next(&rest, action)
            guard !batch.isEmpty else { continue }
            for place in batch { note(place) }
            try save()
            try carryOut(&self, batch)
        }
    }

    /// Takes the steps of the next batch. Books for which the device has no room get a row that says so.
    private mutating func next(
        _ rest: inout ArraySlice<Int>, _ action: SyncAction
    ) throws(HostError) -> [Int] {
        var batch: [Int] = []
        var room = [.add, .replace].contains(action) ? try RoomForBooks(session) : nil
        var limit = BatchLimit(action, total: steps.count)
        while let place = rest.first, !limit.isReached {
            rest.removeFirst()
            if let error = room?.take(steps[place].row.bytes) {
                rows[place] = ItemRow(item: item(place), failure: error)
                failure = failure ?? error
                continue
            }
            limit.add(
                steps[place].row.bytes, cover: steps[place].source.flatMap { books[$0].entry.cover?.file })
            batch.append(place)
        }
        return batch
    }

    /// Records that a book is about to be sent or changed.
    private mutating func note(_ place: Int) {
        let step = steps[place]
        guard var record = step.row.action == .add ? step.after : step.before ?? step.after else { return }
        if let before = step.before, !before.key.utf8.elementsEqual(record.key.utf8) {
            agree(before.key, nil)
        }
        if step.row.action == .add {
            let book = step.source.flatMap { books[$0].book }
            record.identity = Book(uuid: book?.uuid, title: book?.title, authors: book?.authors)
            record.cover = nil
        }
        // The decision for one side is valid only for this run. Until the step is complete, the next run must find
        // the same conflict.
        record.isPending = !step.decidesConflict
        agree(record.key, record)
    }

    private mutating func take(_ result: BatchResult, _ places: [Int]) throws(HostError) {
        for (place, row) in zip(places, result.rows) {
            var row = row
            row.item = item(place)
            rows[place] = row
        }
        if let failure = result.failure { throw failure }
    }

    private mutating func send(_ places: [Int], _ conflict: UploadRequest.Conflict) throws(HostError) {
        var options = reader.uploadOptions()
        options.onConflict = conflict
        var files: [String] = []
        for place in places {
            guard let book = steps[place].source.map({ books[$0] }) else { continue }
            files.append(book.entry.file)
            var description = SourceReader.description(of: book.entry)
            if steps[place].row.action == .replace,
                let path = steps[place].row.path ?? steps[place].before?.path
            {
                // Replace the book at the path in the plan, even if the new file has another uuid.
                if description == nil { description = LibraryDescription(book: Book(), usesSidecar: true) }
                description?.replacedPath = path
                if let uuid = device.position(ofPath: path).flatMap({ device[$0].uuid }) {
                    description?.book.uuid = uuid
                }
            }
            options.descriptions.append(description)
        }
        let result = session.upload(files, options)
        let isWhole = result.failure == nil && !session.request.cancellation.isCancelled
        for (place, row) in zip(places, result.rows) { settleSent(place, row, isWhole: isWhole) }
        try take(result, places)
        // These books now have steps that replace them, or are sent again later.
        if conflict == .protect {
            for place in places where steps[place].row.action == .replace || postponed.contains(place) {
                rows[place] = nil
            }
        }
    }

    /// - Parameter isWhole: whether the upload ended normally.
    private mutating func settleSent(_ place: Int, _ row: ItemRow, isWhole: Bool) {
        let step = steps[place]
        if step.row.action == .add, row.status == .skipped, let path = row.path, isToChange(path) {
            postponed.insert(place)
            if let key = step.after?.key { agree(key, nil) }
            if let before = step.before { agree(before.key, before) }
            return
        }
        switch row.status {
        case .added, .updated, .replaced,
            .skipped where row.path != nil || step.row.path != nil:
            done[place] = row.path ?? step.row.path
        default:
            // Remove the record of a book that was not sent, but keep it if the result is unknown.
            guard row.status == .skipped || row.code.map(Self.isFinal) == true, let key = step.after?.key
            else { return }
            agree(key, nil)
            if let before = step.before { agree(before.key, before) }
            return
        }
        guard var record = step.after else { return }
        let isOwn = isOwn(place, row)
        if step.row.action == .replace, let before = step.before, before.isOwned, let path = row.path,
            let former = step.row.path, ExactText(path) != ExactText(former),
            device.position(ofPath: path) != nil
        {
            // The copy that should have been replaced remains. It came from this source.
            let left = before.ofFormerCopy(at: former)
            agree(left.key, left)
            leftBehind.insert(ExactText(left.key))
        }
        // A book that the overlay found on the device did not come from this source. The overlay may have found a
        // different book than the plan did.
        let isFound = row.path.map { path in
            device.position(ofPath: path) != nil && step.row.path.map { ExactText($0) } != ExactText(path)
        }
        if !isOwn, isFound == true || (step.row.action == .add && row.status == .skipped) {
            record.isOwned = false
        }
        record.path = row.path ?? step.row.path
        record.copy = nil
        if row.status == .skipped {
            if step.row.action == .add, isOwn {
                // Send the same file again, which keeps its place, so that the app gets the metadata that it stores
                // with a file.
                steps[place].after = record
                doubt(&record, step.before)
                steps[place].before = record
                change(place, to: .replace, record.path)
            } else if step.row.action == .replace, finish(place, record) {
                doubt(&record, step.before)
            }
        } else if !isWhole || row.message != nil {
            // The file is on the device. The next run checks whether the app also has the metadata.
            let cover = record.cover
            doubt(&record, step.before)
            if isWhole { record.cover = cover }
        } else {
            // Share the values of equal records.
            steps[place].after = record
            if let source = step.source { books[source].releaseMetadata() }
        }
        agree(record.key, record)
    }

    /// Whether a step that is not done yet replaces or changes the book at a path.
    private func isToChange(_ path: String) -> Bool {
        steps.indices.contains { place in
            rows[place] == nil && [.replace, .update].contains(steps[place].row.action)
                && steps[place].row.path.map { ExactText($0) } == ExactText(path)
        }
    }

    /// Whether a book that was to be added is already there because an earlier run sent it from this source.
    private func isOwn(_ place: Int, _ row: ItemRow) -> Bool {
        let step = steps[place]
        guard let before = step.before, before.isPending, before.isOwned, let path = row.path,
            let now = device.position(ofPath: path).map({ device[$0] })
        else { return false }
        return now.size == step.source.map { books[$0].entry.size }
    }

    /// Marks a record as pending: the book has its content, but its other values may be missing.
    private func doubt(_ record: inout SyncRecord, _ before: SyncRecord?) {
        record.isPending = true
        record.metadata = before?.metadata ?? record.metadata
        record.cover = before?.cover
    }

    /// Plans the metadata changes of a book whose content the app already had; false if there are none.
    private mutating func finish(_ place: Int, _ record: SyncRecord) -> Bool {
        guard let book = steps[place].source.map({ books[$0] }), let described = book.book,
            let now = record.path.flatMap({ device.position(ofPath: $0) }).map({ device[$0].book })
        else { return false }
        let changes = policy.changes(to: now, for: described, since: steps[place].before)
        let changesCover =
            policy.setsCovers && book.entry.cover != nil
            && book.entry.cover?.stamp != steps[place].before?.cover
        guard changes != nil || changesCover else { return false }
        change(place, to: steps[place].row.action, record.path)
        (steps[place].changes, steps[place].changesCover) = (changes, changesCover)
        steps[place].after = record
        unfinished.append(place)
        return true
    }

    /// Whether an error means that the book was not changed.
    private static func isFinal(_ code: HostError.Code) -> Bool {
        [.needsConsent, .unsupportedFormat, .inputUnreadable, .noSpace, .notSupported, .invalidArgument]
            .contains(code)
    }

    private mutating func update(_ places: [Int]) throws(HostError) {
        guard !places.isEmpty else { return }
        var changes: [(path: String, changes: BookChanges)] = []
        var remarks: [Int: String] = [:]
        for place in places {
            var wanted = steps[place].changes ?? BookChanges()
            if steps[place].changesCover,
                let file = steps[place].source.flatMap({ books[$0].entry.cover?.file })
            {
                do throws(HostError) {
                    wanted.cover = try Sidecar.image(at: file) { size in
                        size > KnownMetadata.largestCover
                            ? "It is larger than \(ByteCount.text(KnownMetadata.largestCover))." : nil
                    }
                } catch {
                    remarks[place] = "The cover was left out: \(error.message)"
                }
            }
            changes.append((steps[place].row.path ?? "", wanted))
        }
        var result = session.update(each: changes)
        for index in result.rows.indices {
            let (place, row) = (places[index], result.rows[index])
            if let remark = remarks[place] { result.rows[index].remarks.append(remark) }
            guard row.status == .updated || row.status == .skipped, var record = steps[place].after else {
                continue
            }
            done[place] = row.path ?? steps[place].row.path
            record.path = row.path ?? steps[place].row.path
            record.copy = nil
            agree(record.key, record)
        }
        try take(result, places)
    }

    private mutating func remove() throws(HostError) {
        let removals = places(.remove)
        guard !removals.isEmpty else { return }
        if let refusal {
            for place in removals { rows[place] = row(place, refusal) }
            return
        }
        let places = request.mayLoseMarks ? removals : try withoutMarks(removals)
        var rest = places[...]
        while !rest.isEmpty {
            try session.request.checkCancellation()
            let batch = try next(&rest, .remove)
            let result = session.delete(batch.compactMap { steps[$0].row.path })
            for (place, row) in zip(batch, result.rows) where row.status == .deleted {
                if let key = steps[place].before?.key { agree(key, nil) }
            }
            try take(result, batch)
            try save()
        }
    }

    /// The books that are known to have no annotations of the user. The others get rows that describe the loss.
    private mutating func withoutMarks(_ places: [Int]) throws(HostError) -> [Int] {
        let losses = try AnnotationLosses(of: session)
        return places.filter { place in
            let step = steps[place]
            guard let path = step.row.path,
                let loss = losses.sentence(for: path, sent: step.before?.contentID, isRemoved: true)
            else { return true }
            rows[place] = row(
                place,
                HostError(.needsConsent, loss, hint: "Use --yes to remove it anyway.", hintCode: .consent))
            return false
        }
    }

    /// Updates the records of sent and changed books from the device's list.
    private mutating func agree(_ present: Set<ExactText>) throws(HostError) {
        for place in steps.indices {
            guard let twin = steps[place].twin, let path = done[twin], var record = steps[place].after else {
                continue
            }
            record.path = path
            agree(record.key, record)
        }
        let count = state.records.count
        state.forget(otherThan: steps, present: present.union(leftBehind))
        if state.records.count != count { isUnsaved = true }
        // Save first, because the listing may fail.
        try save()
        let open = state.records.compactMap { $1.copy == nil && $1.path != nil ? $0 : nil }
        guard !open.isEmpty else { return }
        let now = try listing(of: open.compactMap { state.records[$0]?.path })
        for key in open {
            guard let record = state.records[key], let path = record.path,
                let place = now.position(ofPath: path)
            else { continue }
            state.records[key]?.copy = DeviceCopy(
                now.book(at: place), content: record.contentID, digest: now.digest(at: place))
            isUnsaved = true
        }
        try save()
    }

    /// Lists some books on the device, or all if a partial list saves nothing. Discards the plan, which must be
    /// complete.
    private mutating func listing(of paths: [String]) throws(HostError) -> BookList {
        let isPart = paths.count < device.count / 2
        // Release the memory of the lists before the new one is read.
        (books, device) = ([], BookList())
        for place in steps.indices { (steps[place].before, steps[place].after) = (nil, nil) }
        // An overlay of an earlier minor version would list all books anyway.
        guard session.link.target.overlay.abiMinor >= 5, isPart else { return try session.books() }
        do throws(HostError) {
            return try session.link.instance.books(withCovers: false, wanted: paths)
        } catch {
            throw session.settled(error)
        }
    }

    private func finishedRows() -> [ItemRow] {
        steps.indices.compactMap { place in
            if let row = rows[place] { return row }
            switch steps[place].row.action {
            case .keep where steps[place].row.fails: return heldBack(place)
            case .keep, .onlyOnDevice, .unsupported: return nil
            case .conflict:
                return ItemRow(
                    item: item(place), path: steps[place].row.path, status: .skipped,
                    message: steps[place].row.reason)
            case .add, .update, .replace, .remove:
                let error = failure ?? HostError(.failed, "No result was reported for this book.")
                return HostSession.unreported(
                    item(place), error, again: "Run the same command again to finish.")
            }
        }
    }

    /// The row of a book that may be gone from the source, or behind a symbolic link, and is therefore not removed.
    private func heldBack(_ place: Int) -> ItemRow {
        row(
            place,
            HostError(
                .inputUnreadable, steps[place].row.reason ?? "The book cannot be synced.",
                hint: "Put the files in the place of the link, or remove it."))
    }

    /// The row of a book about which nothing was done because of an error.
    private func row(_ place: Int, _ error: HostError) -> ItemRow {
        var row = ItemRow(item: item(place), failure: error)
        row.path = steps[place].row.path
        return row
    }
}
