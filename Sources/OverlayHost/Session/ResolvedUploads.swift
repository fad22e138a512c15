import DeviceTransport
import Fetching
import Formats
import FoundationEssentials
import Glibc
import Libraries
import Platform
import Publications

/// The local files of an upload: files, books in folders, downloads, and standard input.
///
/// Downloaded files are removed with the last reference. For use by one thread at a time.
///
/// ```swift
/// func add(_ items: [String], to session: HostSession) throws -> BatchResult {
///     let uploads = try session.gather(items, isRecursive: true)  // also folders and URLs
///     return uploads.result(session.upload(uploads.files))
/// }
/// ```
public final class ResolvedUploads {
    /// A book, or the error that prevented its download.
    private struct Part {
        var item: String
        var file: String?
        var failure: HostError?
    }

    private var parts: [Part] = []
    /// The files that were written for the upload.
    private var written: [PrivateFile] = []
    private let session: HostSession
    /// The largest feed that is read, in bytes.
    private static let largestFeed = 4 << 20

    init(_ session: HostSession) { self.session = session }

    /// The files to upload.
    public var files: [String] { parts.compactMap(\.file) }

    /// The rows of all items, including those of an upload of `files`.
    public func result(_ uploaded: BatchResult) -> BatchResult {
        var rows = uploaded.rows[...]
        return BatchResult(
            rows: parts.compactMap { part in
                if let failure = part.failure { return ItemRow(item: part.item, failure: failure) }
                guard var row = rows.popFirst() else { return nil }
                row.item = part.item
                return row
            }, failure: uploaded.failure)
    }

    // MARK: folders

