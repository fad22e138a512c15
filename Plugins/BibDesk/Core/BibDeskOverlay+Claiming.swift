import Claims
import OverlayKit

extension BibDeskOverlay {
    /// How long another program's change is waited for.
    private static let patience = Duration.seconds(30)

    /// Runs what changes libraries or papers, while no other program of this kind does. The libraries are read after the claim is
    /// taken.
    ///
    /// - Throws: `busy` when another program takes longer than it is waited for.
    func claimed(
        _ body: (ReferenceList, LibraryWriter) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try writing(to: try ReferenceStore.find(host)) { (writer) throws(OverlayError) in
            try body(try references(try preferences()), writer)
        }
    }

    /// Runs what changes files of the app, while no other program of this kind does.
    ///
    /// - Parameters:
    ///   - store: where the app keeps its files.
    ///   - begun: whether papers that a sync has begun to send stay for the next one, as they do when `body` throws.
    ///   - body: changes files.
    /// - Throws: `busy` when another program takes longer than it is waited for.
    func writing(
        to store: ReferenceStore, keeping begun: Bool = false,
        _ body: (LibraryWriter) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try host.transport.makeFolder(store.root, store.ownFolder)
        let claim = try FolderClaim.take(
            ClaimPlace(
                host: host, root: store.root, folder: store.ownFolder, name: try appName(),
                patience: Self.patience, now: clock
            ) { () throws(OverlayError) in try self.unfinishedFiles(store) })
        defer { claim.release() }
        let writer = LibraryWriter(host, store, claim)
        try SetAsideFiles(host, store).putBack()
        try writer.clearStaging(keeping: begun)
        try body(writer)
        // People see the shared folder, so leave nothing unfinished in it.
        if store.root == .documents { try writer.clearStaging(keeping: begun) }
    }

    /// The paths of what a program that changes something is writing.
    private func unfinishedFiles(_ store: ReferenceStore) throws(OverlayError) -> [String] {
        do throws(OverlayError) {
            let names = try host.transport.list(store.root, store.staging).map(\.name)
            return names.map { store.staging + "/" + $0 }
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
    }
}
