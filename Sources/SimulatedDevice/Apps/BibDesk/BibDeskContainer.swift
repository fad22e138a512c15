import FoundationEssentials

/// Where BibDesk's app keeps what, inside its container: in another place in each generation of the app.
public struct BibDeskContainer: Sendable, Equatable {
    /// The container's own folder.
    public let folder: URL
    /// Which folders it has.
    public let generation: BibDeskGeneration

    /// A container.
    public init(folder: URL, generation: BibDeskGeneration = .linkedFiles) {
        self.folder = folder
        self.generation = generation
    }

    /// What a host shares with the app.
    public var documents: URL { folder.appendingPathComponent("Documents", isDirectory: true) }
    /// The folder that the app takes for a copy of Dropbox.
    public var dropbox: URL {
        folder.appendingPathComponent("Library/Application Support/Dropbox", isDirectory: true)
    }
    /// Where unfinished files may be.
    public var temporary: URL { folder.appendingPathComponent("tmp", isDirectory: true) }

    /// Where libraries are.
    public var libraries: URL {
        switch generation {
        case .documents: documents
        case .flat: dropbox
        case .linkedFiles: dropbox.appendingPathComponent("BibFiles", isDirectory: true)
        }
    }

    /// Where papers are.
    public var papers: URL {
        generation == .linkedFiles
            ? dropbox.appendingPathComponent("LinkedFiles", isDirectory: true) : libraries
    }

    /// The settings of an app with this bundle id.
    public func preferences(_ bundleID: String) -> URL {
        folder.appendingPathComponent("Library/Preferences/\(bundleID).plist")
    }

    /// Makes the folders that exist in every installation.
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
