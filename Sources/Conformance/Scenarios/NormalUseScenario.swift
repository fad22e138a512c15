import DeviceTransport
import OverlayABI
import OverlayBridge
import OverlayHost

/// Normal use of a healthy device: every method, from `create` to `destroy`.
struct NormalUseScenario {
    let trial: Trial

    private typealias Rules = RuleCatalog
    /// A path without a book.
    static let nowhere = "/overlayhost-check/no such book.epub"

    private var bench: CheckEnvironment { trial.bench }
    private var instance: OverlayInstance { trial.instance }
    private var methods: ovl_methods { bench.overlay.methods }

    func run() {
        defer { trial.end(Rules.succeed) }
        guard trial.initialize(.obstacle) else { return }
        checkDetection()
        guard trial.attach(.obstacle) else { return }
        let settings = trial.value("settings") { () throws(HostError) in try instance.settings() }
        let missing = Set((settings?.missing ?? []).map(\.ability))
        let before = list()
        checkListing()
        if !missing.contains("get") { fetch(before) }
        if !missing.contains("upload") { upload(before, missing, settings) }
        perform()
        SourceTrial(trial).run()
        leave()
    }

    // MARK: presence

    private func checkDetection() {
        guard methods.is_usb_connected != nil else { return }
        let ours = bench.fingerprint
        let other = Fingerprint.appleDevice(udid: "0" + (ours.serial ?? "").dropFirst())
        let devices = [other, ours]
        var answers: [Int?] = []
        for _ in 0..<3 {
            let answer = trial.value("is_usb_connected") { () throws(HostError) in
                try instance.isUSBConnected(devices, presenceOnly: false)
            }
            guard let answer else { return }
            answers.append(answer)
        }
        let words = answers.map { $0.map { "\($0)" } ?? "-1" }.joined(separator: ", ")
        trial.expect(
            Set(answers).count == 1, Rules.usbIdempotent,
            "It chose differently from the same devices: "
                + "\(words).")
        _ = trial.value("is_usb_connected") { () throws(HostError) in
            try instance.isUSBConnected([], presenceOnly: true)
        }
    }

    // MARK: listing

    private func list() -> [BookRecord] {
        guard methods.books != nil else { return [] }
        return trial.value("books") { () throws(HostError) in Array(try instance.books()) } ?? []
    }

    private func checkListing() {
        guard methods.books != nil else { return }
        let listed = trial.value("books") { () throws(HostError) in try instance.books() }
        let plain = listed ?? BookList()
        let withCover = plain.first { $0.cover?.data != nil }
        trial.expect(
            withCover == nil, Rules.coversAsked,
            "The book \(withCover?.path ?? "") came with a cover that was not requested.")
        let annotated = plain.first { !$0.annotations.isEmpty }
        trial.expect(
            annotated == nil, Rules.annotationsAsked,
            "The book \(annotated?.path ?? "") came with annotations that were not requested.")
        if let listed { checkExtra(listed) }
        let complete = trial.value("books with covers and annotations") { () throws(HostError) in
            try instance.books(withCovers: true, withAnnotations: true)
        }
        if let complete { checkExtra(complete) }
        checkCollections(listed)
        let card = trial.attempt("books of a card") { () throws(HostError) in
            try instance.books(volume: OVL_VOLUME_CARD_A)
        }
        if case .success(let books)? = card {
            trial.expect(books.isEmpty, Rules.cardEmpty, "Card A has \(books.count) books.")
        }
    }

    private func checkExtra(_ books: BookList) {
        trial.tries(Rules.extraValues)
        for book in books {
            guard let extra = book.extra, let fault = ExtraValues(extra).faults.first else { continue }
            trial.expect(false, Rules.extraValues, "extra of \(book.path): \(fault)")
        }
    }

    /// - Parameter books: the books in the app; nil if they could not be listed.
    private func checkCollections(_ books: BookList?) {
        let answer = trial.value("collections") { () throws(HostError) in try instance.collections() }
        guard let collections = answer ?? nil, let books else { return }
        trial.tries(Rules.collectionBooks)
        for collection in collections {
            for path in collection.books where books.position(ofPath: path) == nil {
                trial.expect(
                    false, Rules.collectionBooks,
                    "The collection \(collection.name) contains \(path), which books does not list.")
            }
        }
    }

    // MARK: fetching

