import BookModel
import DeviceTransport

/// A connection to the books of one reader app on one device: the facade for programs.
///
/// Methods block and must be called by one thread at a time, not one of Swift's concurrency pool. Cancel from any
/// thread with the request's `cancellation`. Call `close` at the end, also after errors.
///
/// ```swift
/// func printTitles(_ request: SessionRequest) throws {
///     let session = try HostSession(request)
///     defer { session.close() }
///     for book in try session.books() { print(book.title ?? book.path) }
/// }
/// ```
public final class HostSession {
    let link: ReaderLink
    let request: SessionRequest
    private var index: BookIndex?
    /// What `settings` found.
    var knownSettings: AppAbilities?

    /// Connects: finds the device, chooses app and overlay, and waits until the reader app answers.
    ///
    /// Throws what stands in the way, with what to do: no device, not trusted, locked, app missing, access refused by
    /// iOS, reader app offline or not in connection mode (`appUnavailable`) …
    public convenience init(_ request: SessionRequest) throws(HostError) {
        try self.init(try ReaderTarget.find(request), request)
    }

    /// Connects to a target that is known, without looking whether the reader app listens.
    init(connecting target: ReaderTarget, _ request: SessionRequest) throws(HostError) {
        self.request = request
        link = try ReaderLink(target, request)
    }

    /// Connects to a target that is known.
    convenience init(_ target: ReaderTarget, _ request: SessionRequest) throws(HostError) {
        try self.init(connecting: target, request)
        do throws(HostError) {
            try link.waitForReader(request.presenceLimit)
        } catch {
            link.close()
            throw error
        }
    }

    /// What the overlay says about itself.
    public var overlay: OverlayDescription { link.target.overlay.descriptor }

    /// The overlay as it was loaded.
    package var loadedOverlay: LoadedOverlay { link.target.overlay }

    /// The device.
    public var device: DeviceSummary { DeviceSummary(link.target.device.device, link.target.information) }

    /// The reader app.
    public var app: ReaderApp { link.target.app }

    /// Sentences a person should see, such as what is missing of a half-made development setting.
    public var notes: [String] { link.target.notes }

    /// Every book, in the order of the reader app's library.
    ///
    /// - Parameters:
    ///   - withCovers: deliver the images too, which takes longer.
    ///   - withAnnotations: deliver what people left in the books too, if the overlay can read it.
    public func books(withCovers: Bool = false, withAnnotations: Bool = false) throws(HostError) -> BookList {
        try require("books")
        link.progress.begin("Reading the library", counting: [.read, .pull])
        let books: BookList
        do throws(HostError) {
            books = try link.instance.books(
                withCovers: withCovers, withAnnotations: withAnnotations)
        } catch {
            throw settled(error)
        }
        index = BookIndex(books)
        return books
    }

    /// The book that `name` means, or the only one with a title or uuid that begins like it, with all that is known.
    ///
    /// Throws `notFound`, or `invalidArgument` listing the candidates when several books have that title.
    public func info(_ name: String, withCover: Bool = false, withAnnotations: Bool = false) throws(HostError)
        -> BookRecord
    {
        if let found = try known([name], withCovers: withCover, withAnnotations: withAnnotations)?.first {
            return try found.get()
        }
        if withCover || withAnnotations {
            _ = try books(withCovers: withCover, withAnnotations: withAnnotations)
        }
        guard let found = try find([name], by: .beginnings).first else {
            throw HostError(.notFound, "No book has this path, uuid or title.", subject: name)
        }
        return try found.get()
    }

    /// The books that names mean, in their order; each a path, a uuid, or a unique title without regard to case and
    /// accents. Throws only when the books cannot be listed.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - naming: what the names may be.
    public func find(_ names: [String], by naming: BookNaming = .names) throws(HostError) -> [Result<
        BookRecord, HostError
    >] {
        try find(names, unread: false, by: naming)
    }

