import BookFolders
import Claims
import FoundationEssentials
import OverlayKit
import Platform
import PropertyLists
import UploadPlanning

extension IBooksOverlay: UploadsBooks {
    /// The number of books that are sent before the list is written, and so the most that an unplugged cable can
    /// cost.
    private static let batch = 25

    /// Adds EPUBs and PDFs. Each file is sent under an unused name and verified, its cover is added to the others,
    /// and only then the list is changed. If a file is not added to the list, this command or the next one removes
    /// it.
    ///
    /// A book to be replaced stays until the list contains the new book. Then its file is removed. A book that is a
    /// folder is replaced by a folder. Programs that do this on one device take turns.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(items.count, untouched: "The book was not sent.", report: report) {
            rows throws(OverlayError) in
            guard options.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            try Permission.require(self)
            let measured = try measure(items, &rows)
            guard !measured.isEmpty else { return }
            try claimed { claim throws(OverlayError) in
                let library = try BooksLibraryReader(host: host, now: now).library()
                try library.requireWhole()
                let planned = try plan(items, measured, options, library, claim, &rows)
                try rows.flush(report)
                let unfinished = FileJournal(host)
                try unfinished.sweep(needed: Set(planned.map(\.path)))
                guard !planned.isEmpty else { return }
                try requireSpace(planned)
                try unfinished.note(planned.flatMap { BookSender.files($0, library.present) })
                var sender = BookSender(self, claim, unfinished, options, library.present)
                for start in stride(from: 0, to: planned.count, by: Self.batch) {
                    try host.cancellation.check()
                    try sender.send(Array(planned[start...].prefix(Self.batch)), &rows)
                    try rows.flush(report)
                    host.progress.report(rows.done, of: items.count, phase: "Books added")
                }
            }
        }
    }

    /// What is known about a file before the device is asked.
    private struct Measured {
        let index: Int
        let format: BookFormat
        let size: UInt64
        /// The digest of the content.
        let digest: String
    }

    /// Examines every local file before other programs have to wait; a file that is not a book gets its row.
    private func measure(_ items: [UploadItem], _ rows: inout ItemRows) throws(OverlayError) -> [Measured] {
        var measured: [Measured] = []
        for (index, item) in items.enumerated() {
            try host.cancellation.check()
            host.progress.report(index, of: items.count, phase: "Reading files")
            do throws(OverlayError) {
                try EPUBCheck(host).requireWhole(item)
                let format = try format(of: item)
                let (size, digest) = try measure(item.file)
                measured.append(Measured(index: index, format: format, size: size, digest: digest))
            } catch {
                if error.endsTheCall { throw error }
                rows.add(.failed(index, error))
            }
        }
        return measured
    }

    /// Compares every file with the library; items that need nothing more get their rows.
    private func plan(
        _ items: [UploadItem], _ measured: [Measured], _ options: UploadOptions, _ library: BooksLibrary,
        _ claim: FolderClaim, _ rows: inout ItemRows
    ) throws(OverlayError) -> [PlannedBook] {
        let inspections = try BookInspections(host: host).all(of: library.items, try ArtworkFolder(host))
        var plan = UploadPlan(options, of: items.map(\.book), library, inspections, host)
        var planned: [PlannedBook] = []
        for file in measured {
            try host.cancellation.check()
            try claim.keep()
            host.progress.report(file.index, of: items.count, phase: "Comparing with the books on the device")
            do throws(OverlayError) {
                let step = try plan.step(
                    file.index, items[file.index], file.format, size: file.size, digest: file.digest
                ) { stray throws(OverlayError) in
                    try self.digest(of: stray) == file.digest
                }
                switch step {
                case .add(var book, let earlier):
                    if let earlier {
                        planned.removeAll { $0.index == earlier }
                        rows.add(earlier, like: book.index, message: DuplicateMessages.later)
                    }
                    if PlannedBook.isUnpacked(book.format, over: book.replaced) {
                        book.parts = try BookParts(host, book.item.file, size: book.size)
                    }
                    planned.append(book)
                case .same(let first, let message): rows.add(file.index, like: first, message: message)
                case .row(let row): rows.add(row)
                }
            } catch {
                if error.endsTheCall { throw error }
                rows.add(.failed(file.index, error))
            }
        }
        return planned
    }

    /// The digest of a file on the device, which is read completely.
    private func digest(of item: BooksLibrary.Item) throws(OverlayError) -> String {
        let digest = Digest(.md5)
        try host.transport.read(.media, item.devicePath) { chunk, _, _ in digest.add(chunk) }
        return Hex.text(try digest.finished(), uppercase: true)
    }

    private func format(of item: UploadItem) throws(OverlayError) -> BookFormat {
        // The name may be wrong, and Books judges by the content.
        let found = try host.sniff.sniff(.file(item.file), hints: SniffHints(contentOnly: true))
        switch found.mediaType {
        case BookFormat.epub.mediaType: return .epub
        case BookFormat.pdf.mediaType: return .pdf
        default:
            throw OverlayError(
                .unsupportedFormat,
                "This is \(found.name ?? "an unsupported format"), not an EPUB or PDF.",
                hint: "Convert the book first.")
        }
    }

    /// The size of a file in bytes and the digest of its content.
    private func measure(_ file: HostFile) throws(OverlayError) -> (size: UInt64, digest: String) {
        let digest = Digest(.md5)
        var size: UInt64 = 0
        try host.transport.localRead(file) { chunk, _, _ throws(OverlayError) in
            digest.add(chunk)
            size += UInt64(chunk.count)
        }
        return (size, Hex.text(try digest.finished(), uppercase: true))
    }

    private func requireSpace(_ planned: [PlannedBook]) throws(OverlayError) {
        let needed = planned.reduce(UInt64(0)) {
            $0 &+ $1.sentSize &+ UInt64($1.cover?.count ?? 0)
        }
        let free = try host.transport.freeSpace().free
        guard needed >= free else { return }
        throw OverlayError(
            .noSpace, "The books need \(needed) bytes, but the device has only \(free) bytes free.",
            hint: "Free some space on the device, or add fewer books at a time.")
    }
}