    private func fetch(_ books: [BookRecord]) {
        let paths = books.prefix(2).map(\.path)
        if methods.get_file != nil {
            for path in paths {
                _ = trial.value("get_file") { () throws(HostError) in try instance.getFile(path) { _ in } }
            }
            let outcome = trial.attempt("get_file of no book") { () throws(HostError) in
                try instance.getFile(Self.nowhere) { _ in }
            }
            trial.tries(Rules.unknownPath)
            if case .success? = outcome {
                trial.expect(false, Rules.unknownPath, "get_file succeeded for \(Self.nowhere).")
            }
        }
        guard methods.prepare_addable_books != nil else { return }
        if let rows = trial.attemptRows("prepare_addable_books", { instance.prepareAddableBooks(paths) }) {
            expectRows(rows, "prepare_addable_books")
            instance.discardFetched()
        }
        let unknown = trial.attemptRows("prepare_addable_books of no book") {
            instance.prepareAddableBooks([Self.nowhere])
        }
        trial.expect(
            unknown?.rows.first??.outcome != .fetched, Rules.unknownPath,
            "prepare_addable_books fetched \(Self.nowhere).")
        instance.discardFetched()
    }

    /// Reports rows that failed.
    private func expectRows(_ rows: OverlayRows, _ what: String) {
        if let failure = rows.failure {
            if !failure.code.isInability { trial.expect(false, Rules.succeed, "\(what) failed: \(failure)") }
            return
        }
        for (index, row) in rows.rows.enumerated() {
            guard let row, row.outcome == .failed, row.code?.isInability != true else { continue }
            trial.expect(
                false, Rules.succeed, "\(what): item \(index) failed: \(row.message ?? "without a reason")")
        }
    }

    // MARK: adding, changing, deleting

    private func upload(_ before: [BookRecord], _ missing: Set<String>, _ settings: AppAbilities?) {
        guard methods.upload_books != nil else { return }
        let inputs = bench.books
        guard
            let rows = trial.attemptRows(
                "upload_books",
                {
                    instance.uploadBooks(inputs, conflict: OVL_CONFLICT_PROTECT, collections: [])
                })
        else { return }
        expectRows(rows, "upload_books")
        let added = zip(inputs, rows.rows).compactMap { input, row -> BookRecord? in
            guard let row, row.outcome == .added, let path = row.path else { return nil }
            var book = input.book
            book.path = path
            return book
        }
        guard !added.isEmpty else { return }
        let after = list()
        for book in added where methods.books != nil {
            trial.expect(
                after.contains { $0.path == book.path }, Rules.uploadListed,
                "\(book.path) was added, but books does not list it.")
        }
        uploadAgain(inputs)
        addToMetadata(added, before)
        var paths = added.map(\.path)
        if !missing.contains("update"), !after.isEmpty { sync(after, &paths, settings) }
        if !missing.contains("delete") { delete(paths) }
    }

    private func uploadAgain(_ inputs: [UploadInput]) {
        let again = trial.attemptRows("upload_books of books that are there") {
            instance.uploadBooks(inputs, conflict: OVL_CONFLICT_PROTECT, collections: [])
        }
        if let again, again.failure == nil { trial.tries(Rules.uploadProtect) }
        for (input, row) in zip(inputs, again?.rows ?? []) {
            guard let row, row.outcome == .updated || row.outcome == .replaced else { continue }
            trial.expect(
                false, Rules.uploadProtect,
                "\(input.name) was \(row.outcome.rawValue) although it was "
                    + "already there."
            )
        }
    }

    private func addToMetadata(_ added: [BookRecord], _ before: [BookRecord]) {
        guard methods.add_books_to_metadata != nil else { return }
        let edits = trial.value("add_books_to_metadata") { () throws(HostError) in
            try instance.addBooksToMetadata(added, snapshot: before)
        }
        guard let edits else { return }
        let now = Set(before.applying(edits).map(\.path))
        for book in added {
            trial.expect(
                now.contains(book.path), Rules.metadataAdded, "The list does not contain \(book.path).")
        }
        for book in before {
            trial.expect(
                now.contains(book.path), Rules.metadataAdded, "The list no longer contains \(book.path).")
        }
    }

