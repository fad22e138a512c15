import OverlayBridge
import OverlayKit

// The examples in the doc comments of OverlayKit, compiled. `DocumentationTests` compares both.

// Example: Overlay
final class PaperboatOverlay: Overlay {
    static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
            appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"])
    }

    let host: HostServices

    init(host: HostServices) throws(OverlayError) { self.host = host }
}
// End

// Example: ListsBooks
extension PaperboatOverlay: ListsBooks {
    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard options.volume == .main else { return }
        for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
            try each(Book(path: "/Documents/\(file.name)", title: file.name, size: file.size))
        }
    }
}
// End

// Example: ListsCollections
extension PaperboatOverlay: ListsCollections {
    func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError) {
        try each(BookCollection("To read", .fixed, books: ["/Documents/emma.epub"]))
    }
}
// End

// Example: SyncsSource
extension PaperboatOverlay: SyncsSource {
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
// End

// Example: FetchesBooks
extension PaperboatOverlay: FetchesBooks {
    func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        try host.transport.read(.documents, path, each: each)
    }
}
// End

// Example: PreparesAddableBooks
extension PaperboatOverlay: PreparesAddableBooks {
    func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try host.transport.pull(.documents, paths, each: report)
    }
}
// End

// Example: UploadsBooks
extension PaperboatOverlay: UploadsBooks {
    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let files = items.map { PushItem($0.file, to: "/Documents/\($0.name)") }
        try host.transport.push(.documents, files, each: report)
    }
}
// End

// Example: DeletesBooks
extension PaperboatOverlay: DeletesBooks {
    func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for (index, path) in paths.enumerated() {
            try host.transport.remove(.documents, path)
            try report(.done(index, .deleted, path: path))
        }
    }
}
// End

// Example: AddsToBooklist
extension PaperboatOverlay: AddsToBooklist {
    func addBooksToMetadata(
        _ added: [Book], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        added.map { .insert($0) }
    }
}
// End

// Example: RemovesFromBooklist
extension PaperboatOverlay: RemovesFromBooklist {
    func removeBooksFromMetadata(
        _ paths: [String], snapshot: [Book]
    ) throws(OverlayError) -> [BooklistEdit] {
        snapshot.indices.filter { paths.contains(snapshot[$0].path ?? "") }.map { .remove($0) }
    }
}
// End

// Example: SyncsBooklists
extension PaperboatOverlay: SyncsBooklists {
    func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for (index, book) in books.enumerated() where book.title != nil {
            // Tell the reader app the new title, then:
            try report(.done(index, .updated, path: book.path))
        }
    }
}
// End

// Example: ChecksPresence
extension PaperboatOverlay: ChecksPresence {
    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
        let documents = try host.transport.roots().first { $0.root == .documents }
        guard documents?.granted == true else {
            return .no(.accessRefused, "iOS does not grant access to Paperboat.", hint: documents?.hint)
        }
        return .yes()
    }
}
// End

// Example: ChecksUSB
extension PaperboatOverlay: ChecksUSB {
    func isUSBConnected(
        _ devices: [Fingerprint], presenceOnly: Bool
    ) throws(OverlayError) -> Int? {
        devices.firstIndex { $0.vendorID == 0x05AC }
    }
}
// End

// Example: Ejects
extension PaperboatOverlay: Ejects {
    func eject() throws(OverlayError) { host.log.info("device", "The device was ejected.") }
}
// End

// Example: CleansUpAfterYank
extension PaperboatOverlay: CleansUpAfterYank {
    func postYankCleanup() { host.log.info("device", "The device is gone.") }
}
// End

// Example: ProvidesSettings
extension PaperboatOverlay: ProvidesSettings {
    func settings() throws(OverlayError) -> OverlaySettings {
        let version = try host.transport.device().appVersion ?? ""
        return OverlaySettings(formats: version.hasPrefix("1.") ? ["epub"] : ["epub", "pdf"])
    }
}
// End

// Example: PerformsCommands
extension PaperboatOverlay: PerformsCommands {
    func perform(
        _ command: String, parameters: [(String, String)], paths: [String],
        answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError) {
        throw OverlayError(.notSupported, "The command is unknown.", subject: command)
    }
}
// End

