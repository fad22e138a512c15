import Claims
import OverlayKit

extension BookShelf {
    /// How long another program's change is waited for.
    private static let patience = Duration.seconds(30)

    /// Runs what changes files, while no other program of this kind does: two of them would choose the same free name, write
    /// the same unfinished file at once, or remove what the other has just put in place of something else.
    ///
    /// A full device has no room for a claim; then the change goes on without one, for it can hardly add anything.
    ///
    /// - Parameter body: is given this shelf with the claim.
    /// - Throws: `busy` when another program changes the shelf for longer than it is waited for.
    public func claimed(_ body: (BookShelf) throws(OverlayError) -> Void) throws(OverlayError) {
        var shelf = self
        shelf.claim = try takeClaim()
        defer { shelf.claim?.release() }
        try body(shelf)
    }

    /// Between two steps of a method: whether it may continue, and a sign to other programs that it does.
    public func goOn() throws(OverlayError) {
        try host.cancellation.check()
        try claim?.keep()
    }

    /// Before files are sent: makes sure that the shelf is still this program's.
    public func renewClaim() throws(OverlayError) { try claim?.renew() }

    /// Shows that the claim is in use while books are on their way. Whether it still is ours is asked before the next ones.
    public func keepClaim() throws(OverlayError) {
        do throws(OverlayError) {
            try claim?.keep()
        } catch {
            if error.endsTheCall { throw error }
            host.log.notice(
                "claims",
                "Other programs may now use the folder at the same time: "
                    + "\(error.message)")
        }
    }

    private func takeClaim() throws(OverlayError) -> FolderClaim? {
        do throws(OverlayError) {
            let claim = try FolderClaim.take(
                ClaimPlace(
                    host: host, root: place.root, folder: place.folder, name: options.appName,
                    patience: Self.patience, now: options.clock
                ) { () throws(OverlayError) in try partialFiles() })
            do throws(OverlayError) {
                try claim.clearLeftovers(try namesInPlace()) { () throws(OverlayError) in try partialFiles() }
            } catch {
                claim.release()
                throw error
            }
            return claim
        } catch {
            guard error.status == .noSpace else { throw error }
            host.log.notice(
                "claims",
                "The device is full, so other programs cannot be kept from using "
                    + "the folder at the same time.")
            return nil
        }
    }

    /// The paths of the partial files in all folders, which grow while the holder of a claim is at work.
    private func partialFiles() throws(OverlayError) -> [String] {
        try FolderWalk(host, place, ignoring: options.ignoredFolders).contents().partialFiles
            .map { place.path($0) }
    }

    private func namesInPlace() throws(OverlayError) -> [String] {
        do throws(OverlayError) {
            return try host.transport.list(place.root, place.folder).map(\.name)
        } catch {
            guard error.status == .notFound else { throw error }
            return []
        }
    }
}
