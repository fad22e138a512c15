import OverlayABI
import OverlayCalls

/// An overlay with checked copies of its tables. If its library is loaded in this process, it is never unloaded.
///
/// ```swift
/// func describe(_ file: String) throws {
///     let overlay = try OverlayDiscovery(paths: .current()).load(file)
///     print(overlay.descriptor.name, overlay.descriptor.version)
///     print(overlay.implementedMethods.contains("upload_books") ? "Can add books." : "Cannot add books.")
/// }
/// ```
public final class LoadedOverlay: @unchecked Sendable {
    // Unchecked: all properties are constants. The pointers in `entry` and `methods` refer to an image that remains
    // mapped, and that the ABI declares constant.

    /// The path of the file that was found.
    public let file: String
    /// The private copy that was loaded.
    public let loadedFile: String
    /// The description of the overlay.
    public let descriptor: OverlayDescription
    /// The entry record; `create` and `destroy` are not null.
    package let entry: ovl_entry
    /// The methods. Slots are null for methods that are not implemented, including those that an older overlay does
    /// not know.
    package let methods: ovl_methods
    /// The minor version of the ABI with which the overlay was built.
    public let abiMinor: UInt32
    /// The names of the implemented methods, in the order of the ABI.
    public let implementedMethods: [String]

    /// Creates the instances of the overlay.
    package let factory: any OverlayFactory

    /// Ends the worker that waits for an instance; nil if there is no such worker.
    private let endSpare: (@Sendable () -> Void)?

    /// Creates a loaded overlay from its tables.
    ///
    /// - Parameter factory: creates the instances; nil to use the functions in the tables.
    package init(
        file: String, loadedFile: String, descriptor: OverlayDescription, entry: ovl_entry,
        methods: ovl_methods, factory: (any OverlayFactory)? = nil,
        endSpare: (@Sendable () -> Void)? = nil
    ) {
        self.factory = factory ?? LinkedOverlay(OverlayTables(entry, methods))
        self.endSpare = endSpare
        self.file = file
        self.loadedFile = loadedFile
        self.descriptor = descriptor
        self.entry = entry
        self.methods = methods
        abiMinor = entry.abi_minor
        implementedMethods = Self.implemented(methods)
    }

    /// Whether the overlay runs confined in workers.
    package var runsInWorkers: Bool { endSpare != nil }

    /// This overlay with another factory.
    package func with(_ factory: any OverlayFactory) -> LoadedOverlay {
        LoadedOverlay(
            file: file, loadedFile: loadedFile, descriptor: descriptor, entry: entry, methods: methods,
            factory: factory, endSpare: endSpare)
    }

    /// Ends the worker that waits for an instance, if there is one, and waits for its end for at most a second. A
    /// later instance gets a new worker.
    package func endSpareWorker() { endSpare?() }

    /// Starts the worker of the next instance in the background. For an overlay that will be used soon.
    ///
    /// - Returns: whether something was started.
    @discardableResult
    package func prepare() -> Bool { factory.prepare() }

    /// Ends the prepared worker if it is not used by an instance, without waiting. For an overlay that will not be
    /// used after all.
    package func dismiss() { factory.dismiss() }

    private static func implemented(_ methods: ovl_methods) -> [String] {
        let slots: [(String, Bool)] = [
            ("initialize", methods.initialize != nil), ("shutdown", methods.shutdown != nil),
            ("is_usb_connected", methods.is_usb_connected != nil),
            ("is_usb_connected_windows", methods.is_usb_connected_windows != nil),
            ("can_handle", methods.can_handle != nil),
            ("can_handle_windows", methods.can_handle_windows != nil),
            ("books", methods.books != nil), ("upload_books", methods.upload_books != nil),
            ("add_books_to_metadata", methods.add_books_to_metadata != nil),
            ("delete_books", methods.delete_books != nil),
            ("remove_books_from_metadata", methods.remove_books_from_metadata != nil),
            ("sync_booklists", methods.sync_booklists != nil), ("get_file", methods.get_file != nil),
            ("prepare_addable_books", methods.prepare_addable_books != nil), ("eject", methods.eject != nil),
            ("post_yank_cleanup", methods.post_yank_cleanup != nil), ("settings", methods.settings != nil),
            ("perform", methods.perform != nil), ("sync_source", methods.sync_source != nil),
            ("collections", methods.collections != nil),
        ]
        return slots.filter(\.1).map(\.0)
    }
}
