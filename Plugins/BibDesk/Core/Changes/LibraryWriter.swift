import BibTeX
import BookFolders
import Claims
import OverlayKit
import Platform

/// Writes libraries to the device if the app would load them. A library is first written to a folder that the app
/// does not read, and then renamed.
struct LibraryWriter {
    private let host: HostServices
    private let store: ReferenceStore
    private let claim: FolderClaim
    /// Whether files of the app were changed.
    let changes = Changes()

    /// Notes whether files of the app were changed.
    final class Changes {
        /// Whether there was a change.
        var haveHappened = false
    }

    /// Creates a writer for the holder of a claim.
    init(_ host: HostServices, _ store: ReferenceStore, _ claim: FolderClaim) {
        (self.host, self.store, self.claim) = (host, store, claim)
    }

    /// Writes a library in place of the one that was read, or as a new one.
    ///
    /// - Parameters:
    ///   - document: the changed library.
    ///   - old: the library that was read; its file must not have changed.
    /// - Throws: `rejected` with line and column if BibDesk would not load it, `busy` if another program has changed
    ///   it since.
    func write(_ document: BibTeXDocument, over old: ReferenceLibrary) throws(OverlayError) {
        let app = document.forApp()
        if let problem = app.problemsForApp().first {
            // If the problem existed before, report its position in the file on the device.
            let place = old.document.problemWhenSent() ?? problem
            throw OverlayError(
                .rejected, "The library was not written because BibDesk would refuse it: \(place)",
                subject: old.path.text, hint: "Correct this entry in the library, and try again.")
        }
        // Other apps read other encodings, and links of any form.
        let bytes = store.isBibDesk ? app.bytes : document.bytes
        guard bytes.count <= DeviceLibraries.largestLibrary else {
            throw OverlayError(
                .noSpace, "The library would be larger than \(DeviceLibraries.largestLibrary) bytes.",
                subject: old.path.text)
        }
        try put(old.path) { target throws(OverlayError) in
            try host.transport.write(store.root, target, bytes, verifyDigest: true)
        } check: { () throws(OverlayError) in
            try requireUnchanged(old)
        }
    }

    /// Sends a paper to a free place, or to one with an earlier copy.
    ///
    /// - Parameter place: the path relative to the folder of papers.
    func send(_ file: HostFile, to place: ShelfPath) throws(OverlayError) {
        try put(place, in: store.papers) { target throws(OverlayError) in
            let rows = try host.transport.push(
                store.root, [PushItem(file, to: target)], verifyDigest: true)
            guard let row = rows.first, row.outcome != .failed else {
                let row = rows.first
                throw OverlayError(
                    row?.status ?? .failed, row?.message ?? "Cannot send the paper.", subject: place.text,
                    hint: row?.hint, retryable: row?.retryable ?? false)
            }
        } check: { () throws(OverlayError) in
        }
    }

    /// Removes what an interrupted command left in the staging folder.
    ///
    /// - Parameter partial: whether to keep partly sent papers of a sync; if there are more than two runs can leave,
    ///   none is kept.
    func clearStaging(keeping partial: Bool = false) throws(OverlayError) {
        do throws(OverlayError) {
            let names = partial ? try host.transport.list(store.root, store.staging).map(\.name) : []
            let papers = Set(names.filter(ReferenceStore.isPartial))
            guard !papers.isEmpty, papers.count <= Self.mostPartial else {
                return try host.transport.remove(store.root, store.staging, recursive: true)
            }
            for name in names where !papers.contains(name) {
                try host.transport.remove(store.root, store.staging + "/" + name, recursive: true)
            }
        } catch {
            guard error.status == .notFound else { throw error }
        }
    }

    /// The most papers that two runs can leave partly sent, eight each.
    private static let mostPartial = 16

    /// Removes papers that were sent but are not in a library.
    func discard(_ papers: [ShelfPath]) {
        for place in papers { discard(store.papers.path(place)) }
    }

    // MARK: steps

    private func put(
        _ path: ShelfPath, in folder: BookPlace? = nil, _ write: (String) throws(OverlayError) -> Void,
        check: () throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try put(at: (folder ?? store.libraries).path(path), write, check: check)
    }

    /// Writes a file to a folder that the app does not read, and renames it.
    ///
    /// - Parameters:
    ///   - target: the final path of the file in the root.
    ///   - write: writes the file to the path it receives.
    ///   - check: throws if the file may no longer be moved there.
    func put(
        at target: String, _ write: (String) throws(OverlayError) -> Void,
        check: () throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let results: [Result<Void, OverlayError>] = try put(at: [target]) { staged throws(OverlayError) in
            for path in staged { try write(path) }
            return [.success(())]
        } check: { _ throws(OverlayError) in
            try check()
        }
        for result in results { try result.get() }
    }

    /// Writes several files at once and renames each; returns one result for each.
    ///
    /// - Parameters:
    ///   - targets: the final paths of the files in the root.
    ///   - write: writes the files to the paths it receives, and returns a result for each.
    ///   - check: throws if the file may no longer be moved to the target; called right before the move.
    func put<Value>(
        at targets: [String],
        _ write: ([String]) throws(OverlayError) -> [Result<Value, OverlayError>],
        check: (Int) throws(OverlayError) -> Void
    ) throws(OverlayError) -> [Result<Value, OverlayError>] {
        try claim.renew()
        let folders = targets.map { String($0.pathFolder ?? "") }
        for folder in Set(folders).sorted() { try host.transport.makeFolder(store.root, folder) }
        try host.transport.makeFolder(store.root, store.staging)
        let staged = targets.map { _ in
            store.staging + "/" + String(UInt64.random(in: .min ... .max), radix: 16)
        }
        var results: [Result<Value, OverlayError>]
        do throws(OverlayError) {
            results = try write(staged)
        } catch {
            if !error.endsTheCall { for path in staged { discard(path) } }
            throw error
        }
        var ending: OverlayError?
        for (place, result) in zip(targets.indices, results) {
            if let ending {
                results[place] = .failure(ending)
                continue
            }
            do throws(OverlayError) {
                _ = try result.get()
                try check(place)
                try SetAsideFiles(host, store).rename(staged[place], to: targets[place])
                changes.haveHappened = true
            } catch {
                results[place] = .failure(error)
                if error.endsTheCall { ending = error } else { discard(staged[place]) }
            }
        }
        return results
    }

    private func discard(_ path: String) {
        do throws(OverlayError) {
            try host.transport.remove(store.root, path)
        } catch {
            // The next command removes staged files.
            host.log.debug(
                BibDeskSettings.logCategory, "Cannot remove '\(path)', which is not needed: \(error.message)")
        }
    }

    private func requireUnchanged(_ library: ReferenceLibrary) throws(OverlayError) {
        let found = try host.transport.stat(store.root, [store.libraries.path(library.path)]).first
        switch (found, library.file) {
        case (.success(let info)?, let file?) where info.size == file.size && info.modified == file.modified:
            return
        case (.failure(let error)?, nil) where error.status == .notFound: return
        case (.failure(let error)?, _) where error.status != .notFound: throw error
        default:
            throw OverlayError(
                .busy, "Another program has changed the library in the meantime.", subject: library.path.text,
                hint: "Run the same command again.", retryable: true)
        }
    }
}
