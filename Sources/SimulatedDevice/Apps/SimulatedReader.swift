import FoundationEssentials
import Glibc

/// A simulated reader app that keeps its books as plain files in its shared Documents folder and does not communicate
/// with hosts: Kindle, or a current reader such as the fictional Paperback. Members may be used from any thread, but
/// not by two threads that write at the same time.
public struct SimulatedReader: Sendable {
    /// The bundle id of Kindle.
    public static let kindleID = "com.amazon.Lassen"
    /// The bundle id of the fictional Paperback.
    public static let paperbackID = "org.example.paperback"

    /// The app's container.
    public let container: URL

    /// Creates the app in a container.
    public init(container: URL) { self.container = container }

    /// Creates the app as installed on a device.
    public init(device: SimulatedDevice, bundleID: String = paperbackID) {
        self.init(container: device.containerFolder(of: bundleID))
    }

    /// Kindle as the App Store ships it.
    public static func kindle(fileSharing: Bool = true, developmentSigned: Bool = false) -> SimulatedApp {
        SimulatedApp(
            bundleID: kindleID, name: "Kindle", version: "4.4.1", fileSharing: fileSharing,
            developmentSigned: developmentSigned, kind: .kindle,
            documentTypes: [
                SimulatedApp.DocumentType(
                    ["com.amazon.mobi"], declaration: .exported, declaredExtensions: ["mobi", "azw", "prc"]),
                SimulatedApp.DocumentType(["com.adobe.pdf"]),
            ])
    }

    /// Paperback as the App Store ships it: a reader for EPUB, PDF and comics that also opens pictures.
    public static func paperback(fileSharing: Bool = true, developmentSigned: Bool = false) -> SimulatedApp {
        SimulatedApp(
            bundleID: paperbackID, name: "Paperback", version: "12.3", fileSharing: fileSharing,
            developmentSigned: developmentSigned, kind: .reader,
            documentTypes: [
                SimulatedApp.DocumentType(["org.idpf.epub-container"]),
                SimulatedApp.DocumentType(["com.adobe.pdf"]),
                SimulatedApp.DocumentType(
                    ["org.example.comic"], declaration: .imported, declaredExtensions: ["cbz", "cbr"]),
                SimulatedApp.DocumentType(["public.jpeg", "public.png"]),
            ])
    }

    /// The shared Documents folder.
    public var documents: URL { container.appendingPathComponent("Documents", isDirectory: true) }

    /// A file by its path relative to the shared folder.
    public func document(_ path: String) -> URL { documents.appendingPathComponent(path) }

    /// Creates the folder of a file and returns the file's URL.
    public func place(_ path: String) throws -> URL {
        let url = document(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return url
    }

    /// Copies an EPUB into the shared folder under its own name. An existing file of that name stays.
    ///
    /// Throws `invalidBook` if it is not an EPUB, and the file system's error if it cannot be copied.
    public func add(_ epub: URL) throws {
        _ = try BookFile(epub.path, subject: epub.lastPathComponent)
        let place = try place(epub.lastPathComponent)
        guard !FileManager.default.fileExists(atPath: place.path) else { return }
        try FileManager.default.copyItem(at: epub, to: place)
    }

    /// The paths of the files below the shared folder, sorted, without hidden files.
    public func files() throws -> [String] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: documents.path) else { return [] }
        return try manager.subpathsOfDirectory(atPath: documents.path).filter { path in
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { return false }
            var isFolder = false
            return manager.fileExists(atPath: documents.path + "/" + path, isDirectory: &isFolder)
                && !isFolder
        }.sorted()
    }

    /// Opens the app. On first launch it adds sample books unless its shared folder already contains something.
    func launch(_ kind: SimulatedApp.Kind) throws {
        let manager = FileManager.default
        let mark = container.appendingPathComponent("Library/first-launch")
        guard !manager.fileExists(atPath: mark.path) else { return }
        try manager.createDirectory(
            at: mark.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: mark)
        try manager.createDirectory(at: documents, withIntermediateDirectories: true)
        guard try manager.contentsOfDirectory(atPath: documents.path).isEmpty else { return }
        switch kind {
        case .kindle: try fillKindle()
        case .reader: try fillReader()
        default: break
        }
    }

    private func fillKindle() throws {
        try SampleMOBI(title: "Emma", authors: ["Jane Austen"]).write(to: place("Emma-Jane Austen.mobi"))
        try SampleMOBI(title: "Dr. Jekyll and Mr. Hyde", authors: ["Robert Louis Stevenson"])
            .write(to: place("Dr. Jekyll and Mr. Hyde-R. L. Stevenson.mobi"))
        try SampleMOBI(title: "Without a Cover", authors: ["Nobody"], cover: nil)
            .write(to: place("Without a Cover-Nobody.mobi"))
        try SimulatedPDF(title: "A Manual", author: "Its Maker", pages: 12, size: 300_000)
            .write(to: place("A Manual.pdf"))
    }

    private func fillReader() throws {
        try SampleEPUB(title: "Emma", authors: ["Jane Austen"]).write(to: place("Emma.epub"))
        try SampleEPUB(
            title: "The Sign of the Four", authors: ["Arthur Conan Doyle"], series: ("Sherlock Holmes", 2)
        )
        .write(to: place("Crime/Holmes/sign4.epub"))
        try SampleEPUB(title: "Unpacked", authors: ["Somebody"]).unpack(to: place("Crime/Unpacked.epub"))
        try SimulatedPDF(title: "Field Notes", author: "A. Walker", pages: 40, size: 800_000)
            .write(to: place("Papers/notes.pdf"))
        try Data(PlainCover.small(seed: 3).jpeg()).write(to: place("Papers/picture.jpg"))
        try Data("settings".utf8).write(to: place("library.sqlite"))
    }
}
