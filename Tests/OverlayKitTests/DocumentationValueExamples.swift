import OverlayABI
import OverlayBridge
import OverlayKit

/// The examples in the doc comments of values, compiled. `DocumentationTests` holds both against each other.
enum ValueExamples {
    static func chunkHandler(_ host: HostServices) throws(OverlayError) {
        // Example: ChunkHandler
        var lines = 0
        try host.transport.read(.documents, "/Documents/notes.txt") { chunk, _, _ in
            lines += chunk.count { $0 == UInt8(ascii: "\n") }
        }
        // End
        _ = lines
    }

    static func deviceInfo(_ host: HostServices) throws(OverlayError) {
        // Example: DeviceInfo
        let device = try host.transport.device()
        let formats = device.appFormats.isEmpty ? ["epub"] : device.appFormats
        let hasTags = device.appVersion?.hasPrefix("1.") == false
        // End
        _ = (formats, hasTags)
    }

    static func rootAccess(_ host: HostServices) throws(OverlayError) {
        // Example: RootAccess
        for access in try host.transport.roots() where !access.granted {
            host.log.warning("device", access.reason ?? "A root is refused.", ["hint": access.hint ?? ""])
        }
        // End
    }

    static func root(_ host: HostServices) throws(OverlayError) {
        // Example: Root
        let container = try host.transport.roots().first { $0.root == .container }
        let root: Root = container?.granted == true ? .container : .documents
        let files = try host.transport.list(root, "/Documents")
        // End
        _ = files
    }

    static func fileInfo(_ host: HostServices) throws(OverlayError) {
        // Example: FileInfo
        let files = try host.transport.list(.documents, "/Documents", withInfo: true)
        let books = files.filter { $0.name.hasSuffix(".epub") }
        let size = books.map(\.size).reduce(0, +)
        // End
        _ = size
    }

