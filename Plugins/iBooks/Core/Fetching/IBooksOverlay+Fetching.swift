import OverlayKit

extension IBooksOverlay: FetchesBooks {
    /// Passes a book to the host as one file. A packed book is unchanged, and an unpacked book is packed as an EPUB
    /// while it is read.
    ///
    /// - Throws: `verificationFailed` if the bytes received are not those of the file, so that a damaged copy is
    ///   never taken for a whole book.
    public func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try finishInterrupted()
        guard let safe = SafePath(path), let format = BookFormat(safe) else {
            throw BooksLibrary.noSuchBook(path)
        }
        let place = BooksLibrary.root + "/" + safe.text
        let info: FileInfo
        switch try host.transport.stat(.media, [place]).first {
        case .success(let found)?: info = found
        case .failure(let error)? where error.status != .notFound: throw error
        default: throw BooksLibrary.noSuchBook(path)
        }
        switch info.kind {
        case .regular: try sendFile(place, info.size, format, each)
        case .folder: try BookPacker(host: host, folder: place, format: format).pack(each)
        default: throw BooksLibrary.noSuchBook(path)
        }
    }

    private func sendFile(
        _ path: String, _ size: UInt64, _ format: BookFormat,
        _ each: (UnsafeRawBufferPointer, UInt64, UInt64?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if format != .pdf { try remarkProtection(path) }
        try host.transport.readWhole(.media, path, size: size, subject: path, each: each)
    }

    /// Logs if a packed book is protected. A book that cannot be examined is sent without this check.
    private func remarkProtection(_ path: String) throws(OverlayError) {
        do throws(OverlayError) {
            let links = try host.fetch.links(.device(.media, path))
            if links.contains(where: { $0.href == "/META-INF/sinf.xml" }) { BookPacker.remark(host, path) }
        } catch {
            if [.cancelled, .deviceGone, .timedOut].contains(error.status) { throw error }
        }
    }
}
