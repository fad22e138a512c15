import BibTeX
import FoundationEssentials
import Glibc
import PropertyLists

/// A simulated BibDesk: an app that shows the bibliography of a Mac and its papers on an iPhone or iPad.
///
/// The app does not communicate with hosts. It reads its folders when it is opened, and refuses a whole library if
/// one entry is malformed. Members may be used from any thread, but not by two threads that write at the same time.
public struct SimulatedBibDesk: Sendable {
    /// The bundle id of the app. Users build the app themselves and may change the id.
    public static let bundleID = "org.colinsmith.BibDesk"

    /// The content that the app shows after it was opened.
    public struct Shelf: Sendable, Equatable {
        /// The names of the libraries that are shown.
        public var libraries: [String] = []
        /// The names of the libraries that are refused, each with the first reason.
        public var refused: [String: String] = [:]
        /// The papers that can be opened, by their paths below the papers folder.
        public var papers: [String] = []
    }

    /// The folders of the app.
    public let container: BibDeskContainer
    /// The app's bundle id.
    public let bundleID: String
    /// The number of seconds by which the clock of the Mac that wrote the files was ahead of the device's clock.
    public let clockAhead: Int

    /// Creates the app in a container.
    public init(_ container: BibDeskContainer, bundleID: String = bundleID, clockAhead: Int = 0) {
        self.container = container
        self.bundleID = bundleID
        self.clockAhead = clockAhead
    }

    /// Creates the app as installed on a device. The device need not run.
    public init(
        device: SimulatedDevice, generation: BibDeskGeneration = .linkedFiles,
        bundleID: String = bundleID, clockAhead: Int = 0
    ) {
        self.init(
            BibDeskContainer(folder: device.containerFolder(of: bundleID), generation: generation),
            bundleID: bundleID, clockAhead: clockAhead)
    }

    /// The settings of the installed app. The user built and signed it, and it has no file sharing.
    public static func app(
        generation: BibDeskGeneration = .linkedFiles, bundleID: String = bundleID,
        fileSharing: Bool = false, developmentSigned: Bool = true
    ) -> SimulatedApp {
        SimulatedApp(
            bundleID: bundleID, name: "BibDesk", version: "1.0", fileSharing: fileSharing,
            developmentSigned: developmentSigned, kind: .bibDesk(generation))
    }

    /// Opens the app: creates its folders and reads all libraries.
    @discardableResult
    public func launch() throws -> Shelf {
        try container.makeFolders()
        var shelf = Shelf()
        for name in try names(in: container.libraries) where Self.isLibrary(name) {
            let document = BibTeXDocument(try bytes(of: name))
            let isUnicode = document.encoding == .utf8
            if isUnicode, document.problemsForApp().isEmpty {
                shelf.libraries.append(name)
            } else {
                shelf.refused[name] =
                    document.problemsForApp().first?.description ?? "The file is not in UTF-8."
            }
        }
        shelf.papers = try files(below: container.papers).filter { !Self.isLibrary($0) }
        return shelf
    }

    /// Opens the app. On first launch it gets a sample library unless there are libraries already.
    func launchFirst() throws {
        let isNew = try names(in: container.libraries).isEmpty
        try launch()
        guard isNew else { return }
        try SampleBibliography.fill(self)
        try noteListing()
    }

    /// Sets the Dropbox folder of the libraries in the app's settings, such as `/Papers`.
    public func setDropboxFolder(_ folder: String) throws {
        try container.makeFolders()
        let settings: PropertyList = ["BDSKDropboxBibFilePathKey": .string(folder)]
        try Data(settings.encoded(.binary)).write(to: container.preferences(bundleID))
    }

    /// Adds a library, and sets its time to that of the Mac's clock.
    public func add(_ library: [UInt8], named name: String) throws {
        try write(library, to: container.libraries.appendingPathComponent(name))
    }

    /// Adds a paper below the papers folder.
    public func add(_ paper: [UInt8], at path: String) throws {
        try write(paper, to: container.papers.appendingPathComponent(path))
    }

    /// The bytes of a library.
    public func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: container.libraries.appendingPathComponent(name)))
    }

    /// Changes a library without the host noticing. If `secretly`, its length and time stay the same.
    public func edit(
        _ name: String, secretly: Bool = false, _ change: ([UInt8]) -> [UInt8]
    ) throws {
        let url = container.libraries.appendingPathComponent(name)
        var before = stat()
        _ = stat(url.path, &before)
        try Data(change(try bytes(of: name))).write(to: url)
        guard secretly else { return }
        var times = [before.st_atim, before.st_mtim]
        _ = utimensat(AT_FDCWD, url.path, &times, 0)
    }

    /// Simulates the app's former sync service: deletes the libraries and papers that the service does not list.
    ///
    /// - Returns: the paths of the deleted files, relative to the libraries folder or the papers folder.
    @discardableResult
    public func removeUnknown(libraries: Set<String>, papers: Set<String>) throws -> [String] {
        var removed: [String] = []
        for name in try names(in: container.libraries) where Self.isLibrary(name) && !libraries.contains(name)
        {
            try FileManager.default.removeItem(at: container.libraries.appendingPathComponent(name))
            removed.append(name)
        }
        for path in try files(below: container.papers) where !Self.isLibrary(path) && !papers.contains(path) {
            try FileManager.default.removeItem(at: container.papers.appendingPathComponent(path))
            removed.append(path)
        }
        return removed
    }

    // MARK: files

    /// The names of all libraries, and the paths of all papers.
    func contents() throws -> (libraries: [String], papers: [String]) {
        (
            try names(in: container.libraries).filter(Self.isLibrary),
            try files(below: container.papers).filter { !Self.isLibrary($0) }
        )
    }

    /// Whether the app treats a file as a library. Files that a Mac autosaved are ignored.
    static func isLibrary(_ name: String) -> Bool {
        name.lowercased().hasSuffix(".bib") && !name.dropLast(4).hasSuffix("(Autosaved)")
    }

    private func write(_ bytes: [UInt8], to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        // The app gives each file the time that it had at its origin, in whole seconds.
        let time = timespec(tv_sec: Glibc.time(nil) + clockAhead, tv_nsec: 0)
        var times = [time, time]
        _ = utimensat(AT_FDCWD, url.path, &times, 0)
    }

    private func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    private func files(below folder: URL) throws -> [String] {
        let manager = FileManager.default
        guard manager.fileExists(atPath: folder.path) else { return [] }
        return try manager.subpathsOfDirectory(atPath: folder.path).filter { path in
            var isFolder = false
            return manager.fileExists(atPath: folder.path + "/" + path, isDirectory: &isFolder) && !isFolder
        }.sorted()
    }
}
