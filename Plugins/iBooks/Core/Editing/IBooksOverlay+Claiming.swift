import BookFolders
import Claims
import OverlayKit
import Platform

extension IBooksOverlay {
    /// How long to wait for another program's change.
    private static let patience = Duration.seconds(30)

    /// Runs `body`, which changes Books, while no other program of this kind does. Unfinished list changes of an
    /// interrupted command are finished first.
    ///
    /// - Parameter patience: the longest time to wait for another program's change.
    /// - Throws: `busy` if another program uses Books for longer than that, or if a list is missing that an
    ///   interrupted command was changing.
    func claimed<Value>(
        patience: Duration = IBooksOverlay.patience, _ body: (FolderClaim) throws(OverlayError) -> Value
    ) throws(OverlayError) -> Value {
        let claim = try FolderClaim.take(
            ClaimPlace(
                host: host, root: .media, folder: BooksLibrary.root, name: "Books", patience: patience,
                now: clock
            ) { () throws(OverlayError) in try self.filesAtWork() })
        defer { claim.release() }
        try claim.clearLeftovers(try names(in: BooksLibrary.root)) { () throws(OverlayError) in
            try filesAtWork().filter { path in
                path.pathNames.last.map { PartialFile.hasName($0) } ?? false
            }
        }
        try ListJournal(host).finish()
        return try body(claim)
    }

    /// Finishes an interrupted command before the lists are read. If another program is making changes, or this
    /// fails, the lists are read unchanged.
    func finishInterrupted() throws(OverlayError) {
        guard !ListJournal(host).isEmpty || !FileJournal(host).files.isEmpty, try mayWrite else {
            return
        }
        do throws(OverlayError) {
            try claimed(patience: .zero) { _ throws(OverlayError) in
                try FileJournal(host).sweep(needed: [])
            }
        } catch {
            if error.endsTheCall { throw error }
            host.log.notice(
                "ibooks",
                "An interrupted change was left for the next command to finish: "
                    + "\(error.message)")
        }
    }

    /// The paths that a program changes while it sends or removes books.
    private func filesAtWork() throws(OverlayError) -> [String] {
        var paths: [String] = []
        for folder in Set(BooksPlist.all.map(\.folder) + [BooksPlist.sync.ownFolder, ArtworkFolder.path]) {
            paths += try names(in: folder).filter { !$0.hasPrefix(FolderClaim.name) }
                .map { folder + "/" + $0 }
        }
        return paths + BooksPlist.all.map(\.path)
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
