/// An overlay: a class that conforms to this protocol, and to one more protocol for each method it implements.
///
/// If the class does not conform to the protocol of a method, its slot in the contract is null, and the host treats
/// the method as not implemented. The initializer and all methods run on the device thread of the instance, one call
/// at a time. Each protocol names the states in which its method is called. Instances need not be Sendable. If a
/// method throws an error, the host gets all values of the error. A trap cannot be caught and ends the overlay's
/// process.
///
/// ```swift
/// final class PaperboatOverlay: Overlay {
///     static var descriptor: OverlayDescriptor {
///         OverlayDescriptor(
///             id: "paperboat", name: "Paperboat", version: "0.1.0", summary: "Lists books.",
///             appName: "Paperboat", appIDs: ["org.example.paperboat"], formats: ["epub"])
///     }
///
///     let host: HostServices
///
///     init(host: HostServices) throws(OverlayError) { self.host = host }
/// }
/// ```
public protocol Overlay: AnyObject, SendableMetatype {
    /// Describes the overlay. Read once; must not depend on anything outside the overlay.
    static var descriptor: OverlayDescriptor { get }

    /// Creates an instance. May use the log and the preferences of `host`, but no other service.
    init(host: HostServices) throws(OverlayError)

    /// {created} Prepares the instance; no device is needed. The transport service is refused.
    func initialize() throws(OverlayError)

    /// {initialized, attached, yanked, ejected} Ends the instance's work. The transport service is refused.
    func shutdown() throws(OverlayError)
}

extension Overlay {
    /// Does nothing.
    public func initialize() throws(OverlayError) {}

    /// Does nothing.
    public func shutdown() throws(OverlayError) {}
}

/// Fills the slot `can_handle`.
///
/// ```swift
/// extension PaperboatOverlay: ChecksPresence {
///     func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence {
///         let documents = try host.transport.roots().first { $0.root == .documents }
///         guard documents?.granted == true else {
///             return .no(.accessRefused, "iOS does not grant access to Paperboat.", hint: documents?.hint)
///         }
///         return .yes()
///     }
/// }
/// ```
public protocol ChecksPresence: Overlay {
    /// {initialized, attached} Checks whether this device can be served now.
    ///
    /// The transport service can already access the device, so the method may check the reader app's state. Called
    /// often while waiting for a reader app.
    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence
}

/// Fills the slot `is_usb_connected`. Without it, the host only checks the installed app.
///
/// ```swift
/// extension PaperboatOverlay: ChecksUSB {
///     func isUSBConnected(
///         _ devices: [Fingerprint], presenceOnly: Bool
///     ) throws(OverlayError) -> Int? {
///         devices.firstIndex { $0.vendorID == 0x05AC }
///     }
/// }
/// ```
public protocol ChecksUSB: Overlay {
    /// {initialized, attached, ejected} Finds this overlay's device among the USB devices; nil if there is none.
    ///
    /// A host that looks for devices in this way may call it often, so it must be fast and idempotent. OverlayHost
    /// calls it only in `overlayhost check`. `presenceOnly`: the device is known; only report whether it is still
    /// connected.
    func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int?
}

/// Fills the slot `eject`.
///
/// ```swift
/// extension PaperboatOverlay: Ejects {
///     func eject() throws(OverlayError) { host.log.info("device", "The device was ejected.") }
/// }
/// ```
public protocol Ejects: Overlay {
    /// {attached} Ends the connection at the user's request.
    func eject() throws(OverlayError)
}

/// Fills the slot `post_yank_cleanup`.
///
/// ```swift
/// extension PaperboatOverlay: CleansUpAfterYank {
///     func postYankCleanup() { host.log.info("device", "The device is gone.") }
/// }
/// ```
public protocol CleansUpAfterYank: Overlay {
    /// {yanked, ejected} Forgets the device.
    ///
    /// Has one second and must not fail. The transport service is refused.
    func postYankCleanup()
}

