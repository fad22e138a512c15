import BookFolders
import Claims
import OverlayKit

extension IBooksOverlay {
    /// How long another program's change is waited for.
    private static let patience = Duration.seconds(30)

    /// Runs what changes Books, while no other program of this kind does.
    ///
    /// - Throws: `busy` when another program has Books for longer than it is waited for.
    func claimed<Value>(
        _ body: (FolderClaim) throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        let claim = try FolderClaim.take(
            ClaimPlace(
                host: host, root: .media, folder: Library.root, name: "Books", patience: Self.patience,
                now: clock
            ) { () throws(OverlayError) in try self.filesAtWork() })
        defer { claim.release() }
        claim.clearAttempts(try names(in: Library.root))
        return try body(claim)
    }

    /// The paths of what a program changes that sends books, or removes them.
    private func filesAtWork() throws(OverlayError) -> [String] {
        var paths: [String] = []
        for folder in Set(BookList.all.map(\.folder) + [ArtworkFolder.path]) {
            paths += try names(in: folder).filter { !$0.hasPrefix(FolderClaim.name) }
                .map { folder + "/" + $0 }
        }
        return paths + BookList.all.map(\.path)
    }

    private func names(in folder: String) throws(OverlayError) -> [String] {
        do throws(OverlayError) {
            return try host.transport.list(.media, folder).map(\.name)
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
    }
}
