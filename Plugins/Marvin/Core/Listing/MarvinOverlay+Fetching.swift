import OverlayKit

extension MarvinOverlay: FetchesBooks, PreparesAddableBooks {
    /// Hands over the file of a book.
    ///
    /// - Throws: `notFound`, and `verificationFailed` when other bytes arrive than the file has: never a file that only
    ///   looks whole.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        if case .documents = try access() { return try documentShelf().read(path, each: each) }
        let device = try device()
        guard isSafeName(path), let file = try device.files([device.paths.document(path)])[0] else {
            throw .noSuchBook(path)
        }
        var received: UInt64 = 0
        try host.transport.read(device.root, device.paths.document(path), offset: 0, length: file.size) {
            chunk, offset, _ throws(OverlayError) in
            received += UInt64(chunk.count)
            try each(chunk, offset, file.size)
        }
        guard received == file.size else {
            throw OverlayError(
                .verificationFailed, "Received only \(received) of \(file.size) bytes.", subject: path,
                hint: "Try again. If it fails again, the file on the device is damaged.", retryable: true)
        }
    }

    /// Copies books to the host's temporary place, all at once.
    public func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if case .documents = try access() { return try documentShelf().pull(paths, report: report) }
        let device = try device()
        let safe = paths.indices.filter { isSafeName(paths[$0]) }
        for index in paths.indices where !isSafeName(paths[index]) {
            try report(.failed(index, .noSuchBook(nil)))
        }
        guard !safe.isEmpty else { return }
        try host.transport.pull(device.root, safe.map { device.paths.document(paths[$0]) }) {
            row throws(OverlayError) in
            let index = safe[row.index]
            guard row.outcome != .failed, row.status == .ok, let file = row.file else {
                if row.status == .notFound { return try report(.failed(index, .noSuchBook(nil))) }
                return try report(
                    ItemResult(
                        index: index, status: row.status == .ok ? .failed : row.status, outcome: .failed,
                        path: paths[index],
                        message: (row.message ?? "Cannot fetch the book.").sentence,
                        hint: row.hint, domain: row.domain, nativeCode: row.nativeCode,
                        retryable: row.retryable))
            }
            try report(.done(index, .fetched, path: paths[index], file: file))
        }
    }
}

extension OverlayError {
    /// No book has that path; a row names it already.
    static func noSuchBook(_ path: String?) -> OverlayError {
        OverlayError(
            .notFound, "Marvin has no book with this path.", subject: path,
            hint: "List the books again.")
    }
}
