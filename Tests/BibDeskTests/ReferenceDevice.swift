import BibTeX
import JSON
import OverlayKit
import OverlayKitTesting
import PropertyLists
import Testing

@testable import BibDesk

/// A device in memory with BibDesk or another app, and libraries.
class ReferenceDevice: MemoryHost {
    static let dropbox = "/Library/Application Support/Dropbox"
    static let bibFiles = dropbox + "/BibFiles"
    static let linkedFiles = dropbox + "/LinkedFiles"

    /// The folders with libraries and papers.
    let libraries: String
    let papers: String

    /// A device.
    ///
    /// - Parameter layout: the folders of the app.
    init(_ layout: ReferenceStore.Layout = .linkedFiles, dropboxFolder: String? = "/Papers") {
        switch layout {
        case .linkedFiles: (libraries, papers) = (Self.bibFiles, Self.linkedFiles)
        case .flat: (libraries, papers) = (Self.dropbox, Self.dropbox)
        case .documents: (libraries, papers) = ("/Documents", "/Documents")
        }
        super.init()
        device.appID = ReferenceStore.bibDeskID
        device.appName = "BibDesk"
        device.appFileSharing = false
        roots = [
            RootAccess(root: .container, granted: true),
            RootAccess(root: .documents, granted: false, reason: "File sharing is off."),
        ]
        for folder in [libraries, papers, "/tmp", "/Library/Caches"] { makeFolders(of: folder + "/x") }
        if layout == .linkedFiles, let dropboxFolder {
            let settings: PropertyList = ["BDSKDropboxBibFilePathKey": .string(dropboxFolder)]
            do {
                add(
                    try settings.encoded(.binary),
                    at: "/Library/Preferences/\(ReferenceStore.bibDeskID).plist")
            } catch {
                Issue.record(error)
            }
        }
    }

    /// Puts a file anywhere in the container.
    func add(_ bytes: [UInt8], at path: String) {
        makeFolders(of: path)
        now += tick
        files[path] = File(bytes: bytes, modified: now, created: now)
    }

    /// Writes a library.
    func library(_ text: String, named name: String = "References.bib") {
        add(Array(text.utf8), at: libraries + "/" + name)
    }

    /// Writes a paper.
    func paper(_ path: String, _ content: String = "%PDF-1.4 paper") {
        add(Array(content.utf8), at: papers + "/" + path)
    }

    /// The text of a library.
    func text(_ name: String = "References.bib") -> String {
        files[libraries + "/" + name].map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    }

    /// An entry of a library on the device, by its key.
    func entry(_ key: String, in name: String = "References.bib") -> BibTeXBlock? {
        let library = BibTeXLibrary(BibTeXDocument(Array(text(name).utf8)))
        return library.entries(key).first.map { library.block($0) }
    }

    /// The papers, by their paths.
    var paperPaths: [String] {
        files.keys.filter { $0.hasPrefix(papers + "/") && !$0.hasSuffix(".bib") }
            .map { String($0.dropFirst(papers.count + 1)) }.sorted()
    }

    /// The overlay, with a fixed clock.
    func overlay() throws -> BibDeskOverlay {
        let overlay = try BibDeskOverlay(host: services())
        overlay.now = { 1_784_362_272 }
        overlay.localOffset = { _ in 0 }
        overlay.clock = { [unowned self] in .nanoseconds(waited) }
        return overlay
    }

    /// The books.
    func books(_ options: BooksOptions = BooksOptions()) throws -> [Book] {
        var books: [Book] = []
        try overlay().books(options) { books.append($0) }
        return books
    }

    /// The collections.
    func collections() throws -> [BookCollection] {
        var all: [BookCollection] = []
        try overlay().collections { all.append($0) }
        return all
    }

    /// The rows of an upload.
    func upload(_ items: [UploadItem], _ options: UploadOptions = UploadOptions()) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try overlay().uploadBooks(items, options: options) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    /// The rows of an update.
    func update(_ books: [Book]) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try overlay().syncBooklists(books) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }

    /// The rows of a deletion.
    func delete(_ paths: [String]) throws -> [ItemResult] {
        var rows: [ItemResult] = []
        try overlay().deleteBooks(paths) { rows.append($0) }
        return rows.sorted { $0.index < $1.index }
    }
}

extension Book {
    /// A member of the book's extra values.
    func extra(_ name: String) throws -> JSONValue? {
        try extra.map { try JSONValue(parsing: $0) }?.object?[name]
    }

    /// The linked files as `path: state`.
    func fileStates() throws -> [String] {
        try (extra("files")?.elements ?? []).map { file in
            "\(file.object?["path"]?.string ?? "-"): \(file.object?["state"]?.string ?? "")"
        }
    }
}

/// The value of a link to a file as BibDesk archives it.
func link(_ path: String) -> String { FileLink(path: path).value }