    /// Finds books by their names.
    ///
    /// - Parameter unread: whether the metadata in the files is not needed; then a title may be missing.
    func find(
        _ names: [String], unread: Bool, by naming: BookNaming
    ) throws(HostError) -> [Result<BookRecord, HostError>] {
        if let found = try known(names, unread: unread, by: naming) { return found }
        if index == nil { _ = try books() }
        // Taken out while it is used, so that filling in its tables does not copy it.
        guard var index else {
            return names.map { _ in .failure(HostError(.failed, "No booklist has been read yet.")) }
        }
        self.index = nil
        let found = names.map { index.find($0, by: naming) }
        self.index = index
        return found
    }

    /// The books that paths and uuids mean, as far as the overlay can tell which these are without listing all; nil if it does not
    /// know one of them.
    private func known(
        _ names: [String], withCovers: Bool = false, withAnnotations: Bool = false, unread: Bool = false,
        by naming: BookNaming = .names
    ) throws(HostError) -> [Result<BookRecord, HostError>]? {
        guard index == nil, !names.isEmpty, link.target.overlay.abiMinor >= 5,
            naming == .paths || names.allSatisfy(BookIndex.mayBeKey)
        else { return nil }
        try require("books")
        link.progress.begin("Reading the library", counting: [.read, .pull])
        let books: BookList
        do throws(HostError) {
            books = try link.instance.books(
                withCovers: withCovers, withAnnotations: withAnnotations, wanted: names, unread: unread)
        } catch {
            throw settled(error)
        }
        var some = BookIndex(books)
        let found = names.map { some.find(key: $0, by: naming) }
        // What was not asked for shows that these are all books.
        if books.count > found.reduce(0, { $0 + $1.count }) { index = BookIndex(books) }
        guard found.allSatisfy({ $0.count == 1 }) else { return nil }
        return found.map { .success($0[0]) }
    }

    /// Ejects: ends the connection at the user's request. Only `close` may follow.
    public func eject() throws(HostError) {
        do throws(HostError) { try link.eject() } catch { throw settled(error) }
    }

    /// Ends the session; safe to call more than once and in any state. Nothing may follow.
    public func close() { link.close() }

    // MARK: for the verbs

    /// Forgets the booklist, because the reader app's has changed.
    func forgetBooks() { index = nil }

    /// Does what an error means for the connection, and hands it on.
    func settled(_ error: HostError) -> HostError {
        link.settle(after: error)
        return error
    }

    /// The row of an item about which the overlay said nothing before the command ended.
    static func unreported(_ item: String, _ failure: HostError, again: String) -> ItemRow {
        var row = ItemRow(item: item, failure: failure)
        switch failure.code {
        case .cancelled: row.message = "The command was cancelled before the reader app confirmed this book."
        case .deviceGone: row.message = "The device was unplugged before the reader app confirmed this book."
        case .timedOut: row.message = "The reader app did not confirm this book in time."
        default: return row
        }
        row.hint = again
        return row
    }
}

extension HostSession {
    /// The collections of the reader app in its order, empty ones as well, each with the paths of its books; nil if the app's
    /// overlay knows only the collections that books name.
    public func collections() throws(HostError) -> [BookCollection]? {
        try require("books")
        do throws(HostError) { return try link.instance.collections() } catch { throw settled(error) }
    }

    /// What can be done with this reader app on this device: its formats, what can be changed of a book, and what is missing.
    ///
    /// Asked once for each session; the device is asked nothing. Throws what the overlay says went wrong.
    public func settings() throws(HostError) -> AppAbilities {
        if let known = knownSettings { return known }
        let settings: AppAbilities
        do throws(HostError) { settings = try link.instance.settings() } catch { throw settled(error) }
        knownSettings = settings
        return settings
    }

    /// Throws why an ability (`books`, `upload`, `delete`, `update`, `collections`, `get`, `covers`) is missing here.
    func require(_ ability: String) throws(HostError) {
        reloadIfChanged()
        guard let missing = try settings().missing(ability) else { return }
        throw HostError(.notSupported, missing.reason, subject: app.name, hint: missing.hint)
    }
}
