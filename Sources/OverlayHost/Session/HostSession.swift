/// A connection to the books of one reader app on one device: the facade for programs.
///
/// Methods block and must be called by one thread at a time, not one of Swift's concurrency pool. Cancel from any
/// thread with the request's `cancellation`. Call `close` at the end, also after errors.
public final class HostSession {
    /// Connects: finds the device, chooses app and overlay, and waits until the reader app answers.
    ///
    /// Throws what stands in the way, with what to do: no device, not trusted, locked, app missing, access refused by
    /// iOS, reader app offline or not in connection mode (`appUnavailable`) …
    public init(_ request: SessionRequest) throws(HostError) {
        throw HostError(.notSupported, "Sessions are not built yet.")
    }

    /// What the overlay says about itself.
    public var overlay: OverlayDescriptor {
        OverlayDescriptor(id: "", name: "", version: "", appName: "", appIDs: [])
    }
    /// The device.
    public var device: DeviceSummary { DeviceSummary(udid: "", connection: "") }
    /// The reader app.
    public var app: ReaderApp { ReaderApp(bundleID: "", name: "") }
    /// Sentences a person should see, such as what is missing of a half-made development setting.
    public var notes: [String] { [] }

    /// Every book, in the order of the reader app's library.
    public func books(withCovers: Bool = false) throws(HostError) -> [BookRecord] { [] }

    /// The book that `name` means, with all that is known.
    ///
    /// Throws `notFound`, or `invalidArgument` listing the candidates when several books have that title.
    public func info(_ name: String, withCover: Bool = false) throws(HostError) -> BookRecord {
        throw HostError(.notSupported, "Sessions are not built yet.")
    }

    /// The books that names mean, in their order; each a path, a uuid, or a unique title without regard to case and
    /// accents. Throws only when the books cannot be listed.
    public func find(_ names: [String]) throws(HostError) -> [Result<BookRecord, HostError>] { [] }

    /// Adds files of this computer to the reader app. One row per file, in their order.
    public func upload(_ files: [String], _ options: UploadOptions = UploadOptions()) -> BatchResult {
        BatchResult(rows: [])
    }

    /// Copies books into `folder`, which is made if it is not there. One row per name, in their order; a row's `path` is
    /// the copy's. Nothing that is in the folder is overwritten.
    public func get(_ names: [String], to folder: String) -> BatchResult { BatchResult(rows: []) }

    /// Deletes books from the reader app without asking. One row per name, in their order.
    public func delete(_ names: [String]) -> BatchResult { BatchResult(rows: []) }

    /// Ends the connection on the person's wish. Only `close` may follow.
    public func eject() throws(HostError) {}

    /// Ends the session; safe to call more than once and in any state. Nothing may follow.
    public func close() {}
}
