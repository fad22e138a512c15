import BibTeX

/// Why a paper is wanted on the device, the most wanted first.
public enum PaperPriority: Int, Sendable, Comparable, CaseIterable {
    /// The user asked for it.
    case askedFor
    /// A rule selects it.
    case rule
    /// The paper is wanted because no rule excludes it.
    case rest

    /// Orders the more wanted paper first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The place of a paper on the device.
public struct PaperPlace: Sendable, Hashable {
    /// Its path in the device's folder.
    public var path: String
    /// Whether iOS may remove it at any time, as in a folder of caches. Its absence is then not a deletion.
    public var isPurgeable: Bool

    /// Creates a place with these values.
    public init(_ path: String, isPurgeable: Bool = false) {
        (self.path, self.isPurgeable) = (path, isPurgeable)
    }
}

/// Tells the engine where an app's files are.
public protocol PaperMapping {
    /// The folder on the device that holds the bibliographies.
    var libraryFolder: String { get }

    /// The path of a linked file, relative to the host's folder.
    ///
    /// - Parameter link: the normalized path in the link, which may be an absolute path on another computer.
    func path(of link: String) -> String

    /// The place on the device for the paper of a link; nil if the app cannot have it.
    ///
    /// - Parameter path: the path relative to the host's folder, without `..`.
    /// - Parameter priority: why the paper is wanted; nil if it is only looked up.
    func place(of path: String, _ priority: PaperPriority?) -> PaperPlace?

    /// The wanted papers of a library, by the block indexes of their entries.
    ///
    /// - Parameter document: the merged library.
    /// - Parameter library: its name.
    func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority]
}

extension PaperMapping {
    /// By default, links are relative to the host's folder.
    public func path(of link: String) -> String { link }

    /// By default, every linked paper is wanted.
    public func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority] {
        Dictionary(document.entryIndexes.map { ($0, .rest) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The parts of a sync.
public struct BibliographySides {
    /// The folder that the user named.
    public var host: any BibliographyFolder
    /// The app's files.
    public var device: any BibliographyFolder
    /// Copies papers.
    public var copier: any PaperCopier
    /// The state that the host keeps for this device, app and folder.
    public var state: any BibliographyState
    /// The state on the device, a few bytes for each host, in a folder that the app does not show.
    public var marks: any BibliographyState
    /// Tells where the app's files are.
    public var mapping: any PaperMapping

    /// The parts of a sync.
    public init(
        host: any BibliographyFolder, device: any BibliographyFolder, copier: any PaperCopier,
        state: any BibliographyState, marks: any BibliographyState, mapping: any PaperMapping
    ) {
        (self.host, self.device, self.copier) = (host, device, copier)
        (self.state, self.marks, self.mapping) = (state, marks, mapping)
    }
}
