/// An overlay: a class that conforms to this protocol, and to one more protocol for each method it implements.
///
/// A method is a null slot of the contract if the class does not conform to its protocol; the host then treats it as
/// not implemented. The initialiser and all methods run on the one device thread of the instance, one call at a time;
/// each protocol names the states its method is called in. Instances need not be Sendable. An error that a method
/// throws reaches the host with all its values. A trap cannot be caught and ends the overlay's process.
///
///     final class PaperboatOverlay: Overlay {
///         static var descriptor: OverlayDescriptor {
///             OverlayDescriptor(
///                 id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
///                 appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"])
///         }
///
///         let host: HostServices
///
///         init(host: HostServices) throws(OverlayError) { self.host = host }
///     }
public protocol Overlay: AnyObject, SendableMetatype {
    /// What the overlay is. Read once; must not depend on anything outside the overlay.
    static var descriptor: OverlayDescriptor { get }

    /// Makes an instance. May use the log and the preferences of `host`, no other service.
    init(host: HostServices) throws(OverlayError)

    /// {created} Prepares the instance; no device is needed. The transport service is refused.
    func initialize() throws(OverlayError)

    /// {initialized, attached, yanked, ejected} Ends the instance's work. The transport service is refused.
    func shutdown() throws(OverlayError)
}

extension Overlay {
    /// Prepares nothing.
    public func initialize() throws(OverlayError) {}

    /// Ends nothing.
    public func shutdown() throws(OverlayError) {}
}

/// Fills the slot `can_handle`.
///
///     extension PaperboatOverlay: ChecksPresence {
///         func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
///             let documents = try host.transport.roots().first { $0.root == .documents }
///             guard documents?.granted == true else {
///                 return .no(.accessRefused, "iOS does not grant access to Paperboat.", hint: documents?.hint)
///             }
///             return .yes()
///         }
///     }
public protocol ChecksPresence: Overlay {
    /// {initialized, attached} Tells whether this device can be served now.
    ///
    /// The transport service already reaches the device, so the reader app's state may be looked at. Called often
    /// while waiting for a reader app.
    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence
}

/// Fills the slot `is_usb_connected`. Without it the host matches by the installed app alone.
///
///     extension PaperboatOverlay: ChecksUSB {
///         func isUSBConnected(
///             _ devices: [Fingerprint], presenceOnly: Bool
///         ) throws(OverlayError) -> Int? {
///             devices.firstIndex { $0.vendorID == 0x05AC }
///         }
///     }
public protocol ChecksUSB: Overlay {
    /// {initialized, attached, ejected} Finds this overlay's device among the USB devices; nil: none of them.
    ///
    /// Called often: must be cheap and idempotent. `presenceOnly`: the device is known; only report whether
    /// it is still connected.
    func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int?
}

/// Fills the slot `eject`.
///
///     extension PaperboatOverlay: Ejects {
///         func eject() throws(OverlayError) { host.log.info("device", "The device was ejected.") }
///     }
public protocol Ejects: Overlay {
    /// {attached} Ejects: ends the connection at the user's request.
    func eject() throws(OverlayError)
}

/// Fills the slot `post_yank_cleanup`.
///
///     extension PaperboatOverlay: CleansUpAfterYank {
///         func postYankCleanup() { host.log.info("device", "The device is gone.") }
///     }
public protocol CleansUpAfterYank: Overlay {
    /// {yanked, ejected} Forgets the device.
    ///
    /// Has one second and must not fail. The transport service is refused.
    func postYankCleanup()
}

/// Fills the slot `books`.
///
///     extension PaperboatOverlay: ListsBooks {
///         func books(
///             _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             guard options.volume == .main else { return }
///             for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
///                 try each(Book(path: "/Documents/\(file.name)", title: file.name, size: file.size))
///             }
///         }
///     }
public protocol ListsBooks: Overlay {
    /// {attached} Hands every book of the reader app to `each`. A card volume has none.
    ///
    /// `each` throws when the host wants no more; let that error pass.
    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `collections`. Without it the host takes the collections from the books.
///
///     extension PaperboatOverlay: ListsCollections {
///         func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError) {
///             try each(BookCollection("To read", .fixed, books: ["/Documents/emma.epub"]))
///         }
///     }
public protocol ListsCollections: Overlay {
    /// {attached} Hands every collection of the reader app to `each`, empty ones as well, in the app's order.
    ///
    /// `each` throws when the host wants no more; let that error pass.
    func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError)
}

/// Fills the slot `get_file`.
///
///     extension PaperboatOverlay: FetchesBooks {
///         func getFile(
///             _ path: String,
///             each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
///                 Void
///         ) throws(OverlayError) {
///             try host.transport.read(.documents, path, each: each)
///         }
///     }
public protocol FetchesBooks: Overlay {
    /// {attached} Hands the bytes of the book at `path` to `each`, piece by piece, in order, without gaps.
    ///
    /// The arguments of `each`: the bytes, which may be used after the call again; bytes from the start of the file to
    /// this piece; bytes of the whole file, nil: unknown. `each` throws when the host wants no more; let that error pass.
    func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}