/// Fills the slot `books`.
///
/// ```swift
/// extension PaperboatOverlay: ListsBooks {
///     func books(
///         _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         guard options.volume == .main else { return }
///         for file in try host.transport.list(.documents, "/Documents", withInfo: true) {
///             try each(Book(path: "/Documents/\(file.name)", title: file.name, size: file.size))
///         }
///     }
/// }
/// ```
public protocol ListsBooks: Overlay {
    /// {attached} Passes every book of the reader app to `each`. A card volume has none.
    ///
    /// `each` throws an error if the host asks to stop; do not catch this error.
    func books(
        _ options: BooksOptions, each: (Book) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `collections`. Without it, the host derives the collections from the books.
///
/// ```swift
/// extension PaperboatOverlay: ListsCollections {
///     func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError) {
///         try each(BookCollection("To read", .fixed, books: ["/Documents/emma.epub"]))
///     }
/// }
/// ```
public protocol ListsCollections: Overlay {
    /// {attached} Passes every collection of the reader app to `each`, including empty ones, in the app's order.
    ///
    /// `each` throws an error if the host asks to stop; do not catch this error.
    func collections(each: (BookCollection) throws(OverlayError) -> Void) throws(OverlayError)
}

/// Fills the slot `get_file`.
///
/// ```swift
/// extension PaperboatOverlay: FetchesBooks {
///     func getFile(
///         _ path: String,
///         each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
///             Void
///     ) throws(OverlayError) {
///         try host.transport.read(.documents, path, each: each)
///     }
/// }
/// ```
public protocol FetchesBooks: Overlay {
    /// {attached} Passes the bytes of the book at `path` to `each`, in consecutive pieces.
    ///
    /// The arguments of `each`: the bytes, whose memory can be reused after the call; the offset of this piece in the
    /// file; the size of the file in bytes, or nil if it is unknown. `each` throws an error if the host asks to stop;
    /// do not catch this error.
    func getFile(
        _ path: String,
        each: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}

/// Fills the slot `prepare_addable_books`.
///
/// ```swift
/// extension PaperboatOverlay: PreparesAddableBooks {
///     func prepareAddableBooks(
///         _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         try host.transport.pull(.documents, paths, each: report)
///     }
/// }
/// ```
public protocol PreparesAddableBooks: Overlay {
    /// {attached} Fetches the books at `paths` so that the host can keep them. Report one row for each path, with the
    /// `file` that the transport service's `pull` returned.
    func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `upload_books`.
///
/// ```swift
/// extension PaperboatOverlay: UploadsBooks {
///     func uploadBooks(
///         _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         let files = items.map { PushItem($0.file, to: "/Documents/\($0.name)") }
///         try host.transport.push(.documents, files, each: report)
///     }
/// }
/// ```
public protocol UploadsBooks: Overlay {
    /// {attached} Adds books. Report one row for each item in every case, even if the complete method fails or is
    /// cancelled.
    ///
    /// Do not delete a book before its replacement is on the device and verified.
    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `delete_books`.
///
/// ```swift
/// extension PaperboatOverlay: DeletesBooks {
///     func deleteBooks(
///         _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         for (index, path) in paths.enumerated() {
///             try host.transport.remove(.documents, path)
///             try report(.done(index, .deleted, path: path))
///         }
///     }
/// }
/// ```
public protocol DeletesBooks: Overlay {
    /// {attached} Deletes the books at these paths. Report one row for each path.
    func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `add_books_to_metadata`. For an overlay that identifies books by their paths only, the default
/// implementation is sufficient.
///
/// ```swift
/// extension PaperboatOverlay: AddsToBooklist {
///     func addBooksToMetadata(
///         _ added: [Book], snapshot: [Book]
///     ) throws(OverlayError) -> [BooklistEdit] {
///         added.map { .insert($0) }
///     }
/// }
/// ```
public protocol AddsToBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} Returns the edits that update `snapshot` after an upload.
    ///
    /// Pure: the transport service is refused. `added`: the new books, each with the `path` that its upload reported.
    func addBooksToMetadata(_ added: [Book], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `remove_books_from_metadata`. For an overlay that identifies books by their paths only, the default
/// implementation is sufficient.
///
/// ```swift
/// extension PaperboatOverlay: RemovesFromBooklist {
///     func removeBooksFromMetadata(
///         _ paths: [String], snapshot: [Book]
///     ) throws(OverlayError) -> [BooklistEdit] {
///         snapshot.indices.filter { paths.contains(snapshot[$0].path ?? "") }.map { .remove($0) }
///     }
/// }
/// ```
public protocol RemovesFromBooklist: Overlay {
    /// {initialized, attached, yanked, ejected} Returns the edits that update `snapshot` after a deletion of `paths`.
    ///
    /// Pure: the transport service is refused. A path that is not in the snapshot is ignored.
    func removeBooksFromMetadata(_ paths: [String], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit]
}

/// Fills the slot `sync_booklists`.
///
/// ```swift
/// extension PaperboatOverlay: SyncsBooklists {
///     func syncBooklists(
///         _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         for (index, book) in books.enumerated() where book.title != nil {
///             // Tell the reader app the new title, then:
///             try report(.done(index, .updated, path: book.path))
///         }
///     }
/// }
/// ```
public protocol SyncsBooklists: Overlay {
    /// {attached} Writes the edited booklist to the reader app. The books have their new values, and are identified
    /// by `path`. Report one row for each book that differs, with its new `path`.
    ///
    /// A nil value is not changed, but `collections` is always the complete list (empty: in none). Values that are
    /// not in the settable metadata are ignored. `coverData`: the new cover.
    func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}

/// Fills the slot `settings`.
///
/// ```swift
/// extension PaperboatOverlay: ProvidesSettings {
///     func settings() throws(OverlayError) -> OverlaySettings {
///         let version = try host.transport.device().appVersion ?? ""
///         return OverlaySettings(formats: version.hasPrefix("1.") ? ["epub"] : ["epub", "pdf"])
///     }
/// }
/// ```
public protocol ProvidesSettings: Overlay {
    /// {initialized, attached} Returns the abilities for the current device and app.
    ///
    /// May use the preferences and the transport's functions `device` and `roots`, which do not send requests to the
    /// device.
    func settings() throws(OverlayError) -> OverlaySettings
}

/// Fills the slot `perform`.
///
/// ```swift
/// extension PaperboatOverlay: PerformsCommands {
///     func perform(
///         _ command: String, parameters: [(String, String)], paths: [String],
///         answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
///             Void
///     ) throws(OverlayError) {
///         throw OverlayError(.notSupported, "The command is unknown.", subject: command)
///     }
/// }
/// ```
public protocol PerformsCommands: Overlay {
    /// {attached} Runs a command of the reader app that other methods do not cover. The overlay's help lists the
    /// commands and explains their parameters, the `paths` of books, and the answer.
    ///
    /// Hosts call this in development mode only. The arguments of `answer`: the bytes; the offset of this piece in
    /// the answer; the size of the answer in bytes, or nil if it is unknown. `answer` throws an error if the host
    /// asks to stop; do not catch this error.
    /// - Throws: `notSupported` for an unknown command.
    func perform(
        _ command: String, parameters: [(String, String)], paths: [String],
        answer: (_ chunk: UnsafeRawBufferPointer, _ offset: UInt64, _ total: UInt64?) throws(OverlayError) ->
            Void
    ) throws(OverlayError)
}

/// Fills the slot `sync_source`: the overlay syncs a folder of the user and the reader app in both directions.
///
/// ```swift
/// extension PaperboatOverlay: SyncsSource {
///     func syncSource(
///         _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
///         report: (ItemResult) throws(OverlayError) -> Void
///     ) throws(OverlayError) {
///         let files = try host.source.list("").filter { $0.kind == .regular }
///         for file in files {
///             try plan(SourcePlanRow(.add, item: file.name, changesDevice: true, bytes: file.size))
///         }
///         guard !options.isDryRun else { return }
///         let items = files.map {
///             SourceItem($0.name, devicePath: "/Documents/\($0.name)", expected: $0.stamp)
///         }
///         for (place, result) in try host.source.send(items, to: .documents).enumerated() {
///             switch result {
///             case .success: try report(.done(place, .added, path: items[place].devicePath))
///             case .failure(let error): try report(.failed(place, error))
///             }
///         }
///     }
/// }
/// ```
public protocol SyncsSource: Overlay {
    /// {attached} Syncs the folder of `host.source` and the reader app in both directions.
    ///
    /// First, pass the complete plan to `plan`, row by row. Then, unless it is a dry run, carry out the plan, and
    /// pass one result to `report` for each row with a change. The `index` of the result is the index of the row,
    /// from 0. Rows for books that are kept or that are only on the device need no result. `plan` and `report` throw
    /// an error if the host asks to stop; do not catch this error.
    func syncSource(
        _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
        report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError)
}