    private func sync(_ books: [BookRecord], _ paths: inout [String], _ settings: AppAbilities?) {
        guard methods.sync_booklists != nil else { return }
        if let rows = trial.attemptRows(
            "sync_booklists of the list as it is", { instance.syncBooklists(books) })
        {
            expectRows(rows, "sync_booklists")
            if rows.failure == nil { trial.tries(Rules.syncDiffering) }
            for (book, row) in zip(books, rows.rows) where row?.outcome == .updated {
                trial.expect(
                    false, Rules.syncDiffering, "\(book.path) was updated, although nothing differs.")
            }
        }
        let settable = settings?.settableMetadata ?? bench.overlay.descriptor.settableMetadata
        guard let index = books.firstIndex(where: { paths.contains($0.path) }),
            let changed = books[index].changed(settable)
        else { return }
        let rows = trial.attemptRows("sync_booklists") { instance.syncBooklists([changed]) }
        guard let rows else { return }
        expectRows(rows, "sync_booklists")
        if let row = rows.rows.first ?? nil {
            if let path = row.path { paths = paths.map { $0 == changed.path ? path : $0 } }
        } else if rows.failure == nil {
            trial.expect(false, Rules.syncDiffering, "\(changed.path) differs, and has no row.")
        }
        guard methods.books != nil else { return }
        let now = Set(list().map(\.path))
        for book in books where book.path != changed.path {
            trial.expect(now.contains(book.path), Rules.syncOthers, "\(book.path) is gone.")
        }
    }

    private func delete(_ paths: [String]) {
        guard methods.delete_books != nil else { return }
        let books = list()
        guard let rows = trial.attemptRows("delete_books", { instance.deleteBooks(paths) }) else { return }
        expectRows(rows, "delete_books")
        let gone = zip(paths, rows.rows).filter { $1?.outcome == .deleted }.map(\.0)
        if methods.books != nil {
            let now = Set(list().map(\.path))
            for path in gone {
                trial.expect(
                    !now.contains(path), Rules.deleteGone, "\(path) was deleted, but books still lists it.")
            }
        }
        removeFromMetadata(gone, books)
    }

    private func removeFromMetadata(_ paths: [String], _ books: [BookRecord]) {
        guard methods.remove_books_from_metadata != nil else { return }
        let edits = trial.value("remove_books_from_metadata") { () throws(HostError) in
            try instance.removeBooksFromMetadata(paths, snapshot: books)
        }
        if let edits {
            let now = books.applying(edits).map(\.path)
            let kept = books.map(\.path).filter { !paths.contains($0) }
            trial.expect(
                now == kept, Rules.metadataRemoved,
                "\(paths.count) of \(books.count) books were deleted, but \(now.count) remain in the list.")
        }
        _ = trial.value("remove_books_from_metadata of no book", Rules.metadataUnknown) {
            () throws(HostError) in
            try instance.removeBooksFromMetadata([Self.nowhere], snapshot: books)
        }
    }

    // MARK: the rest

    private func perform() {
        guard methods.perform != nil else { return }
        let outcome = trial.attempt("perform") { () throws(HostError) in
            try instance.perform("overlayhost-check-nothing")
        }
        switch outcome {
        case .success?:
            trial.expect(false, Rules.performUnknown, "It performed a command that does not exist.")
        case .failure(let error)?:
            trial.expect(
                error.code == .notSupported, Rules.performUnknown, "It failed with \(error.code): \(error)")
        case nil: return
        }
    }

    /// Ejects the device and attaches it again.
    private func leave() {
        let ejected: Void? = trial.value("eject") { () throws(HostError) in try instance.call(.eject) }
        guard ejected != nil else { return }
        trial.cleanUp()
        guard trial.goesOn, trial.attach(.breach(Rules.succeed)) else { return }
        _ = list()
    }
}

extension BookRecord {
    /// The book with one settable field changed; nil if none of the tried fields can be set.
    func changed(_ settable: [String]) -> BookRecord? {
        var book = self
        if settable.contains("title") {
            book.title = (book.title ?? "A Book") + " Revised"
        } else if settable.contains("authors") {
            book.authors = ["Another Author"]
        } else if settable.contains("tags") {
            book.tags = ["checked"]
        } else if settable.contains("rating") {
            book.rating = book.rating == 4 ? 3 : 4
        } else if settable.contains("description") {
            book.description = "Checked."
        } else if settable.contains("series") {
            (book.series, book.seriesIndex) = ("Checked", 1)
        } else {
            return nil
        }
        return book
    }
}
