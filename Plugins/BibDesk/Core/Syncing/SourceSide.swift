import BibliographySync
import OverlayKit

/// The folder that the user named, and the state that the host keeps for it.
struct SourceSide {
    let source: SourceService
}

extension SourceSide: BibliographyFolder {
    func list(_ folder: String) throws(BibliographySyncError) -> [BibliographyFile] {
        try syncing { () throws(OverlayError) in try source.list(folder) }.map { BibliographyFile($0) }
    }

    func stat(_ path: String) throws(BibliographySyncError) -> BibliographyFile? {
        try syncing { () throws(OverlayError) in try source.stat(path) }.map { BibliographyFile($0) }
    }

    func read(_ path: String, _ range: Range<UInt64>) throws(BibliographySyncError) -> [UInt8] {
        try syncing { () throws(OverlayError) in
            var bytes: [UInt8] = []
            try source.read(path, offset: range.lowerBound, length: UInt64(range.count)) {
                (chunk, _, _) throws(OverlayError) in
                bytes.append(contentsOf: chunk)
            }
            return bytes
        }
    }

    func replace(
        _ path: String, _ bytes: [UInt8], expecting stamp: String?
    ) throws(BibliographySyncError) -> BibliographyFile {
        BibliographyFile(
            try syncing { () throws(OverlayError) in try source.write(path, bytes, expected: stamp) })
    }

    func remove(_ path: String, expecting stamp: String) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in try source.trash(path, expected: stamp) }
    }

    func digest(_ path: String) throws(BibliographySyncError) -> String {
        try syncing { () throws(OverlayError) in try source.digest([path])[0].get().digest ?? "" }
    }
}

extension SourceSide: BibliographyState {
    func get(_ key: String) throws(BibliographySyncError) -> [UInt8]? {
        try syncing { () throws(OverlayError) in try source.state(key) }
    }

    func put(_ key: String, _ value: [UInt8]) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in try source.setState(key, value) }
    }

    func remove(_ key: String) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in try source.removeState(key) }
    }

    func keys() throws(BibliographySyncError) -> [String] {
        try syncing { () throws(OverlayError) in try source.stateKeys() }
    }
}

extension BibliographyFile {
    /// Converts a file in the folder.
    init(_ file: SourceFileInfo) {
        self.init(
            name: file.name, kind: Kind(file.kind), size: file.size, modified: file.modified,
            stamp: file.stamp ?? "")
    }
}

extension BibliographyFile.Kind {
    /// Converts the kind of a service's file.
    init(_ kind: FileKind) {
        self =
            switch kind {
            case .regular: .file
            case .folder: .folder
            case .link: .link
            default: .other
            }
    }
}
