import OverlayKit

/// What is left of Marvin when iOS opens only its documents: the files of its books, without the library that knows them.
extension MarvinOverlay {
    /// Files whose metadata is read at once; bounds how many covers are in memory.
    private static let batch = 32

    /// Lists the EPUBs among the documents with what they say of themselves.
    ///
    /// They are read by ranges, and what was read is kept: an unchanged file is not read again.
    func listDocuments(
        _ device: MarvinDevice, _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let files = try documents(device)
        var kept = DocumentCache(cache)
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            try host.cancellation.check()
            host.progress.report(start, of: files.count, phase: "Reading books")
            let part = Array(files[start...].prefix(Self.batch))
            let open = part.filter { kept.book($0, withCover: options.withCovers) == nil }
            let sources = open.map { ContentSource.device(device.root, device.paths.document($0.name)) }
            let read =
                sources.isEmpty ? [] : try host.metadata.read(sources, covers: options.withCovers)
            for (file, result) in zip(open, read) {
                switch result {
                case .success(let metadata): kept.note(metadata.book, of: file)
                case .failure(let error):
                    if [.deviceGone, .cancelled, .timedOut].contains(error.status) { throw error }
                    host.log.notice(
                        "marvin", "A book says nothing of itself: \(error.message)", ["file": file.name])
                    kept.note(Book(title: String(file.name.dropLast(5))), of: file)
                }
            }
            for file in part {
                var book = kept.book(file, withCover: options.withCovers) ?? Book()
                book.path = file.name
                book.size = file.size
                book.format = MarvinFormat.epub
                book.collections = nil
                if !options.withCovers { book.coverData = nil }
                try each(book)
            }
        }
        kept.save(files)
        host.progress.report(files.count, of: files.count, phase: "Reading books")
    }

    /// The EPUBs among the documents, by name.
    private func documents(_ device: MarvinDevice) throws(OverlayError) -> [FileInfo] {
        let names = try device.names(in: device.paths.documents) ?? []
        let books = names.filter { $0.lowercased().hasSuffix(".epub") && isSafeName($0) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let found = try device.files(books.map(device.paths.document), phase: "Looking at files")
        return zip(books, found).compactMap { name, info in
            guard var info else { return nil }
            info.name = name
            return info
        }
    }

    /// Puts EPUBs among the documents, where Marvin finds them when it starts the next time. What is there already is left alone.
    func dropDocuments(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ rows: inout ResultRows
    ) throws(OverlayError) {
        let present = try documents(device)
        let names = Set(present.map { $0.name.lowercased().bytes })
        var planner = UploadPlanner(options, library: [], log: host.log)
        let checker = UploadChecker(host: host)
        var free = try host.transport.freeSpace().free
        var planned: [PlannedUpload] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            do throws(OverlayError) {
                let size = try checker.size(item)
                switch try planner.decide(index, item, size: size) {
                case .send(let upload) where names.contains(upload.name.lowercased().bytes):
                    rows.add(Self.present(upload, options))
                case .send(let upload) where size > free:
                    rows.add(
                        .failed(
                            index,
                            OverlayError(.noSpace, "The device has not enough free space for the book."),
                            path: upload.supersedes?.fileName))
                case .send(let upload):
                    free -= size
                    planned.append(upload)
                case .row(let row): rows.add(row)
                case .change: break
                }
            } catch {
                if [.deviceGone, .cancelled, .timedOut].contains(error.status) { throw error }
                rows.add(.failed(index, error))
            }
        }
        guard !planned.isEmpty else { return }
        let pushes = planned.map { PushItem($0.file, to: device.paths.document($0.name)) }
        try host.transport.push(device.root, pushes) { row throws(OverlayError) in
            let upload = planned[row.index]
            guard row.status == .ok, row.outcome != .failed else {
                var row = row
                row.index = upload.index
                row.path = nil
                return rows.add(row)
            }
            rows.add(.done(upload.index, .added, path: upload.name, message: Self.dropped(options)))
        }
    }

    private static func dropped(_ options: UploadOptions) -> String {
        let names = options.collections?.isEmpty ?? true ? "" : " It could not be put into collections."
        return
            "The file lies among Marvin's documents. Marvin itself takes it in when it starts the next time."
            + names
    }

    private static func present(_ upload: PlannedUpload, _ options: UploadOptions) -> ItemResult {
        guard options.onConflict == .replace || options.onConflict == .update else {
            return .done(
                upload.index, .skipped, path: upload.name,
                message: "The book is already among Marvin's documents.")
        }
        return .failed(
            upload.index,
            OverlayError(
                .notSupported,
                "The book is among Marvin's documents, and only they can be reached: its library would not know of the change.",
                hint: MarvinHint.container), path: upload.name)
    }
}