    static func fileKind(_ host: HostServices) throws(OverlayError) {
        // Example: FileKind
        for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
            switch file.kind {
            case .regular: host.log.debug("books", "A book: \(file.name)")
            case .folder: host.log.debug("books", "A shelf: \(file.name)")
            default: continue
            }
        }
        // End
    }

    static func freeSpace(_ host: HostServices) throws(OverlayError) {
        // Example: FreeSpace
        let space = try host.transport.freeSpace()
        guard space.free > 100 << 20 else {
            throw OverlayError(.noSpace, "The device has less than 100 MiB of free space.")
        }
        // End
    }

    static func hostFile(_ item: UploadItem, _ host: HostServices) throws(OverlayError) {
        // Example: HostFile
        var head: [UInt8] = []
        try host.transport.localRead(item.file, length: 4) { chunk, _, _ in head += chunk }
        let isZip = head == Array("PK\u{3}\u{4}".utf8)
        // End
        _ = isZip
    }

    static func pushItem(_ item: UploadItem, _ host: HostServices) throws(OverlayError) {
        // Example: PushItem
        let file = PushItem(item.file, to: "/Documents/Emma.epub")
        let results = try host.transport.push(.documents, [file], verifyDigest: true)
        let isSent = results.allSatisfy { $0.status == .ok }
        // End
        _ = isSent
    }

    static func uploadItem(_ item: UploadItem, _ host: HostServices) {
        // Example: UploadItem
        let fileExtension = item.name.hasSuffix(".pdf") ? "pdf" : "epub"
        let path = "/Documents/\(item.book.uuid ?? "book").\(fileExtension)"
        host.log.info("upload", "Sending \(item.book.title ?? item.name) to \(path).")
        // End
    }

    static func uploadOptions(
        _ item: UploadItem, _ known: Book, _ options: UploadOptions
    ) throws(OverlayError) {
        // Example: UploadOptions
        let collections = options.collections ?? item.book.collections ?? []
        if options.onConflict == .replace, !options.mayLoseMarks, !known.annotations.isEmpty {
            throw OverlayError(.needsConsent, "The book on the device has notes.", subject: item.name)
        }
        // End
        _ = collections
    }

    static func conflictPolicy(_ options: UploadOptions) {
        // Example: ConflictPolicy
        let mayChange =
            switch options.onConflict {
            case .update, .replace: true
            default: false  // protect, and policies of later versions
            }
        // End
        _ = mayChange
    }

    static func outcome(_ files: [PushItem], _ host: HostServices) throws(OverlayError) {
        // Example: Outcome
        let results = try host.transport.push(.documents, files)
        let failed = results.filter { $0.outcome == .failed }
        let messages = failed.map { $0.message ?? "The file was not sent." }
        // End
        _ = messages
    }

    static func overlayStatus(_ host: HostServices) throws(OverlayError) {
        // Example: OverlayStatus
        do throws(OverlayError) {
            try host.transport.remove(.documents, "/Documents/Emma.epub")
        } catch {
            guard error.status == .notFound else { throw error }  // already gone
        }
        // End
    }

    static func errorDomain() {
        // Example: ErrorDomain
        let error = OverlayError(
            .rejected, "Paperboat refused the book.", subject: "Emma", domain: .readerApp, nativeCode: 17)
        // End
        _ = error
    }

    static func hintKind() {
        // Example: HintKind
        let error = OverlayError(
            .needsConsent, "The new edition would lose your notes.", subject: "Emma",
            hint: "To send it anyway, repeat the command with --yes.", hintKind: .consent)
        // End
        _ = error
    }

    static func logSeverity(_ titles: [String?], _ host: HostServices) {
        // Example: LogSeverity
        let missing = titles.count { $0 == nil }
        let severity: LogSeverity = missing == 0 ? .debug : .warning
        host.log.write(severity, "books", "Listed the books.", ["without a title": "\(missing)"])
        // End
    }

    static func storageArea(_ host: HostServices) throws(OverlayError) {
        // Example: StorageArea
        try host.storage.write(.data, "edits", Array("Emma".utf8))
        for key in try host.storage.keys(.cache) { try host.storage.remove(.cache, key) }
        // End
    }

    static func sniffHints(_ host: HostServices) throws(OverlayError) {
        // Example: SniffHints
        let hints = SniffHints(mediaTypes: ["application/epub+zip"], extensions: ["epub"])
        let format = try host.sniff.sniff(.device(.documents, "/Documents/download"), hints: hints)
        // End
        _ = format
    }

    static func sniffResult(_ item: UploadItem, _ host: HostServices) throws(OverlayError) {
        // Example: SniffResult
        let format = try host.sniff.sniff(.file(item.file))
        guard let fileExtension = format.fileExtension else {
            throw OverlayError(.unsupportedFormat, "The format of the book is unknown.", subject: item.name)
        }
        let name = "\(item.book.title ?? "Untitled").\(fileExtension)"
        // End
        _ = name
    }

    static func resourceInfo(_ book: ContentSource, _ host: HostServices) throws(OverlayError) {
        // Example: ResourceInfo
        let images = try host.fetch.links(book).filter { $0.mediaType?.hasPrefix("image/") == true }
        let size = images.map { $0.length ?? 0 }.reduce(0, +)
        // End
        _ = size
    }

    static func bookMetadata(_ book: ContentSource, _ host: HostServices) throws(OverlayError) {
        // Example: BookMetadata
        let metadata = try host.metadata.read(book)
        let title = metadata.book.title ?? metadata.identifiers.first ?? "Untitled"
        for shortcoming in metadata.shortcomings { host.log.notice("books", shortcoming) }
        // End
        _ = title
    }

    static func booksOptions(_ options: BooksOptions, _ host: HostServices) throws(OverlayError) {
        // Example: BooksOptions
        var book = Book(path: "/Documents/Emma.epub")
        if !options.unread {
            let source = ContentSource.device(.documents, "/Documents/Emma.epub")
            book = book.overridden(by: try host.metadata.read(source, covers: options.withCovers).book)
        }
        // End
        _ = book
    }

    static func volume(_ options: UploadOptions) throws(OverlayError) {
        // Example: Volume
        guard options.volume == .main else {
            throw OverlayError(.notSupported, "An iPhone has no memory card.")
        }
        // End
    }

    static func sourceFileInfo(_ host: HostServices) throws(OverlayError) {
        // Example: SourceFileInfo
        let old = try host.source.stat("notes.txt")
        let written = try host.source.write("notes.txt", Array("Emma".utf8), expected: old?.stamp)
        host.log.debug("sync", "Wrote \(written.name) with \(written.size) bytes.")
        // End
        _ = written
    }

    static func sourceItem(_ host: HostServices) throws(OverlayError) {
        // Example: SourceItem
        let file = try host.source.stat("notes.txt")
        let item = SourceItem("notes.txt", devicePath: "/Documents/notes.txt", expected: file?.stamp)
        let stamp = try host.source.send([item], to: .documents)[0].get().stamp
        // End
        _ = stamp
    }

    static func sourcePlanAction(_ isOnDevice: Bool, _ file: SourceFileInfo) {
        // Example: SourcePlanAction
        let action: SourcePlanAction = isOnDevice ? .replace : .add
        let row = SourcePlanRow(action, item: file.name, changesDevice: true, bytes: file.size)
        // End
        _ = row
    }

    static func sourceSyncOptions(
        _ options: SourceSyncOptions, _ deleted: [String], _ host: HostServices
    ) throws(OverlayError) {
        // Example: SourceSyncOptions
        if options.deletes, !options.isDryRun {
            guard deleted.count < 10 || options.isForced else {
                throw OverlayError(.needsConsent, "\(deleted.count) books would be deleted.")
            }
            for path in deleted { try host.transport.remove(.documents, path) }
        }
        // End
    }

    static func overlayTraits() {
        // Example: OverlayTraits
        let descriptor = OverlayDescriptor(
            id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
            appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"],
            traits: [.canFetch, .fetchesWeb])
        // End
        _ = descriptor
    }

    static func fingerprint(_ device: Fingerprint) {
        // Example: Fingerprint
        let isApple = device.vendorID == 0x05AC
        let name = device.product ?? "device \(device.serial ?? "without a serial number")"
        // End
        _ = (isApple, name)
    }

    static func record() {
        // Example: ABIRecord
        let pair = ovl_pair.sized()
        print(Int(pair.struct_size) == MemoryLayout<ovl_pair>.size)  // true
        // End
    }

    static func viewFault() {
        // Example: ViewFault
        func message(_ fault: ViewFault) -> String {
            if case .absent(let field) = fault { return "The field \(field) is missing." }
            return "The record is not valid: \(fault)."
        }
        // End
        _ = message
    }
}
