import OverlayKit

extension BookShelf {
    /// Passes the bytes of a book's file to the closure. A folder that is a single book, such as an unpacked `.epub`,
    /// gives an archive of its parts.
    ///
    /// - Throws: `notFound`, and `verificationFailed` if the bytes received are not those of the file, so that a
    ///   damaged copy is never accepted.
    public func read(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        let path = try checked(path)
        let info: FileInfo
        let above = ShelfPath.folders(above: [path])
        let answers = try host.transport.stat(place.root, ([path] + above).map { place.path($0) })
        guard links(above, answers.dropFirst()).isEmpty else { throw noSuchBook(path.text) }
        switch answers.first {
        case .success(let found)?: info = found
        case .failure(let error)?: throw error.status == .notFound ? noSuchBook(path.text) : error
        case nil: throw noSuchBook(path.text)
        }
        if info.kind == .folder, FolderWalk.packageExtensions.contains(path.fileExtension) {
            return try PackageReader(host, place).pack(path) { chunk, offset throws(OverlayError) in
                try each(chunk, offset, nil)
            }
        }
        guard info.kind == .regular else { throw isFolder(path) }
        try host.transport.readWhole(
            place.root, place.path(path), size: info.size, subject: path.text, each: each)
    }

    /// Copies books to the host's temporary folder, all at once, with one row for each path. A folder that is a
    /// single book fails with `notSupported`; use ``read(_:each:)`` for it.
    public func pull(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The book was not fetched.", report: report) {
            rows throws(OverlayError) in
            var wanted: [(index: Int, path: ShelfPath)] = []
            for (index, text) in paths.enumerated() {
                if let path = ShelfPath(text) {
                    wanted.append((index, path))
                } else {
                    rows.add(.failed(index, noSuchBook(nil)))
                }
            }
            try rows.flush(report)
            guard !wanted.isEmpty else { return }
            try host.transport.pull(place.root, wanted.map { place.path($0.path) }) {
                row throws(OverlayError) in
                let (index, path) = wanted[row.index]
                if row.outcome != .failed, row.status == .ok, let file = row.file {
                    rows.add(.done(index, .fetched, path: path.text, file: file))
                } else if row.status == .notFound {
                    rows.add(.failed(index, noSuchBook(nil)))
                } else if row.status == .invalidArgument,
                    FolderWalk.packageExtensions.contains(path.fileExtension)
                {
                    rows.add(
                        .failed(
                            index,
                            OverlayError(
                                .notSupported,
                                "This book is a folder. It can only be fetched packed, as one file.")))
                } else {
                    var row = row
                    (row.index, row.outcome, row.path, row.file) = (index, .failed, path.text, nil)
                    if row.status == .ok { row.status = .failed }
                    row.message = row.message ?? "Cannot fetch the book."
                    rows.add(row)
                }
                try rows.flush(report)
            }
        }
    }

    /// Those of the folders that are links, according to the device's answers about them. A book below one does not
    /// count as a book.
    func links(
        _ folders: [ShelfPath], _ answers: ArraySlice<Result<FileInfo, OverlayError>>
    ) -> Set<ShelfPath> {
        var links: Set<ShelfPath> = []
        for (folder, answer) in zip(folders, answers) {
            if case .success(let info) = answer, info.kind == .link { links.insert(folder) }
        }
        return links
    }

    func isFolder(_ path: ShelfPath) -> OverlayError {
        OverlayError(
            .notSupported, "This is a folder, not a file.", subject: path.text,
            hint: "Give the path of a book in it.")
    }
}
