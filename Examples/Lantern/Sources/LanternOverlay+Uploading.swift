import OverlayKit

extension LanternOverlay: UploadsBooks, DeletesBooks {
    /// Adds books one by one. A book that is replaced is removed only after the new one is complete.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        if try library.version() == nil { try library.make() }
        let known = try library.entries()
        try eachItem(items, "Adding books", report) { (index, item) throws(OverlayError) in
            try upload(item, index, options, known)
        }
    }

    /// Removes the folders of books.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try eachItem(paths, "Deleting books", report) { (index, path) throws(OverlayError) in
            let entry = try library.entry(path)
            try host.transport.remove(.documents, Library.folder(entry.folder), recursive: true)
            return .done(index, .deleted)
        }
    }

    private func upload(
        _ item: UploadItem, _ index: Int, _ options: UploadOptions, _ known: [Library.Entry]
    ) throws(OverlayError) -> ItemResult {
        // The content decides the format, not the name. Our own sniffer takes part.
        let format = try host.sniff.sniff(.file(item.file), hints: SniffHints(contentOnly: true))
        guard let ending = format.fileExtension, Self.descriptor.formats.contains(ending) else {
            throw OverlayError(
                .unsupportedFormat, "Lantern cannot read this format.", subject: item.name,
                hint: "It takes EPUB, PDF and its own picture books.")
        }
        // Two books may have the same uuid; a host of an older minor version sends an identifier of the content as
        // uuid.
        let uuid = item.book.contentID ?? item.book.uuid ?? item.name
        let present = known.first { $0.card.uuid == uuid }
        if let present, options.onConflict == .protect {
            return .done(index, .skipped, path: present.folder, message: "The book already exists.")
        }
        let folder = present?.folder ?? Self.safe(uuid)
        var card = try card(for: item, "book.\(ending)", uuid, options)
        card.read = present?.card.read
        card.added = present?.card.added
        do throws(OverlayError) {
            if present == nil { try host.transport.makeFolder(.documents, Library.folder(folder)) }
            if present == nil || options.onConflict == .replace {
                let file = Library.file(of: .init(folder: folder, card: card))
                for row in try host.transport.push(.documents, [PushItem(item.file, to: file)])
                where row.status != .ok {
                    throw OverlayError(
                        row.status, row.message ?? "The book was not copied.", hint: row.hint,
                        domain: row.domain, nativeCode: row.nativeCode, retryable: row.retryable)
                }
            }
            if let cover = item.book.coverData {
                try host.transport.write(.documents, Library.cover(of: folder), cover)
            }
            try library.write(card, to: folder)
        } catch {
            if present == nil { cleanUp(folder) }
            throw error
        }
        return .done(
            index, present == nil ? .added : options.onConflict == .replace ? .replaced : .updated,
            path: folder)
    }

    /// The card of a book: what the host knows, completed with the metadata of the file.
    private func card(
        for item: UploadItem, _ file: String, _ uuid: String, _ options: UploadOptions
    ) throws(OverlayError) -> Card {
        var book = item.book
        if book.title == nil || book.authors == nil {
            do throws(OverlayError) {
                let own = try host.metadata.read(.file(item.file)).book
                book.title = book.title ?? own.title
                book.authors = book.authors ?? own.authors
            } catch {
                host.log.info("lantern", "no metadata in \(item.name): \(error)")
            }
        }
        var shelves = options.collections ?? []
        if let shelf = try host.prefs.text(Option.newShelf), !shelf.isEmpty, !shelves.contains(shelf) {
            shelves.append(shelf)
        }
        return Card(
            title: book.title ?? item.name, authors: book.authors ?? [], shelves: shelves, uuid: uuid,
            file: file, added: book.dateAdded)
    }

    /// Removes a new folder. If that fails, the folder stays without a card and is not listed as a book.
    private func cleanUp(_ folder: String) {
        do throws(OverlayError) {
            try host.transport.remove(.documents, Library.folder(folder), recursive: true)
        } catch {
            host.log.warning("lantern", "left behind: \(error)")
        }
    }

    /// Makes a folder name of any text.
    private static func safe(_ name: String) -> String {
        String(
            name.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
    }

    /// Processes each item and reports one row for it, even if it fails.
    func eachItem<Item>(
        _ items: [Item], _ phase: String, _ report: (ItemResult) throws(OverlayError) -> Void,
        _ body: (Int, Item) throws(OverlayError) -> ItemResult
    ) throws(OverlayError) {
        var end: OverlayError?
        for (index, item) in items.enumerated() {
            host.progress.report(index, of: items.count, phase: phase)
            let row: ItemResult
            do throws(OverlayError) {
                try host.cancellation.check()
                row = try body(index, item)
            } catch {
                row = .failed(index, error)
                // These errors end the whole method, not just one item.
                if [.cancelled, .timedOut, .deviceGone].contains(error.status) { end = error }
            }
            try report(row)
        }
        if let end { throw end }
    }
}
