import OverlayKit

/// Where an app keeps its things, as paths below one root of the device.
struct MarvinPaths: Equatable, Sendable {
    /// The root that all paths are below.
    var root = Root.container
    /// The library's database.
    var library = "/Library/mainDb.sqlite"
    /// Commands, their status, and files that wait to be taken in.
    var staging = "/Library/calibre"
    /// The books.
    var documents = "/Documents"
    /// Folders of small covers `<hash>.jpg`, the likeliest first. None: the database holds the covers.
    var covers: [String]

    private static let inCaches = "/Library/Caches/com.appstafarian.marvin.covers"
    private static let inSupport = "/Library/Application Support/com.appstafarian.marvin.covers"

    /// The places of a version; nil when the version is not known.
    ///
    /// Covers moved out of the database with 2.1, and from the caches, which iOS may clear, to the application's support
    /// files after 2.5.64. The other place stays second, for a library that has not moved yet.
    init(version: MarvinVersion?) {
        switch version {
        case .some(let version) where version < MarvinVersion(2, 1): covers = []
        case .some(let version) where version <= MarvinVersion(2, 5, 64):
            covers = [Self.inCaches, Self.inSupport]
        default: covers = [Self.inSupport, Self.inCaches]
        }
    }

    /// The path of a book's file. `name` must be a safe name.
    func document(_ name: String) -> String { documents + "/" + name }

    /// The path of a file that waits to be taken in. `name` must be a safe name.
    func staged(_ name: String) -> String { staging + "/" + name }

    /// Whether everything lies in the part of the container that the app shares.
    var isShared: Bool { ([library, staging] + covers).allSatisfy { $0.hasPrefix(documents + "/") } }

    /// Where the copy of the booklist lies on the device: beside the library, in the folder of the original driver's copy, under
    /// a name of our own, so that neither takes the other's for its own.
    var booklistFolder: String {
        let parent = library.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parent.joined(separator: "/") + "/calibre.mm"
    }
    /// The copy of the booklist in that folder.
    var booklistCopy: String { booklistFolder + "/overlayhost.booklist" }
}