/// Examples that stand in a method of an overlay.
enum MethodExamples {
    static func services(_ host: HostServices) throws(OverlayError) {
        // Example: HostServices
        host.log.debug("overlay", "Running in \(host.name) \(host.version).")
        let model = try host.transport.device().model
        // End
        _ = model
        // Example: LogService
        host.log.info("books", "Listed the books.", ["count": "12"])
        // End
        // Example: PrefsService
        let showsDrafts = try host.prefs.bool("paperboat_drafts", default: false)
        // End
        _ = showsDrafts
        // Example: ProgressService
        for book in 0..<12 { host.progress.report(book, of: 12, phase: "Reading books") }
        // End
        // Example: CancelService
        let answer = "/Documents/answer.xml"
        while case .failure = try host.transport.stat(.documents, [answer])[0] {
            try host.cancellation.wait(for: .milliseconds(200))
        }
        // End
        // Example: CallsService
        let name = try host.calls.name()
        let isFree = host.calls.hasEnded(name)
        // End
        _ = isFree
        // Example: StorageService
        try host.storage.write(.cache, "titles", Array("Emma".utf8))
        let titles = try host.storage.read(.cache, "titles")
        // End
        _ = titles
    }

    static func content(_ host: HostServices) throws(OverlayError) {
        // Example: TransportService
        let files = try host.transport.list(.documents, "/Documents", withInfo: true)
        let bytes = try host.transport.readAll(.documents, "/Documents/shelf.json", limit: 1 << 20)
        // End
        _ = (files, bytes)
        // Example: SniffService
        let format = try host.sniff.sniff(.device(.documents, "/Documents/book"))
        let isEPUB = format.mediaType == "application/epub+zip"
        // End
        _ = isEPUB
        // Example: FetchService
        let book = ContentSource.device(.documents, "/Documents/Emma.epub")
        let package = try host.fetch.readAll(book, "/OEBPS/content.opf", limit: 1 << 20)
        // End
        _ = package
        // Example: SourceService
        let file = try host.source.stat("notes.txt")
        let text = try host.source.readAll("notes.txt", expected: file?.stamp, limit: 1 << 20)
        // End
        _ = text
        // Example: MetadataService
        let metadata = try host.metadata.read(.device(.documents, "/Documents/Emma.epub"))
        let title = metadata.book.title
        // End
        _ = title
    }

    static func values() {
        // Example: OverlayDescriptor
        let descriptor = OverlayDescriptor(
            id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
            appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"],
            settableMetadata: ["title", "collections"])
        // End
        _ = descriptor
        // Example: OverlayOption
        let option = OverlayOption.bool(
            "paperboat_drafts", false, label: "Drafts", help: "Also list books in the Drafts folder.")
        // End
        _ = option
        // Example: OverlayTimeLimit
        let limit = OverlayTimeLimit("upload_books", silence: .within(.seconds(300)))
        // End
        _ = limit
        // Example: OverlaySettings
        let settings = OverlaySettings(
            missing: [.init(.covers, reason: "Paperboat 1 has no covers.", hint: "Update Paperboat.")])
        // End
        _ = settings
        // Example: OverlayError
        let error = OverlayError(
            .notFound, "The book does not exist.", subject: "/Documents/Emma.epub",
            hint: "List the books again.")
        // End
        _ = error
        // Example: ItemResult
        let added = ItemResult.done(0, .added, path: "/Documents/Emma.epub")
        let failed = ItemResult.failed(1, OverlayError(.noSpace, "The device is full."))
        // End
        _ = (added, failed)
        // Example: CompactBook
        let kept = CompactBook(Book(title: "Emma"))
        print(kept.book.title ?? "")
        // End
        // Example: Presence
        let presence = Presence.notNow(
            .appOffline, "Paperboat is not running.", hint: "Open Paperboat on the device.")
        // End
        _ = presence
        // Example: ContentSource
        let source = ContentSource.device(.documents, "/Documents/Emma.epub")
        // End
        _ = source
        // Example: FormatSniffer
        let sniffer = FormatSniffer(
            mediaType: "application/x-boat", name: "Boat", fileExtension: "boat",
            rules: [.magic(Array("BOAT".utf8))])
        // End
        _ = sniffer
        // Example: SourcePlanRow
        let row = SourcePlanRow(.add, item: "notes.txt", changesDevice: true, bytes: 120)
        // End
        _ = row
        // Example: ReadRequest
        let head = ReadRequest("/Documents/Emma.epub", length: 4096)
        // End
        _ = head
    }
}
