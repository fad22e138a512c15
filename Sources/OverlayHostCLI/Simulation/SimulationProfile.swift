import ArgumentParser
import FoundationEssentials
import Glibc
import Platform
import Publications
import SimulatedDevice

/// The kind of a new simulated device: its model, its iOS, its apps and their books.
enum SimulationProfile: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// A current iPhone with Books, Kindle, and a reader with file sharing.
    case iphone
    /// An iPad on iOS 8.1.3, which gives hosts the whole container of Marvin.
    case marvin
    /// A current iPhone with BibDesk, built and signed by its user.
    case bibdesk

    /// The bundle id of Marvin on a new device.
    static let marvinID = "com.appstafarian.MarvinIP"

    static let allValueDescriptions = [
        "iphone": "A current iPhone with Books, Kindle and a reader with file sharing.",
        "marvin": "An iPad on iOS 8 with Marvin.",
        "bibdesk": "A current iPhone with BibDesk, signed for development.",
    ]

    /// The names for a help text: `iphone (default), marvin or bibdesk`.
    static var names: String {
        let names = allCases.map { $0 == .iphone ? "\($0.rawValue) (default)" : $0.rawValue }
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// The settings of a new device, with its own UDID.
    func settings() -> SimulatedDeviceSettings {
        switch self {
        case .iphone:
            var books = SimulatedBooks.app()
            (books.name, books.version) = ("Books", "7.1")
            return Self.phone([books, SimulatedReader.paperback(), SimulatedReader.kindle()])
        case .bibdesk: return Self.phone([SimulatedBibDesk.app()])
        case .marvin:
            return SimulatedDeviceSettings(
                udid: Hex.text(Self.randomBytes(20)), iosVersion: "8.1.3",
                apps: [
                    SimulatedApp(bundleID: Self.marvinID, name: "Marvin", version: "2.7.1", kind: .marvin),
                    SimulatedApp(bundleID: "org.videolan.vlc-ios", name: "VLC", version: "2.5.0"),
                ])
        }
    }

    private static func phone(_ apps: [SimulatedApp]) -> SimulatedDeviceSettings {
        SimulatedDeviceSettings(
            udid: "00008140-" + Hex.text(randomBytes(8), uppercase: true), name: "Simulated iPhone",
            productType: "iPhone17,1", iosVersion: "18.6", apps: apps, totalBytes: 256_000_000_000,
            freeBytes: 96_000_000_000, fileRules: currentFileRules)
    }

    /// Adds EPUBs to a new device: to Marvin's library, or to the reader's shared folder and, from the sample
    /// library, to Books.
    ///
    /// - Parameter home: the folder of the device, which is not running yet.
    func fill(_ home: URL, with books: [URL], isSampleLibrary: Bool) throws {
        guard !books.isEmpty else { return }
        switch self {
        case .marvin:
            try MarvinLibrary(Self.marvinContainer(home)).populate(books: books)
        // The app has its own library, and shows only papers.
        case .bibdesk: break
        case .iphone:
            let container = home.appendingPathComponent("Containers/\(SimulatedReader.paperbackID)")
            let reader = SimulatedReader(container: container)
            for book in books { try reader.add(book) }
            if isSampleLibrary { try SimulatedBooks(device: home).populate(Self.unpacked(books.prefix(2))) }
        }
    }

    /// The Marvin container of a device in this folder.
    static func marvinContainer(_ home: URL) -> MarvinContainer {
        MarvinContainer(folder: home.appendingPathComponent("Containers/\(marvinID)"), version: "2.7.1")
    }

    /// The sample library: real books on this machine, from Debian's documentation packages.
    static func sampleLibrary() -> [URL] {
        [
            "doc/debian-history/docs/project-history.en.epub",
            "doc/debian-history/docs/project-history.fr.epub",
            "doc/debmake-doc/debmake-doc.ja.epub", "developers-reference/developers-reference.epub",
        ].map { URL(fileURLWithPath: "/usr/share/\($0)") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Current devices find a name by canonical equivalence.
    private static var currentFileRules: FileRules {
        var rules = FileRules()
        rules.names = .equivalent
        return rules
    }

    /// EPUBs in the form in which Books stores them after a sync: unpacked, and listed with the titles in the files.
    private static func unpacked(_ books: ArraySlice<URL>) throws -> [SimulatedBook] {
        try books.enumerated().map { index, epub in
            let metadata = try Publication.read(path: epub.path).metadata
            let id = "376FAA7E4CF8172\(index)"
            var book = SimulatedBook(
                path: "\(id).epub", title: metadata.title, artist: metadata.authors.first?.name,
                persistentID: id)
            book.files = try SimulatedBooks.unpacked(epub)
            return book
        }
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }
}
