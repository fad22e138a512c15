import BibTeX
import BibliographySync
import BookFolders
import OverlayKit

extension BibDeskOverlay: UploadsBooks {
    /// The number of papers that are sent before the library is written. If the cable is unplugged, at most this many
    /// must be sent again.
    private static let batch = 20

    /// Adds papers, each with an entry in the library, and `.bib` files, which are merged into the library with their
    /// name.
    ///
    /// A paper is sent before the library names it, and removed if the library cannot be written. The next upload of
    /// the same file uses a paper that an interrupted upload left.
    public func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try ItemRows.complete(items.count, untouched: "The file was not sent.", report: report) {
            rows throws(OverlayError) in
            guard options.volume == .main else {
                throw OverlayError(.notSupported, "An iPad or iPhone has no memory cards.")
            }
            guard !items.isEmpty else { return }
            let isLibrary = items.map { LibraryName.isLibrary($0.name) }
            let libraries = items.indices.filter { isLibrary[$0] }
            let papers = items.indices.filter { !isLibrary[$0] }
            if !libraries.isEmpty {
                try claimed { list, writer throws(OverlayError) in
                    try send(libraries, items, list, writer, &rows, report)
                }
            }
            for start in stride(from: 0, to: papers.count, by: Self.batch) {
                let part = Array(papers[start...].prefix(Self.batch))
                host.progress.report(start, of: papers.count, phase: "Adding papers")
                try claimed { list, writer throws(OverlayError) in
                    try send(part, items, options, list, writer, &rows)
                }
                try rows.flush(report)
            }
        }
    }

    private func send(
        _ libraries: [Int], _ items: [UploadItem], _ list: ReferenceList, _ writer: LibraryWriter,
        _ rows: inout ItemRows, _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var device = list.device
        for index in libraries {
            try host.cancellation.check()
            do throws(OverlayError) {
                let upload = BibliographyUpload(host, device, writer, try preferences())
                rows.add(try upload.send(index, items[index]))
                // A second file with the same name must be merged into the result of the first.
                if libraries.count > 1 { device = try DeviceLibraries.read(host, try preferences()) }
            } catch {
                if error.endsTheCall { throw error }
                rows.add(.failed(index, error))
            }
            try rows.flush(report)
        }
    }

    private func send(
        _ papers: [Int], _ items: [UploadItem], _ options: UploadOptions, _ list: ReferenceList,
        _ writer: LibraryWriter, _ rows: inout ItemRows
    ) throws(OverlayError) {
        var upload: PaperUpload
        do throws(OverlayError) {
            upload = try PaperUpload(list, options, try preferences(), now: now())
        } catch {
            for index in papers { rows.add(.failed(index, error)) }
            return
        }
        var sent: [(index: Int, sending: PaperUpload.Sending)] = []
        for index in papers {
            try host.cancellation.check()
            let before = upload
            do throws(OverlayError) {
                let size = try host.transport.localInfo(items[index].file).size
                guard let sending = try upload.add(items[index], size: size) else {
                    rows.add(.done(index, .skipped, message: "The paper is already on the device."))
                    continue
                }
                try writer.send(items[index].file, to: sending.place)
                sent.append((index, sending))
            } catch {
                if error.endsTheCall { throw error }
                upload = before
                rows.add(.failed(index, error))
            }
        }
        do throws(OverlayError) {
            if upload.document.blocks != upload.library.document.blocks {
                try writer.write(upload.document, over: upload.library)
            }
            for (index, sending) in sent {
                rows.add(.done(index, sending.outcome, path: sending.place.text))
            }
        } catch {
            if error.endsTheCall { throw error }
            writer.discard(sent.filter(\.sending.isNew).map(\.sending.place))
            for (index, _) in sent { rows.add(.failed(index, error)) }
        }
    }
}
