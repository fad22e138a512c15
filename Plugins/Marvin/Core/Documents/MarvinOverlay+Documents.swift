import BookFolders
import OverlayKit

/// What is left of Marvin when iOS opens only its documents: the files of its books, without the library that knows them.
extension MarvinOverlay {
    /// The EPUBs among the documents, as any other app's files; what they say of themselves is kept.
    func documentShelf() throws(OverlayError) -> BookShelf {
        var options = ShelfOptions(appName: Self.descriptor.name, formats: BookFormats(["epub"]))
        options.looksIntoUnknownFiles = false
        options.keepsMetadata = try cache.isOn()
        return BookShelf(host, BookPlace(root: .documents), options)
    }

    /// Puts EPUBs among the documents, where Marvin finds them when it starts the next time. What is there already is left alone.
    func dropDocuments(
        _ items: [UploadItem], _ options: UploadOptions, _ device: MarvinDevice, _ rows: inout ResultRows
    ) throws(OverlayError) {
        let names = Set(try device.names(in: device.paths.documents)?.map { $0.lowercased().bytes } ?? [])
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
                case .same(let first): rows.add(index, like: first, message: UploadPlanner.twice)
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
