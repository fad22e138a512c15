import OverlayABI
import OverlayCalls

/// An overlay whose library is in the process, with checked copies of its tables. It is never unloaded.
public final class LoadedOverlay: @unchecked Sendable {
    // Unchecked: all properties are constants; the pointers in `entry` and `methods` lead into an image that stays mapped
    // and that the ABI declares constant.

    /// The file that was found.
    public let file: String
    /// The private copy that was loaded.
    public let loadedFile: String
    /// What the overlay says about itself.
    public let descriptor: OverlayDescription
    /// The entry record; `create` and `destroy` are not null.
    package let entry: ovl_entry
    /// The methods; null slots are not implemented, and so is everything an older overlay does not know.
    package let methods: ovl_methods
    /// Minor version of the ABI it was built with.
    public let abiMinor: UInt32
    /// Names of the methods it implements, in the order of the ABI.
    public let implementedMethods: [String]

    /// Makes its instances.
    package let factory: any OverlayFactory

    /// Ends the worker that waits for an instance; nil where none can.
    private let endSpare: (@Sendable () -> Void)?

    /// A library that has been loaded, with the tables it gave.
    ///
    /// - Parameter factory: makes its instances. Nil: through the functions in the tables.
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

    /// Whether it runs in workers, confined.
    package var runsInWorkers: Bool { endSpare != nil }

    /// The same overlay with another maker of instances.
    package func with(_ factory: any OverlayFactory) -> LoadedOverlay {
        LoadedOverlay(
            file: file, loadedFile: loadedFile, descriptor: descriptor, entry: entry, methods: methods,
            factory: factory, endSpare: endSpare)
    }

    /// Ends the worker that waits for an instance, if there is one, and waits until it has ended, a second at most. An instance
    /// that is made later gets a fresh one.
    package func endSpareWorker() { endSpare?() }

    /// Starts what the next instance will run in, while the caller does something else: for an overlay that is about to be used.
    ///
    /// - Returns: whether something was begun.
    @discardableResult
    package func prepare() -> Bool { factory.prepare() }

    /// Ends what was prepared if no instance has taken it, without waiting: for an overlay that is not used after all.
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
