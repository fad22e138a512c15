import DeviceTransport
import Formats
import OverlayABI
import Platform

extension HostSession {
    /// Adds local files to the reader app. Returns one row for each file, in their order.
    ///
    /// Files are checked first: each must be readable, of a supported format, and different from earlier ones, and
    /// all together must fit into the free space. Repeating a command does not send a book twice.
    ///
    /// The reader app gets the metadata in each file. Metadata in a sidecar beside the file (`BOOK.opf`, or calibre's
    /// `metadata.opf`) takes precedence, as do the columns of a calibre library that `cc_mappings` names.
    ///
    /// A book is identified by its UUID in the options, in the sidecar, in the name of the file, or in the file, in
    /// this order, or otherwise by its content.
    public func upload(_ files: [String], _ options: UploadRequest = UploadRequest()) -> BatchResult {
        var options = options
        var rows = [ItemRow?](repeating: nil, count: files.count)
        let known: KnownMetadata
        do throws(HostError) {
            try require("upload")
            try options.checkUUIDs(of: files)
            known = try KnownMetadata(self, options)
        } catch {
            let failure = settled(error)
            return BatchResult(rows: files.map { ItemRow(item: $0, failure: failure) }, failure: failure)
        }
        var (checked, twins) = check(files, options, known, request.cancellation, &rows)
        let pending = checked.map(\.place)
        /// Returns all rows, including those of files with the same content as another file.
        func settledRows() -> [ItemRow] {
            for twin in twins {
                rows[twin.place] = Self.row(files[twin.place], like: rows[twin.first], files[twin.first])
            }
            return rows.compactMap { $0 }
        }
        do throws(HostError) {
            try request.checkCancellation()
            guard !checked.isEmpty else { return BatchResult(rows: settledRows()) }
            let conflict = try conflict(options)
            try checkSpace(checked.lazy.map(\.book), conflict, request.cancellation)
            guard !options.isDryRun else {
                let expected = try UploadPreview(self, conflict, options).rows(checked.map(\.book))
                for (checked, row) in zip(checked, expected) { rows[checked.place] = row }
                return BatchResult(rows: settledRows())
            }
            let unkept = options.collections.isEmpty ? nil : known.settings.unkeptCollections(app.name)
            let warnings = checked.map { $0.book.warnings }
            let misnamed = checked.map { $0.book.misnamed }
            func itemRow(_ index: Int, _ row: OverlayRow) -> ItemRow {
                ItemRow(files[pending[index]], row)
                    .with(warnings: warnings[index], misnamed: misnamed[index], unkept: unkept)
            }
            let inputs = checked.map { uploadInput($0.book) }
            // Release the books, which are now in `inputs`.
            checked = []
            let answer = send(inputs, conflict, options) { [request] index, row in
                request.reported?(pending[index], itemRow(index, row))
            }
            for (index, row) in answer.rows.enumerated() {
                rows[pending[index]] = row.map { itemRow(index, $0) }
            }
            if let failure = answer.failure { throw failure }
            return BatchResult(rows: settledRows())
        } catch {
            let failure = settled(error)
            for place in pending where rows[place] == nil {
                rows[place] = Self.unreported(
                    files[place], failure,
                    again: "Run the same command again; books already on the device are not sent again.")
            }
            return BatchResult(rows: settledRows(), failure: failure)
        }
    }

    /// The row of a file with the same content as an earlier one. If the earlier file failed, this one fails too.
    private static func row(_ file: String, like first: ItemRow?, _ other: String) -> ItemRow {
        guard var row = first, row.status == .failed else {
            let message =
                file == other ? "This file was given twice." : "This file has the same content as \(other)."
            return ItemRow(item: file, status: .skipped, message: message)
        }
        row.item = file
        row.message = "This file has the same content as \(other), which failed. " + (row.message ?? "")
        return row
    }

    /// Returns the usable files with their positions, and the files with the same content as an earlier one. Sets the
    /// rows of all other files.
    private func check(
        _ files: [String], _ options: UploadRequest, _ known: KnownMetadata, _ cancellation: Cancellation,
        _ rows: inout [ItemRow?]
    ) -> (fit: [(place: Int, book: LocalBook)], twins: [(place: Int, first: Int)]) {
        link.progress.begin("Checking files", items: UInt64(files.count))
        var fit: [(place: Int, book: LocalBook)] = []
        var twins: [(place: Int, first: Int)] = []
        var seen: [String: Int] = [:]
        let accepted = acceptedFormats(known.settings)
        let digests = PrecomputedDigests(of: files, cancellation)
        for (place, file) in files.enumerated() {
            do throws(HostError) {
                let book = try LocalBook(
                    file, accepted, cancellation: cancellation, known: known,
                    uuid: options.uuids.isEmpty ? nil : options.uuids[place],
                    library: options.descriptions.isEmpty ? nil : options.descriptions[place]
                ) { digests.contentID(at: place, of: $0) }
                if book.replacedPath != nil, let problem = book.replacementProblem { throw problem }
                if let first = seen[book.contentID] {
                    twins.append((place, first))
                    continue
                }
                seen[book.contentID] = place
                fit.append((place, book))
            } catch {
                digests.skip(place)
                let row = ItemRow(item: file, failure: error)
                rows[place] = row
                request.reported?(place, row)
            }
            link.progress.items(UInt64(place + 1), of: UInt64(files.count), phase: nil)
        }
        return (fit, twins)
    }

