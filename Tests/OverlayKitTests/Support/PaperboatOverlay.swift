import OverlayKit

/// A small overlay for an app that keeps its books in its shared folder.
final class PaperboatOverlay: Overlay, ListsBooks, UploadsBooks, SyncsSource {
    static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
            appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"])
    }

    let host: HostServices

    init(host: HostServices) throws(OverlayError) { self.host = host }

    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
            try each(Book(path: "/Documents/\(file.name)", title: file.name, size: file.size))
        }
    }

    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let files = items.map { PushItem($0.file, to: "/Documents/\($0.name)") }
        try host.transport.push(.documents, files, each: report)
    }

    func syncSource(
        _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
        report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let files = try host.source.list("").filter { $0.kind == .regular }
        for file in files {
            try plan(SourcePlanRow(.add, item: file.name, changesDevice: true, bytes: file.size))
        }
        guard !options.isDryRun else { return }
        let items = files.map {
            SourceItem($0.name, devicePath: "/Documents/\($0.name)", expected: $0.stamp)
        }
        for (place, result) in try host.source.send(items, to: .documents).enumerated() {
            switch result {
            case .success: try report(.done(place, .added, path: items[place].devicePath))
            case .failure(let error): try report(.failed(place, error))
            }
        }
    }
}
