import FoundationEssentials

/// The locations of the BibDesk app's files inside its container. They depend on the generation of the app.
public struct BibDeskContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL
    /// The generation of the app, which determines the folders.
    public let generation: BibDeskGeneration

    /// Creates the locations for a container folder.
    public init(folder: URL, generation: BibDeskGeneration = .linkedFiles) {
        self.folder = folder
        self.generation = generation
    }

    /// The folder that hosts share with the app.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The folder that the app treats as a copy of Dropbox.
    public var dropbox: URL {
        folder.appendingPathComponent("Library/Application Support/Dropbox", isDirectory: true)
    }
    /// The folder for unfinished files.
    public var temporary: URL { folder.appendingPathComponent("tmp", isDirectory: true) }

    /// The folder of the libraries.
    public var libraries: URL {
        switch generation {
        case .documents: documents
        case .flat: dropbox
        case .linkedFiles: dropbox.appendingPathComponent("BibFiles", isDirectory: true)
        }
    }

    /// The folder of the papers.
    public var papers: URL {
        generation == .linkedFiles
            ? dropbox.appendingPathComponent("LinkedFiles", isDirectory: true) : libraries
    }

    /// The settings file of an app with this bundle id.
    public func preferences(_ bundleID: String) -> URL {
        folder.appendingPathComponent("Library/Preferences/\(bundleID).plist")
    }

    /// Creates the folders that exist in every installation.
    func makeFolders() throws {
        for url in [
            documents, libraries, papers, temporary,
            folder.appendingPathComponent("Library/Caches", isDirectory: true),
            folder.appendingPathComponent("Library/Preferences", isDirectory: true),
        ] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }
}