    /// The requested behaviour, or otherwise that of the reader app's preferences: protect takes precedence over
    /// update, and update over replace.
    private func conflict(_ options: UploadRequest) throws(HostError) -> UInt32 {
        let words: [UploadRequest.Conflict: UInt32] = [
            .protect: OVL_CONFLICT_PROTECT, .update: OVL_CONFLICT_UPDATE, .replace: OVL_CONFLICT_REPLACE,
        ]
        if let asked = options.onConflict { return words[asked] ?? OVL_CONFLICT_PROTECT }
        let values = try request.preferences.read().with(request.overlays.schema(using: overlay))
        for word in UploadRequest.Conflict.allCases {
            let key = "\(overlay.appName.lowercased())_\(word.rawValue)_rb"
            if values.schema[key] != nil, try values.bool(key) { return words[word] ?? OVL_CONFLICT_PROTECT }
        }
        return OVL_CONFLICT_PROTECT
    }

    /// Throws an error if the books do not fit. Books that are already on the device need no space.
    private func checkSpace(
        _ books: some Collection<LocalBook>, _ conflict: UInt32, _ cancellation: Cancellation
    ) throws(HostError) {
        let context = OperationContext(cancellation: cancellation)
        let space = try link.roots.space(context)
        func sum(_ books: some Collection<LocalBook>) -> UInt64 {
            books.reduce(0) { $0 &+ $1.identity.size }
        }
        var needed = sum(books)
        guard needed > space.free else { return }
        if target.overlay.methods.books != nil {
            let present = PresentBooks(try self.books())
            needed = sum(books.filter { !present.spares($0, protecting: conflict == OVL_CONFLICT_PROTECT) })
        }
        guard needed > space.free else { return }
        throw HostError(
            .noSpace,
            "The books need \(ByteCount.text(needed)), but the device has only "
                + "\(ByteCount.text(space.free)) free.",
            subject: device.name ?? device.udid,
            hint: "Free some space on the device, or add fewer books at a time.")
    }

    /// A book as the overlay gets it.
    private func uploadInput(_ book: LocalBook) -> UploadInput {
        var record = book.description ?? BookRecord(path: "")
        // Overlays of earlier minor versions expect the content identifier as the uuid.
        record.uuid = target.overlay.abiMinor < 4 ? book.contentID : book.uuid
        record.contentID = book.contentID
        record.path = book.replacedPath ?? ""
        record.size = book.identity.size
        // An overlay replaces no book by a file that is not of the format that its name claims.
        let named = FileFormat.mediaType(of: LocalBook.fileExtension(of: book.name))
        record.format =
            book.format?.mediaType.string ?? (book.mismatch == nil ? named : MediaType.binary.string)
        return UploadInput(path: book.path, name: book.name, identity: book.identity, book: record)
    }

    private func send(
        _ inputs: [UploadInput], _ conflict: UInt32, _ options: UploadRequest,
        reported: @escaping (Int, OverlayRow) -> Void
    ) -> OverlayRows {
        link.progress.begin(
            "Adding books", items: UInt64(inputs.count), bytes: inputs.reduce(0) { $0 &+ $1.identity.size },
            counting: .push)
        forgetBooks()
        return link.instance.uploadBooks(
            inputs, conflict: conflict, collections: options.collections, mayLoseMarks: options.mayLoseMarks,
            reported: reported)
    }

    private var target: ReaderTarget { link.target }
}

extension ItemRow {
    /// Creates the row of an item as reported by the overlay.
    init(_ item: String, _ row: OverlayRow) {
        self.init(
            item: item, path: row.path, status: row.outcome, message: row.message, hint: row.hint,
            hintCode: row.hintCode, code: row.code, native: row.native)
    }

    /// The row of a book that is now on the device, with remarks for the user.
    ///
    /// - Parameters:
    ///   - warnings: the remarks about the file.
    ///   - misnamed: the remark about a file whose name has another format than its content.
    ///   - unkept: the message about requested collections; nil if the overlay reports this itself.
    fileprivate func with(warnings: [String], misnamed: String?, unkept: String?) -> ItemRow {
        guard [.added, .updated, .replaced].contains(status) else { return self }
        // An update may have kept the earlier file.
        let remarks = [unkept, status == .updated ? nil : misnamed].compactMap { $0 } + warnings
        guard !remarks.isEmpty else { return self }
        var row = self
        row.remarks += remarks
        return row
    }
}

/// The books of a reader app, used to find files that need no additional space on the device.
struct PresentBooks {
    private var contents: Set<String> = []
    /// The file sizes for each uuid; nil for an unknown size.
    private var sizes: [String: Set<UInt64?>] = [:]

    init(_ books: BookList) {
        for book in books {
            if let content = book.contentID { contents.insert(content) }
            if let uuid = book.uuid { sizes[uuid.lowercased(), default: []].insert(book.size) }
        }
    }

    /// Whether a file is already there, as far as a listing shows this: by its content, or by its uuid and size.
    ///
    /// - Parameter protecting: whether a book with the same uuid is kept, so that its size does not matter.
    func spares(_ book: LocalBook, protecting: Bool) -> Bool {
        if contents.contains(book.contentID) { return true }
        guard let sizes = sizes[book.uuid] else { return false }
        return protecting || sizes.contains(nil) || sizes.contains(book.identity.size)
    }
}