/// Fills the slot `prepare_addable_books`.
///
///     extension PaperboatOverlay: PreparesAddableBooks {
///         func prepareAddableBooks(
///             _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             try host.transport.pull(.documents, paths, each: report)
///         }
///     }
public protocol PreparesAddableBooks: Overlay {
    /// {attached} Fetches the books at `paths` so that the host can keep them: one row per path, with the `file` that
    /// the transport service's `pull` gave.
    func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `upload_books`.
///
///     extension PaperboatOverlay: UploadsBooks {
///         func uploadBooks(
///             _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             let files = items.map { PushItem($0.file, to: "/Documents/\($0.name)") }
///             try host.transport.push(.documents, files, each: report)
///         }
///     }
public protocol UploadsBooks: Overlay {
    /// {attached} Adds books. One row per item in every case, even if the method as a whole fails or is
    /// cancelled.
    ///
    /// Nothing is deleted before its replacement is there and verified.
    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `delete_books`.
///
///     extension PaperboatOverlay: DeletesBooks {
///         func deleteBooks(
///             _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             for (index, path) in paths.enumerated() {
///                 try host.transport.remove(.documents, path)
///                 try report(.done(index, .deleted, path: path))
///             }
///         }
///     }
public protocol DeletesBooks: Overlay {
    /// {attached} Deletes the books at these paths. One row per path.
    func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `add_books_to_metadata`. An overlay that finds books by their paths alone need not implement the method.
///
///     extension PaperboatOverlay: AddsToBooklist {
///         func addBooksToMetadata(
///             _ added: [Book], snapshot: [Book]
///         ) throws(OverlayError) -> [BooklistEdit] {
///             added.map { .insert($0) }
///         }
///     }
public protocol AddsToBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} The edits that bring `snapshot` up to date after an upload.
    ///
    /// Pure: the transport service is refused.
    /// `added`: the new books with the `path` each upload reported.
    func addBooksToMetadata(_ added: [Book], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `remove_books_from_metadata`. An overlay that finds books by their paths alone need not implement the method.
///
///     extension PaperboatOverlay: RemovesFromBooklist {
///         func removeBooksFromMetadata(
///             _ paths: [String], snapshot: [Book]
///         ) throws(OverlayError) -> [BooklistEdit] {
///             snapshot.indices.filter { paths.contains(snapshot[$0].path ?? "") }.map { .remove($0) }
///         }
///     }
public protocol RemovesFromBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} The edits that bring `snapshot` up to date after a deletion of `paths`.
    ///
    /// Pure: the transport service is refused. A path that is not in the snapshot is ignored.
    func removeBooksFromMetadata(_ paths: [String], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `sync_booklists`.
///
///     extension PaperboatOverlay: SyncsBooklists {
///         func syncBooklists(
///             _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             for (index, book) in books.enumerated() where book.title != nil {
///                 // Tell the reader app the new title, then:
///                 try report(.done(index, .updated, path: book.path))
///             }
///         }
///     }
public protocol SyncsBooklists: Overlay {
    /// {attached} Writes the edited booklist to the reader app, with the books as they should be; the reader app's
    /// books are found by `path`. One row per book that differs, with its `path` afterwards.
    ///
    /// A value that is nil is left alone, but `collections` is always the full list (empty: in none). What the settable
    /// metadata does not name is ignored. `coverData`: the new cover.
    func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `settings`.
///
///     extension PaperboatOverlay: ProvidesSettings {
///         func settings() throws(OverlayError) -> OverlaySettings {
///             let version = try host.transport.device().appVersion ?? ""
///             return OverlaySettings(formats: version.hasPrefix("1.") ? ["epub"] : ["epub", "pdf"])
///         }
///     }
public protocol ProvidesSettings: Overlay {
    /// {initialized, attached} What can be done with the current device and app.
    ///
    /// May use the preferences and the transport's functions `device` and `roots`, which ask the device nothing.
    func settings() throws(OverlayError) -> OverlaySettings
}

/// Fills the slot `perform`.
///
///     extension PaperboatOverlay: PerformsCommands {
///         func perform(
///             _ command: String, parameters: [(String, String)], paths: [String],
///             answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
///                 Void
///         ) throws(OverlayError) {
///             throw OverlayError(.notSupported, "The command is unknown.", subject: command)
///         }
///     }
public protocol PerformsCommands: Overlay {
    /// {attached} Performs a command of the reader app that no other method covers. The overlay's help lists the
    /// commands and explains their parameters, the `paths` of books, and the answer.
    ///
    /// Hosts call it in development mode only. The arguments of `answer`: the bytes; bytes from the start of the answer
    /// to this piece; bytes of the whole answer, nil: unknown. `answer` throws when the host wants no more; let that error
    /// pass.
    /// - Throws: `notSupported` for a command that the overlay does not know.
    func perform(
        _ command: String, parameters: [(String, String)], paths: [String],
        answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}

/// Fills the slot `sync_source`: the overlay syncs a person's folder and the reader app both ways.
///
///     extension PaperboatOverlay: SyncsSource {
///         func syncSource(
///             _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
///             report: (ItemResult) throws(OverlayError) -> Void
///         ) throws(OverlayError) {
///             let files = try host.source.list("").filter { $0.kind == .regular }
///             for file in files {
///                 try plan(SourcePlanRow(.add, item: file.name, changesDevice: true, bytes: file.size))
///             }
///             guard !options.isDryRun else { return }
///             let items = files.map {
///                 SourceItem($0.name, devicePath: "/Documents/\($0.name)", expected: $0.stamp)
///             }
///             for (place, result) in try host.source.send(items, to: .documents).enumerated() {
///                 switch result {
///                 case .success: try report(.done(place, .added, path: items[place].devicePath))
///                 case .failure(let error): try report(.failed(place, error))
///                 }
///             }
///         }
///     }
public protocol SyncsSource: Overlay {
    /// {attached} Syncs the folder of `host.source` and the reader app both ways.
    ///
    /// First hands the whole plan to `plan`, row by row. Then, unless it is a dry run, carries it out and hands one
    /// result to `report` for each row that does something: its `index` is the place of the row, from 0. Rows that
    /// keep something or say that only the device has it need no result. `plan` and `report` throw when the host
    /// wants no more; let that error pass.
    func syncSource(
        _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
        report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}