    /// Adds a file or, if `isRecursive`, the books in a folder and its subfolders. Links in folders are ignored.
    func take(_ path: String, isRecursive: Bool) throws(HostError) {
        var status = stat()
        guard isRecursive, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            parts.append(Part(item: path, file: path))
            return
        }
        do throws(HostError) {
            let cancellation = session.request.cancellation
            let listing = try FolderSource.list(
                path, formats: try session.settings().formats, namesUnreadable: true
            ) { cancellation.isCancelled }
            guard !listing.entries.isEmpty else {
                throw HostError(
                    .notFound, "The folder has no books that \(session.app.name) accepts.", subject: path)
            }
            let root = path.endsInSlash ? path : path + "/"
            for entry in listing.entries {
                parts.append(
                    Part(
                        item: root + entry.item, file: entry.problem == nil ? entry.file : nil,
                        failure: entry.problem))
            }
        } catch {
            try note(error, path)
        }
    }

    // MARK: standard input

    /// Reads standard input to its end.
    ///
    /// - Parameter name: the name of the file; nil to determine the format from the content only.
    func takeInput(_ descriptor: Int32, name: String?) throws(HostError) {
        do throws(HostError) {
            session.link.progress.begin("Reading standard input")
            let file = try newFile(name ?? "book")
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            var isEmpty = true
            while true {
                try session.request.checkCancellation()
                let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw HostError(
                        .inputUnreadable, "Cannot read standard input: \(systemText(errno)).", subject: "-"
                    )
                }
                if count == 0 { break }
                try file.append(buffer[..<count])
                isEmpty = false
            }
            guard !isEmpty else {
                throw HostError(
                    .inputUnreadable, "Standard input is empty.", subject: name ?? "-",
                    hint: "Check whether the program that writes to it has failed.")
            }
            try keep(file)
            parts.append(Part(item: name ?? "-", file: try named(file.path, name)))
        } catch {
            try note(error, name ?? "-")
        }
    }

    /// Adds an extension to a file without one, determined from its content.
    private func named(_ path: String, _ name: String?) throws(HostError) -> String {
        guard LocalBook.fileExtension(of: name ?? "").isEmpty else { return path }
        let content = try OpenContent(path: path)
        defer { content.close() }
        guard let format = content.formatByContent else {
            guard name == nil else { return path }
            throw HostError(
                .unsupportedFormat, "The format of the book is unknown.", subject: "-",
                hint: "Give the book a name with an extension, such as book.epub.")
        }
        let better = path + "." + format.fileExtension
        guard rename(path, better) == 0 else {
            throw HostError(.hostIO, "Cannot name the file: \(systemText(errno)).", subject: path)
        }
        return better
    }

    // MARK: URLs

    /// Downloads the content of a URL: a book, or the books of an OPDS feed or entry, each in the format that the app
    /// prefers.
    func take(url: String) throws(HostError) {
        do throws(HostError) {
            session.link.progress.begin("Downloading", items: nil)
            let content = try open(url)
            defer { content.close() }
            guard let format = try content.explainFormat().format, format.mediaType.isOpds else {
                parts.append(Part(item: url, file: try download(content, url, title: nil)))
                return
            }
            try takeFeed(content, url)
        } catch {
            try note(error, url)
        }
    }

    private func open(_ url: String) throws(HostError) -> OpenContent {
        try OpenContent(
            url: url, limits: OperationContext(cancellation: session.request.cancellation))
    }

    private func takeFeed(_ feed: OpenContent, _ url: String) throws(HostError) {
        guard try feed.length() <= UInt64(Self.largestFeed) else {
            throw HostError(
                .unsupportedFormat, "The feed is larger than \(Self.largestFeed >> 20) MiB.", subject: url)
        }
        var bytes = Data()
        _ = try feed.read(nil, nil) { piece throws(HostError) in bytes.append(piece) }
        let catalog: OPDSCatalog
        do throws(PublicationError) { catalog = try OPDSCatalog(bytes) } catch { throw HostError(error) }
        guard !catalog.offers.isEmpty else {
            throw HostError(
                .notFound, "The feed offers no books that can be downloaded.", subject: url,
                hint: "Give the URL of a feed with books, or of a book's entry.")
        }
        if let next = catalog.nextPage {
            // Read only the first page, because a catalog may have tens of thousands of books.
            let address = next.address(relativeTo: url)
            session.request.notice?("Only the first page of the feed is uploaded. The next page: \(address)")
        }
        let formats = try session.settings().formats
        for (place, offer) in catalog.offers.enumerated() {
            try session.request.checkCancellation()
            session.link.progress.items(UInt64(place), of: UInt64(catalog.offers.count), phase: nil)
            let item = offer.title ?? offer.acquisitions.first?.link.href ?? url
            do throws(HostError) {
                guard let best = Self.best(offer, formats) else {
                    throw HostError(
                        .unsupportedFormat, "The catalog has no format that \(session.app.name) accepts.",
                        subject: item)
                }
                let address = best.link.address(relativeTo: url)
                let content = try open(address)
                defer { content.close() }
                parts.append(Part(item: item, file: try download(content, address, title: offer.title)))
            } catch {
                try note(error, item)
            }
        }
    }

    /// The file in the first format that the app supports; the first file if there is no list of formats.
    static func best(_ offer: OPDSCatalog.Offer, _ formats: [String]) -> OPDSCatalog.Acquisition? {
        guard !formats.isEmpty else { return offer.acquisitions.first }
        for format in formats {
            let found = offer.acquisitions.first { link in
                if let stated = link.mediaType {
                    return FileFormat.has(format, mediaType: stated)
                }
                return LocalBook.fileExtension(of: String(link.link.href.prefix { $0 != "?" && $0 != "#" }))
                    == format
            }
            if let found { return found }
        }
        return nil
    }

    private func download(_ content: OpenContent, _ url: String, title: String?) throws(HostError) -> String {
        let format = try content.explainFormat().format
        var name = FileName.harmless(title ?? content.name ?? "book")
        if name.isEmpty { name = "book" }
        if let ending = format?.fileExtension, LocalBook.fileExtension(of: name) != ending {
            name += "." + ending
        }
        let file = try newFile(name)
        let cancellation = session.request.cancellation
        _ = try content.read(nil, nil) { piece throws(HostError) in
            if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
            try file.append(piece)
        }
        try keep(file)
        return file.path
    }

    // MARK: files

    private func newFile(_ name: String) throws(HostError) -> PrivateFile {
        let plain = FileName.harmless(name)
        return try PrivateFile(
            in: session.request.paths.temporary, for: .upload, named: plain.isEmpty ? "book" : plain)
    }

    /// Closes a complete file and keeps it until the upload has ended. A file that is not kept is removed.
    private func keep(_ file: PrivateFile) throws(HostError) {
        try file.finish()
        written.append(file)
    }

    /// Records an error and continues, unless the error affects all items.
    private func note(_ error: HostError, _ item: String) throws(HostError) {
        if [.cancelled, .deviceGone, .noSpace].contains(error.code) { throw error }
        parts.append(Part(item: item, failure: error))
    }
}

extension OPDSCatalog.Link {
    /// The absolute URL in a document at `url`.
    func address(relativeTo url: String) -> String {
        (bases + [href]).reduce(url) { HREF($1, relativeTo: $0).percentEncodedString }
    }
}

extension HostSession {
    /// Creates local files for the items of an upload.
    ///
    /// - Parameters:
    ///   - items: files; folders if `isRecursive`; `http` and `https` URLs of books and of OPDS feeds and entries;
    ///     `-` for standard input.
    ///   - isRecursive: whether to include the books in folders and their subfolders.
    ///   - inputName: the name of the file in standard input; nil to determine its format from the content.
    /// - Throws: errors that end everything, such as a cancellation. An error of one item is in its row.
    public func gather(
        _ items: [String], isRecursive: Bool = false, inputName: String? = nil
    ) throws(HostError) -> ResolvedUploads {
        let gathered = ResolvedUploads(self)
        for item in items {
            try request.checkCancellation()
            if item == "-" {
                try gathered.takeInput(STDIN_FILENO, name: inputName)
            } else if OpenContent.isURL(item) {
                try gathered.take(url: item)
            } else {
                try gathered.take(item, isRecursive: isRecursive)
            }
        }
        return gathered
    }
}
