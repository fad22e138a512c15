import Claims
import OverlayKit

extension BibDeskOverlay {
    /// How long to wait for another program's change.
    private static let patience = Duration.seconds(30)

    /// Runs `body`, which changes libraries or papers, while no other program of this kind does. The libraries are
    /// read after the claim is taken.
    ///
    /// - Throws: `busy` if another program takes longer than the patience allows.
    func claimed(
        _ body: (ReferenceList, LibraryWriter) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        try writing(to: try ReferenceStore.find(host)) { (writer) throws(OverlayError) in
            try body(try references(try preferences()), writer)
        }
    }

    /// Runs `body`, which changes files of the app, while no other program of this kind does.
    ///
    /// - Parameters:
    ///   - store: the app's files.
    ///   - partial: whether partly sent papers of a sync are kept for the next one; they are kept in any case if `body`
    ///     throws.
    ///   - body: changes files.
    /// - Throws: `busy` if another program takes longer than the patience allows.
    func writing(
        to store: ReferenceStore, keeping partial: Bool = false,
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
        defer { if writer.changes.haveHappened, store.isBibDesk { tellToOpenAgain() } }
        try SetAsideFiles(host, store).putBack()
        try writer.clearStaging(keeping: partial)
        try body(writer)
        // Users see the shared folder, so unfinished files must not stay in it.
        if store.root == .documents { try writer.clearStaging(keeping: partial) }
    }

    /// Reports once that the app shows changes only after it is opened again.
    private func tellToOpenAgain() {
        let remark =
            "Close BibDesk and open it again to see the changes: it reads its files only when it starts."
        if toldRemarks.insert(remark).inserted { host.log.warning(BibDeskSettings.logCategory, remark) }
    }

    /// The paths that a program writes while it changes something.
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
