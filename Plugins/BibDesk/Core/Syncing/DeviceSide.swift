import BibliographySync
import OverlayKit
import Platform

/// The app's files as a side of a sync. Paths are relative to the root, without a leading slash.
final class DeviceSide {
    let host: HostServices
    let store: ReferenceStore
    /// Writes files; nil while files must not be written.
    var writer: LibraryWriter?

    init(host: HostServices, store: ReferenceStore) { (self.host, self.store) = (host, store) }

    /// The path for the transport service.
    func path(_ path: String) -> String { "/" + path }

    /// A value that changes when a file does.
    static func stamp(_ size: UInt64, _ modified: Int64) -> String { "\(size)-\(modified)" }

    /// Writes a file to a folder that the app does not read, and renames it unless the target has changed.
    ///
    /// - Parameters:
    ///   - target: the final path of the file.
    ///   - stamp: the stamp of the file to replace; nil means that it must not exist.
    ///   - write: writes the file to a path of the transport service.
    func put(
        _ target: String, replacing stamp: String?, _ write: (String) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        guard let writer else {
            throw OverlayError(.wrongState, "Internal error: cannot write without a lock.")
        }
        try writer.put(at: path(target), write) { () throws(OverlayError) in
            try require(target, stamp)
        }
    }

    /// Throws `changed` unless the file has the stamp.
    func require(_ target: String, _ stamp: String?) throws(OverlayError) {
        guard try info(target).map({ Self.stamp($0.size, $0.modified) }) != stamp else { return }
        throw OverlayError(
            .changed, "Another program has changed it on the device in the meantime.", subject: target,
            hint: "Run the same command again.", retryable: true)
    }

    private func info(_ target: String) throws(OverlayError) -> FileInfo? {
        switch try host.transport.stat(store.root, [path(target)])[0] {
        case .success(let info): return info
        case .failure(let error):
            guard error.status == .notFound else { throw error }
            return nil
        }
    }
}

extension DeviceSide: BibliographyFolder {
    func list(_ folder: String) throws(BibliographySyncError) -> [BibliographyFile] {
        try syncing { () throws(OverlayError) in
            try host.transport.list(store.root, path(folder), withInfo: true)
        }
        .map { BibliographyFile($0) }
    }

    func stat(_ path: String) throws(BibliographySyncError) -> BibliographyFile? {
        try syncing { () throws(OverlayError) in try info(path) }.map { BibliographyFile($0) }
    }

    func read(_ path: String, _ range: Range<UInt64>) throws(BibliographySyncError) -> [UInt8] {
        try syncing { () throws(OverlayError) in
            var bytes: [UInt8] = []
            try host.transport.read(
                store.root, self.path(path), offset: range.lowerBound, length: UInt64(range.count)
            ) { (chunk, _, _) throws(OverlayError) in
                bytes.append(contentsOf: chunk)
            }
            return bytes
        }
    }

    func replace(
        _ path: String, _ bytes: [UInt8], expecting stamp: String?
    ) throws(BibliographySyncError) -> BibliographyFile {
        let info = try syncing { () throws(OverlayError) in
            try put(path, replacing: stamp) { (staged) throws(OverlayError) in
                try host.transport.write(store.root, staged, bytes, verifyDigest: true)
            }
            return try host.transport.stat(store.root, [self.path(path)])[0].get()
        }
        return BibliographyFile(info)
    }

    func remove(_ path: String, expecting stamp: String) throws(BibliographySyncError) {
        try syncing { () throws(OverlayError) in
            try require(path, stamp)
            try host.transport.remove(store.root, self.path(path))
            writer?.changes.haveHappened = true
        }
    }

    func digest(_ path: String) throws(BibliographySyncError) -> String {
        try syncing { () throws(OverlayError) in try digest(of: self.path(path)) }
    }

    /// The SHA-256 of a file, by its path for the transport service.
    private func digest(of path: String) throws(OverlayError) -> String {
        let digest = Digest(.sha256)
        try host.transport.read(store.root, path) { (chunk, _, _) throws(OverlayError) in
            digest.add(chunk)
        }
        return Hex.text(digest.finish() ?? [])
    }
}

extension DeviceSide: PaperCopier {
    func sendLibrary(
        _ copy: PaperCopy, expecting stamp: String
    ) throws(BibliographySyncError) -> BibliographyFile {
        let info = try syncing { () throws(OverlayError) in
            try put(copy.target, replacing: copy.replaced) { (staged) throws(OverlayError) in
                let sent = try host.source.send(
                    [SourceItem(copy.source, devicePath: staged, expected: stamp)], to: store.root)
                guard let file = sent.first, try file.get().digest == digest(of: staged) else {
                    throw OverlayError(
                        .verificationFailed,
                        "The bibliography on the device differs from the one that was sent.",
                        subject: copy.target,
                        hint: "Run the same command again.", retryable: true)
                }
            }
            return try host.transport.stat(store.root, [self.path(copy.target)])[0].get()
        }
        return BibliographyFile(info)
    }

    func send(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult] {
        let results = try syncing { () throws(OverlayError) in
            guard let writer else { throw OverlayError(.wrongState, "A dry run writes nothing.") }
            return try writer.put(at: papers.map { path($0.target) }) { (staged) throws(OverlayError) in
                let items = zip(papers, staged).map {
                    SourceItem($0.source, devicePath: $1, isContinued: true)
                }
                return try host.source.send(items, to: store.root)
            } check: { (place) throws(OverlayError) in
                try require(papers[place].target, papers[place].replaced)
            }
        }
        return self.papers(results, papers.map(\.target), progress)
    }

    func fetch(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult] {
        let results = try syncing { () throws(OverlayError) in
            try host.source.fetch(
                papers.map { SourceItem($0.target, devicePath: path($0.source), expected: $0.replaced) },
                from: store.root)
        }
        return self.papers(results, papers.map(\.source), progress)
    }

    private func papers(
        _ results: [Result<SourceFileInfo, OverlayError>], _ paths: [String],
        _ progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) -> [PaperResult] {
        zip(results, paths).enumerated().map { place, copy in
            let (result, path) = copy
            let copied = PaperResult { () throws(BibliographySyncError) in
                try paper(try syncing { () throws(OverlayError) in try result.get() }, path)
            }
            guard case .success(let paper) = copied else { return copied }
            do throws(BibliographySyncError) {
                try progress(place, paper.size)
            } catch {
                // These papers have been copied and must be recorded. The run checks for a cancel before it copies
                // more.
                return copied
            }
            return copied
        }
    }

    private func paper(_ copied: SourceFileInfo, _ path: String) throws(BibliographySyncError) -> CopiedPaper
    {
        var modified = copied.deviceModified
        if modified == 0 { modified = try stat(path)?.modified ?? 0 }
        return CopiedPaper(
            size: copied.size, digest: copied.digest ?? "", hostStamp: copied.stamp ?? "",
            deviceStamp: Self.stamp(copied.size, modified))
    }
}

extension BibliographyFile {
    /// Converts a file on the device.
    init(_ file: FileInfo) {
        self.init(
            name: file.name, kind: Kind(file.kind), size: file.size, modified: file.modified,
            stamp: DeviceSide.stamp(file.size, file.modified))
    }
}
