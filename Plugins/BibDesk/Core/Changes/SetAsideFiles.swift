import OverlayKit
import Platform

/// Moves files aside for their replacements, on devices where a rename does not replace a file.
///
/// The old file is kept in a folder that the app does not read, with a note of its path, until the new file is in
/// place. If this is interrupted, the next program that changes something restores the file.
struct SetAsideFiles {
    private let host: HostServices
    private let store: ReferenceStore
    private var folder: String { store.ownFolder + "/.overlayhost-aside" }
    /// The longest path, in bytes, that is noted.
    private static let longestPath = 1 << 16

    init(_ host: HostServices, _ store: ReferenceStore) { (self.host, self.store) = (host, store) }

    /// Renames a file to a path where an old file may exist.
    func rename(_ staged: String, to target: String) throws(OverlayError) {
        do throws(OverlayError) {
            return try host.transport.rename(store.root, staged, to: target)
        } catch {
            guard error.status == .alreadyExists else { throw error }
        }
        let place = folder + "/" + String(UInt64.random(in: .min ... .max), radix: 16)
        try host.transport.makeFolder(store.root, place)
        try host.transport.write(store.root, place + "/target", Array(target.utf8))
        try host.transport.rename(store.root, target, to: place + "/old")
        do throws(OverlayError) {
            try host.transport.rename(store.root, staged, to: target)
        } catch {
            if !error.endsTheCall { try tryToPutBack(place) }
            throw error
        }
        do throws(OverlayError) {
            try host.transport.remove(store.root, place, recursive: true)
        } catch {
            guard !error.endsTheCall else { throw error }
            // The new file is in place; the next command removes the old one.
            host.log.debug(
                BibDeskSettings.logCategory, "Cannot remove '\(place)', which is not needed: \(error.message)"
            )
        }
    }

    /// Whether an interrupted program left files to be restored.
    func arePending() throws(OverlayError) -> Bool { try !names().isEmpty }

    /// Restores what an interrupted program set aside, unless the replacement is in place. Files that cannot be
    /// restored stay aside.
    func putBack() throws(OverlayError) {
        for name in try names() { try tryToPutBack(folder + "/" + name) }
    }

    /// Restores one file; throws only errors that end the call.
    private func tryToPutBack(_ place: String) throws(OverlayError) {
        do throws(OverlayError) {
            try putBack(place)
        } catch {
            guard !error.endsTheCall else { throw error }
            host.log.warning(
                BibDeskSettings.logCategory,
                "Cannot put back the file that is set aside in '\(place)': \(error.message)")
        }
    }

    private func putBack(_ place: String) throws(OverlayError) {
        let target: [UInt8]
        do throws(OverlayError) {
            target = try host.transport.readAll(store.root, place + "/target", limit: Self.longestPath)
        } catch {
            guard error.status == .notFound else { throw error }
            // The note is written first, so nothing was moved yet.
            return try host.transport.remove(store.root, place, recursive: true)
        }
        let path = String(decoding: target, as: UTF8.self)
        // The note is on the device, where any program may have written it.
        guard path.isAbsolutePath, !path.pathNames.contains(where: { $0 == ".." || $0 == "." }) else {
            throw OverlayError(.rejected, "The record of its original path is damaged.")
        }
        let found = try host.transport.stat(store.root, [path, place + "/old"])
        if case .failure(let error) = found[0], error.status != .notFound { throw error }
        if case .failure = found[0], case .success = found[1] {
            if let above = path.pathFolder, !above.isEmpty {
                try host.transport.makeFolder(store.root, String(above))
            }
            try host.transport.rename(store.root, place + "/old", to: path)
        }
        try host.transport.remove(store.root, place, recursive: true)
    }

    private func names() throws(OverlayError) -> [String] {
        do throws(OverlayError) {
            return try host.transport.list(store.root, folder).map(\.name)
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
    }
}
