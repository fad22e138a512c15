import FoundationEssentials
import Glibc
import OverlayHost
import SimulatedDevice

/// The simulated reader app for a descriptor, with books in it.
struct SimulatedApps {
    /// The app.
    let app: SimulatedApp
    private static let goodReaders = [
        SimulatedGoodReader.padID, SimulatedGoodReader.phoneID, SimulatedGoodReader.fourthID,
    ]
    private static let marvin = "com.appstafarian.MarvinIP"

    /// The app of an overlay: one with known behaviour, or else one that shares its Documents folder.
    init(_ descriptor: OverlayDescription) {
        let ids = descriptor.appIDs
        if ids.contains(Self.marvin) {
            app = SimulatedApp(bundleID: Self.marvin, name: "Marvin", version: "2.7.1", kind: .marvin)
        } else if let id = ids.first(where: { Self.goodReaders.contains($0) }) {
            app = SimulatedGoodReader.app(bundleID: id)
        } else if ids.contains(SimulatedReader.kindleID) {
            app = SimulatedReader.kindle()
        } else if ids.contains(SimulatedBooks.bundleID) {
            app = SimulatedBooks.app()
        } else if ids.contains(SimulatedBibDesk.bundleID) {
            app = SimulatedBibDesk.app()
        } else if let id = ids.first {
            let formats = descriptor.formats.isEmpty ? ["epub"] : descriptor.formats
            app = SimulatedApp(
                bundleID: id, name: descriptor.appName,
                documentTypes: formats.map { SimulatedApp.DocumentType(extensions: [$0]) })
        } else {
            app = SimulatedReader.paperback()
        }
    }

    /// Creates files that must exist before the device starts.
    func prepare(_ folder: URL, books: URL) throws {
        guard app.kind == .marvin else { return }
        let container = MarvinContainer(
            folder: folder.appendingPathComponent("Containers/\(app.bundleID)"), version: app.version)
        try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
        var files: [URL] = []
        for (name, title) in [("one", "Emma"), ("two", "The Sign of the Four")] {
            let file = books.appendingPathComponent(name + ".epub")
            try SampleEPUB(title: title, authors: ["An Author"]).write(to: file)
            files.append(file)
        }
        _ = try MarvinLibrary(container).populate(books: files)
    }

    /// Creates the app's files on a running device.
    func populate(_ device: SimulatedDevice, formats: [String]) throws {
        switch app.kind {
        case .goodReader:
            let reader = SimulatedGoodReader(device: device, bundleID: app.bundleID)
            try reader.add(SimulatedPDF(title: "A Manual", author: "Its Maker", pages: 3), at: "A Manual.pdf")
            try reader.add(SimulatedPDF(title: "Notes", author: "A. Walker"), at: "Work/Notes.pdf")
            try reader.launch()
        case .plain where app.bundleID == SimulatedBooks.bundleID:
            var paper = SimulatedBook(
                path: "Paper.pdf", title: "Paper", artist: "A. Author", persistentID: "6C60A4726577FBC9")
            paper.file = SimulatedPDF(title: "Paper", author: "A. Author", pages: 3).bytes()
            var guide = SimulatedBook(
                path: "Guide.pdf", title: "Guide", artist: "B. Author", persistentID: "AAAABBBBCCCCDDDD")
            guide.file = SimulatedPDF(title: "Guide", author: "B. Author").bytes()
            try SimulatedBooks(device).populate([paper, guide])
        case .plain:
            let documents = device.containerFolder(of: app.bundleID).appendingPathComponent("Documents")
            try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
            for (index, title) in ["Emma", "Persuasion", "Sanditon"].enumerated() {
                let format = formats.isEmpty ? "epub" : formats[index % formats.count]
                try SampleBook(title: title, format: format).write(to: documents)
            }
        default: return
        }
    }
}

extension SimulatedApp {
    /// Whether the app itself changes files while hosts use the device.
    var isActive: Bool { kind == .marvin || kind == .marvinInDocuments }
}

/// A small book in one of the formats that can be generated.
struct SampleBook {
    /// Its title.
    var title: String
    /// Its extension.
    var format: String

    /// The minimum size of a book in bytes, for formats where it can be chosen: enough for several requests.
    private static let length = 20_000

    /// The file's name.
    var name: String { "\(title).\(format)" }

    /// Writes it into a folder and returns the file.
    @discardableResult
    func write(to folder: URL) throws -> URL {
        let file = folder.appendingPathComponent(name)
        switch format {
        case "epub": try SampleEPUB(title: title, authors: ["Jane Austen"]).write(to: file)
        case "pdf":
            try SimulatedPDF(title: title, author: "Jane Austen", pages: 2, size: Self.length).write(to: file)
        case "mobi", "azw", "prc": try SampleMOBI(title: title, authors: ["Jane Austen"]).write(to: file)
        default:
            let sentence = "It is a truth universally acknowledged.\n"
            let text = String(repeating: sentence, count: Self.length / sentence.utf8.count)
            try Data("\(title)\n\n\(text)".utf8).write(to: file)
        }
        return file
    }

    /// The first of an app's formats that can be generated completely, or else the first one.
    static func format(of formats: [String]) -> String {
        formats.first { ["epub", "pdf", "mobi", "txt"].contains($0) } ?? formats.first ?? "epub"
    }
}
