import BibTeX
import BookFolders
import OverlayKit

/// The libraries that a method changes; each is written once.
struct ChangedLibraries {
    private let original: [ShelfPath: ReferenceLibrary]
    private(set) var documents: [ShelfPath: BibTeXDocument] = [:]

    /// Starts without changes.
    init(_ device: DeviceLibraries) {
        original = Dictionary(
            device.libraries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The present document of a library.
    func document(_ library: ReferenceLibrary) -> BibTeXDocument {
        documents[library.path] ?? library.document
    }

    /// Changes a library; if `body` fails, nothing changes.
    mutating func change(
        _ library: ReferenceLibrary, _ body: (inout BibTeXDocument) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var document = document(library)
        try body(&document)
        documents[library.path] = document
    }

    /// Writes the changed libraries, sorted by path.
    ///
    /// - Parameter written: called with the path of each, and the error if it could not be written. An error that
    ///   ends the call is thrown instead.
    func write(
        _ writer: LibraryWriter, _ written: (ShelfPath, OverlayError?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        for path in documents.keys.sorted(by: { $0.text < $1.text }) {
            guard let document = documents[path], let library = original[path] else { continue }
            do throws(OverlayError) {
                if document.blocks != library.document.blocks {
                    try writer.write(document, over: library)
                }
            } catch {
                if error.endsTheCall { throw error }
                try written(path, error)
                continue
            }
            try written(path, nil)
        }
    }
}

extension ChangedLibraries {
    /// Adds an entry to static groups and removes it from others.
    ///
    /// - Throws: `notSupported` for a group that selects its members itself, or is not the user's own.
    static func regroup(
        _ key: String, add: [String], remove: [String], in document: inout BibTeXDocument
    ) throws(OverlayError) {
        let groups = document.groups
        for name in add + remove where !groups.contains(where: { $0.name == name && $0.kind == .fixed }) {
            guard let other = groups.first(where: { $0.name == name }) else { continue }
            throw OverlayError(
                .notSupported,
                "'\(name)' is a \(other.kind.rawValue.lowercased()) group. Only static groups can be changed.",
                hint: "Change the group in BibDesk on a Mac, or give the name of a static group.")
        }
        for name in add where !document.add([key], toGroup: name) { throw unwritable(name) }
        for name in remove where !document.remove([key], fromGroup: name) { throw unwritable(name) }
    }

    private static func unwritable(_ name: String) -> OverlayError {
        OverlayError(
            .rejected, "The library's static groups cannot be read, so they cannot be changed.",
            subject: name, hint: "Open and save the library in BibDesk on a Mac.")
    }
}
