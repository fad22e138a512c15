import BookModel
import DeviceTransport
import Platform

/// A connection to the books of one reader app on one device. Programs use this type.
///
/// Methods block. Call them from one thread at a time, but not from Swift's concurrency pool. Cancel from any thread
/// with the request's `cancellation`. Call `close` at the end, even after an error.
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
    /// The result of `settings`; nil before the first call.
    var knownSettings: AppAbilities?

    /// Connects: finds the device, chooses app and overlay, and waits until the reader app answers.
    ///
    /// Throws an error with a hint if that fails, for example if there is no device, or if the device does not trust
    /// this computer, is locked, or does not have the app, if iOS refuses access, or if the reader app is offline or
    /// not in connection mode (`appUnavailable`).
    public convenience init(_ request: SessionRequest) throws(HostError) {
        try self.init(try ReaderTarget.find(request), request)
    }

    /// Connects to a known target without checking the reader app.
    init(connecting target: ReaderTarget, _ request: SessionRequest) throws(HostError) {
        self.request = request
        link = try ReaderLink(target, request, sharesDevice: request.found != nil)
    }

    /// Connects to a known target.
    convenience init(_ target: ReaderTarget, _ request: SessionRequest) throws(HostError) {
        try self.init(connecting: target, request)
        do throws(HostError) {
            try link.waitForReader(request.presenceLimit)
        } catch {
            link.close()
            throw error
        }
    }

    /// The overlay's description.
    public var overlay: OverlayDescription { link.target.overlay.descriptor }

    /// The loaded overlay.
    package var loadedOverlay: LoadedOverlay { link.target.overlay }

    /// The device.
    public var device: DeviceSummary { DeviceSummary(link.target.device.device, link.target.information) }

    /// The reader app.
    public var app: ReaderApp { link.target.app }

    /// Sentences for the user, for example about an incomplete development setting.
    public var notes: [String] { link.target.choice?.notes ?? [] }

    /// Whether the app was chosen although neither the request nor a preference names one.
    public var isAppUnnamed: Bool { link.target.choice?.reason == .onlyServedApp }

    /// A command on the app of this session, for hints.
    func command(_ name: String) -> String { "overlayhost \(name)\(appOption)" }

    /// The option that names the app of this session, after a space; empty if the request does not name it.
    private var appOption: String { request.app.map { " --app \($0.shellWord)" } ?? "" }

    /// The formats that the app accepts, for hints that name other apps.
    func acceptedFormats(_ settings: AppAbilities) -> AcceptedFormats {
        AcceptedFormats(app: app.name, extensions: settings.formats) { [link, request] in
            link.target.others(request)
        }
    }

    /// Every book, in the order of the reader app's library.
    ///
    /// - Parameters:
    ///   - withCovers: whether to include the images, which takes longer.
    ///   - withAnnotations: whether to include the users' annotations, if the overlay has a way to read them.
    /// - Throws: also an error if there are annotations that cannot be read now.
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
        index = BookIndex(books, appOption: appOption)
        return books
    }

    /// The book with this name, or the only one with a title or uuid that begins with it, with all known values.
    ///
    /// If its annotations cannot be read, the request's `notice` is called. Throws `notFound`, or `invalidArgument`
    /// with the candidates if several books have that title.
    public func info(_ name: String, withCover: Bool = false, withAnnotations: Bool = false) throws(HostError)
        -> BookRecord
    {
        do throws(HostError) {
            return try book(name, withCover: withCover, withAnnotations: withAnnotations)
        } catch {
            guard withAnnotations, Self.mayBeOfAnnotations(error) else { throw error }
            let book = try book(name, withCover: withCover, withAnnotations: false)
            request.notice?(error.message)
            return book
        }
    }

    private func book(
        _ name: String, withCover: Bool, withAnnotations: Bool
    ) throws(HostError) -> BookRecord {
        if let found = try known([name], withCovers: withCover, withAnnotations: withAnnotations)?.first {
            return try found.get()
        }
        if withCover || withAnnotations {
            _ = try books(withCovers: withCover, withAnnotations: withAnnotations)
        }
        guard let found = try find([name], by: .beginnings).first else {
            throw HostError(.notFound, "No book has this path, uuid, title or cite key.", subject: name)
        }
        return try found.get()
    }

    /// Returns the books for names, in their order. Each name is a path, a uuid, or a unique title, ignoring case and
    /// accents. Throws only if the books cannot be listed.
    ///
    /// - Parameters:
    ///   - names: paths, uuids or titles.
    ///   - naming: the accepted names.
    public func find(_ names: [String], by naming: BookNaming = .names) throws(HostError) -> [Result<
        BookRecord, HostError
    >] {
        try find(names, unread: false, by: naming)
    }

    /// Finds books by their names.
    ///
    /// - Parameter unread: whether the metadata in the files is not needed. A title may then be missing.
    func find(
        _ names: [String], unread: Bool, by naming: BookNaming
    ) throws(HostError) -> [Result<BookRecord, HostError>] {
        if let found = try known(names, unread: unread, by: naming) { return found }
        if index == nil { _ = try books() }
        // Removed from the property during use, so that filling its tables does not copy them.
        guard var index else {
            return names.map { _ in .failure(HostError(.failed, "No booklist has been read yet.")) }
        }
        self.index = nil
        let found = names.map { index.find($0, by: naming) }
        self.index = index
        return found
    }

    /// The books for paths and uuids, if the overlay can find them without listing all books; nil if one of them is
    /// unknown.
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
        var some = BookIndex(books, appOption: appOption)
        let found = names.map { some.find(key: $0, by: naming) }
        // Books that were not requested show that the list is complete.
        if books.count > found.reduce(0, { $0 + $1.count }) {
            index = BookIndex(books, appOption: appOption)
        }
        guard found.allSatisfy({ $0.count == 1 }) else { return nil }
        return found.map { .success($0[0]) }
    }

    /// Ends the connection at the user's request. Only `close` may follow.
    public func eject() throws(HostError) {
        do throws(HostError) { try link.eject() } catch { throw settled(error) }
    }

    /// Ends the session. May be called more than once and in any state. No other call may follow.
    public func close() { link.close() }

    // MARK: for the commands

    /// Discards the list of books, because the reader app's list changed.
    func forgetBooks() { index = nil }

    /// Updates the connection after an error, and returns the error.
    func settled(_ error: HostError) -> HostError {
        link.settle(after: error)
        return error
    }

    /// The row of an item without a result from the overlay when the command ended.
    static func unreported(_ item: String, _ failure: HostError, again: String) -> ItemRow {
        var row = ItemRow(item: item, failure: failure)
        switch failure.code {
        case .cancelled: row.message = "The command was cancelled before this book was finished."
        case .deviceGone: row.message = "The device was unplugged before this book was finished."
        case .timedOut: row.message = "The reader app did not confirm this book in time."
        default: return row
        }
        row.hint = again
        row.hintCode = nil
        return row
    }
}

extension HostSession {
    /// The collections of the reader app in its order, including empty ones, each with the paths of its books; nil if
    /// the overlay only knows the collections that books name.
    public func collections() throws(HostError) -> [BookCollection]? {
        try require("books")
        do throws(HostError) { return try link.instance.collections() } catch { throw settled(error) }
    }

    /// The abilities of this reader app on this device: its formats, the metadata that can be changed, and missing
    /// functions.
    ///
    /// Asks the overlay once for each session, without requests to the device. Throws the error of the overlay.
    public func settings() throws(HostError) -> AppAbilities {
        if let known = knownSettings { return known }
        let settings: AppAbilities
        do throws(HostError) { settings = try link.instance.settings() } catch { throw settled(error) }
        knownSettings = settings
        return settings
    }

    /// Throws an error if an ability (`books`, `upload`, `delete`, `update`, `collections`, `get`, `covers`) is
    /// missing.
    func require(_ ability: String) throws(HostError) {
        reloadIfChanged()
        guard let missing = try settings().missing(ability) else { return }
        throw HostError(
            .notSupported, missing.reason, subject: app.name, hint: missing.hint,
            hintCode: missing.hintCode)
    }
}
