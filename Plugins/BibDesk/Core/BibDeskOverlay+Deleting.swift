import BibTeX
import BookFolders
import OverlayKit

extension BibDeskOverlay: DeletesBooks {
    /// Removes the papers of references from the device, and the links to them from the device's copy of the library.
    /// References are removed only if the preference says so. A paper to which another reference links stays. The
    /// library is written before its papers are removed.
    public func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(paths.count, untouched: "The book was not deleted.", report: report) {
            rows throws(OverlayError) in
            guard !paths.isEmpty else { return }
            try claimed { list, writer throws(OverlayError) in
                try delete(paths, list, writer, &rows, report)
            }
        }
    }

    private func delete(
        _ paths: [String], _ list: ReferenceList, _ writer: LibraryWriter, _ rows: inout ItemRows,
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let settings = try preferences()
        let references = list.byPath()
        var wanted: [(index: Int, reference: ReferenceBook)] = []
        for (index, path) in paths.enumerated() {
            guard let reference = references[path] else {
                rows.add(.failed(index, Self.noSuchBook(path)))
                continue
            }
            guard settings.deletesReferences || reference.papers.contains(where: { $0.place != nil }) else {
                rows.add(
                    .done(
                        index, .skipped, path: path,
                        message:
                            "The reference has no paper. It stays because \(BibDeskSettings.Key.deletesReferences) "
                            + "is off."))
                continue
            }
            wanted.append((index, reference))
        }
        let doomed = Set(wanted.map(\.reference.name))
        let kept = Set(
            list.books.filter { !doomed.contains($0.name) }.flatMap(\.papers).compactMap(\.file?.path.text))
        var changes = ChangedLibraries(list.device)
        var waiting: [ShelfPath: [(index: Int, reference: ReferenceBook)]] = [:]
        // From the end, so that the indexes of the remaining entries stay valid.
        for (index, reference) in wanted.sorted(by: { $0.reference.entry > $1.reference.entry }) {
            do throws(OverlayError) {
                try changes.change(reference.library) { document throws(OverlayError) in
                    if settings.deletesReferences {
                        Self.remove(reference, from: &document)
                    } else {
                        try Self.unlink(reference, in: &document)
                    }
                }
                waiting[reference.library.path, default: []].append((index, reference))
            } catch {
                rows.add(.failed(index, error, path: paths[index]))
            }
        }
        let store = list.device.store
        try changes.write(writer) { path, error throws(OverlayError) in
            for (index, reference) in waiting[path] ?? [] {
                if let error {
                    rows.add(.failed(index, error, path: paths[index]))
                } else {
                    rows.add(try removePapers(of: reference, at: index, besides: kept, store, settings))
                }
            }
            try rows.flush(report)
        }
    }

    /// Removes the papers to which no remaining reference links, and returns the row of the book.
    private func removePapers(
        of reference: ReferenceBook, at index: Int, besides kept: Set<String>, _ store: ReferenceStore,
        _ settings: BibDeskSettings
    ) throws(OverlayError) -> ItemResult {
        var remarks: [String] = []
        if !settings.deletesReferences { remarks.append("Its reference stays in the library.") }
        var gone: Set<String> = []
        for paper in reference.papers {
            guard let file = paper.file, gone.insert(file.path.text).inserted else { continue }
            guard !kept.contains(file.path.text) else {
                remarks.append("'\(file.path)' stays because another reference links to it.")
                continue
            }
            let place = paper.isCached ? store.cachedPapers ?? store.papers : store.papers
            do throws(OverlayError) {
                try host.transport.remove(store.root, place.path(file.path))
            } catch {
                if error.endsTheCall { throw error }
                if error.status != .notFound {
                    remarks.append("Cannot remove '\(file.path)': \(error.message)")
                }
            }
        }
        return .done(index, .deleted, message: remarks.isEmpty ? nil : remarks.joined(separator: " "))
    }

    /// Removes the links to places on the device; other links, which only a Mac can follow, are kept.
    private static func unlink(_ reference: ReferenceBook, in document: inout BibTeXDocument)
        throws(OverlayError)
    {
        let gone = Set(
            reference.papers.compactMap { paper -> Int? in
                if case .bibDesk(let place) = paper.link, paper.place != nil { place } else { nil }
            })
        let isForeign = reference.papers.contains { $0.link == .foreign && $0.place != nil }
        let named = document
        let isDone = document.change(reference.entry) { block in
            let links = block.linkedFiles.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
            let changed = BibTeXDocument.setting(links, of: block, named: { named.fieldName($0) })
            guard isForeign else { return changed }
            return changed?.removing("file")?.removing("local-url")
        }
        guard isDone else {
            throw OverlayError(
                .rejected, "The entry cannot be changed because a part of it cannot be read.",
                subject: reference.name.key, hint: "Correct the entry in BibDesk on a Mac.")
        }
    }

    private static func remove(_ reference: ReferenceBook, from document: inout BibTeXDocument) {
        document.remove(reference.entry)
        let key = reference.name.key
        guard !document.blocks.contains(where: { $0.key?.lowercased() == key.lowercased() }) else { return }
        for group in document.groups
        where group.kind == .fixed && group.keys.contains(where: { $0.lowercased() == key.lowercased() }) {
            // A group that cannot be changed may keep the key; BibDesk removes it at its next save.
            document.remove([key], fromGroup: group.name)
        }
    }
}

extension BibDeskOverlay: AddsToBooklist, RemovesFromBooklist {}
