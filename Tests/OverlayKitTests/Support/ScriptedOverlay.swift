import OverlayABI
import OverlayKit
import Synchronization

/// The behaviour of a `ScriptedOverlay` in each method.
struct OverlayScript: Sendable {
    var create: @Sendable (HostServices) throws(OverlayError) -> Void = { _ in }
    var initialize: @Sendable () throws(OverlayError) -> Void = {}
    var shutdown: @Sendable () throws(OverlayError) -> Void = {}
    var canHandle: @Sendable (Fingerprint) throws(OverlayError) -> Presence = { _ in .yes() }
    var isUSBConnected: @Sendable ([Fingerprint], Bool) throws(OverlayError) -> Int? = { _, _ in nil }
    var books: @Sendable (BooksOptions, (Book) throws(OverlayError) -> Void) throws(OverlayError) -> Void = {
        _, _ in
    }
    var upload:
        @Sendable ([UploadItem], UploadOptions, (ItemResult) throws(OverlayError) -> Void)
            throws(OverlayError) -> Void =
            { _, _, _ in }
    var paths: @Sendable ([String], (ItemResult) throws(OverlayError) -> Void) throws(OverlayError) -> Void =
        { _, _ in }
    var edits: @Sendable ([Book], [String], [Book]) throws(OverlayError) -> [BooklistEdit] = { _, _, _ in [] }
    var sync: @Sendable ([Book], (ItemResult) throws(OverlayError) -> Void) throws(OverlayError) -> Void = {
        _, _ in
    }
    var getFile:
        @Sendable (
            String, (UnsafeRawBufferPointer, UInt64, UInt64?) throws(OverlayError) -> Void
        ) throws(OverlayError) -> Void = { _, _ in }
    var eject: @Sendable () throws(OverlayError) -> Void = {}
    var cleanUp: @Sendable () -> Void = {}

    private static let scripts = Mutex<[String: OverlayScript]>([:])

    /// Stores a script under the name of the host that is going to create the overlay.
    func register(_ hostName: String) {
        Self.scripts.withLock { $0[hostName] = self }
    }

    /// Removes the script under a name.
    static func forget(_ hostName: String) {
        scripts.withLock { _ = $0.removeValue(forKey: hostName) }
    }

    static func named(_ hostName: String) -> OverlayScript {
        scripts.withLock { $0[hostName] ?? OverlayScript() }
    }
}

/// An overlay that implements every method with its script.
final class ScriptedOverlay: ChecksPresence, ChecksUSB, ListsBooks, UploadsBooks, AddsToBooklist,
    DeletesBooks,
    RemovesFromBooklist, SyncsBooklists, FetchesBooks, PreparesAddableBooks, Ejects, CleansUpAfterYank
{
    static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "scripted", name: "Scripted", version: "1.2.3", summary: "For tests.", appName: "Scripted",
            appIDs: ["com.example.one", "com.example.two"], formats: ["epub", "pdf"],
            settableMetadata: ["title"], plugboardName: "BOARD", thumbnailHeight: 217,
            traits: [.canFetch, .wantsUpdatedThumbnails],
            options: [
                .bool("scripted_switch", true, label: "Switch", help: "A switch."),
                .integer("scripted_size", 5, in: 1...50, label: "Size", help: "A size."),
                .text("scripted_mode", "a\"b\\\u{1}", allowed: ["x"], label: "Mode", help: "A mode."),
                .texts("scripted_list", ["é", ""], label: "List", help: "A list."),
                .syncFolder("scripted_folder", label: "Folder", help: "A folder."),
            ],
            help: "# Help")
    }

    let script: OverlayScript

    init(host: HostServices) throws(OverlayError) {
        script = OverlayScript.named(host.name)
        try script.create(host)
    }

    func initialize() throws(OverlayError) { try script.initialize() }
    func shutdown() throws(OverlayError) { try script.shutdown() }

    func canHandle(_ device: Fingerprint) throws(OverlayError) -> Presence { try script.canHandle(device) }

    func isUSBConnected(_ devices: [Fingerprint], presenceOnly: Bool) throws(OverlayError) -> Int? {
        try script.isUSBConnected(devices, presenceOnly)
    }

    func books(_ options: BooksOptions, each: (Book) throws(OverlayError) -> Void) throws(OverlayError) {
        try script.books(options, each)
    }

    func uploadBooks(
        _ items: [UploadItem], options: UploadOptions, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) { try script.upload(items, options, report) }

    func addBooksToMetadata(_ added: [Book], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit] {
        try script.edits(added, [], snapshot)
    }

    func deleteBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) { try script.paths(paths, report) }

    func removeBooksFromMetadata(_ paths: [String], snapshot: [Book]) throws(OverlayError) -> [BooklistEdit] {
        try script.edits([], paths, snapshot)
    }

    func syncBooklists(
        _ books: [Book], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) { try script.sync(books, report) }

    func getFile(
        _ path: String, each: (UnsafeRawBufferPointer, UInt64, UInt64?) throws(OverlayError) -> Void
    ) throws(OverlayError) { try script.getFile(path, each) }

    func prepareAddableBooks(
        _ paths: [String], report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) { try script.paths(paths, report) }

    func eject() throws(OverlayError) { try script.eject() }
    func postYankCleanup() { script.cleanUp() }
}

/// An overlay that implements no methods.
final class EmptyOverlay: Overlay {
    static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "empty", name: "Empty", version: "0.1.0", summary: "", appName: "Empty", appIDs: [],
            formats: [])
    }

    init(host: HostServices) throws(OverlayError) {}
}
