import Claims
import OverlayKit

extension BookShelf {
    /// How long to wait for another program's change.
    private static let patience = Duration.seconds(30)

    /// Runs `body` while no other program of this kind changes files. Otherwise two programs could choose the same
    /// free name, write the same partial file, or remove a file that the other has just added.
    ///
    /// If a device is too full for a claim, the change continues without one, because it can add almost nothing.
    ///
    /// - Parameter body: receives this shelf with the claim.
    /// - Throws: `busy` if another program changes the shelf for longer than the patience allows.
    public func claimed(_ body: (BookShelf) throws(OverlayError) -> Void) throws(OverlayError) {
        try claimedAndListed { shelf, _ throws(OverlayError) in try body(shelf) }
    }

    /// Does the same, and also passes the names in the shared folder to `body`, as they were listed under the claim;
    /// nil without a claim.
    func claimedAndListed(
        _ body: (BookShelf, _ listed: [String]?) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        var shelf = self
        let taken = try takeClaim()
        shelf.claim = taken?.claim
        defer { shelf.claim?.release() }
        try body(shelf, taken?.listed)
    }

    /// Call between two steps of a method: throws if it was cancelled, and renews the claim if that is due.
    public func goOn() throws(OverlayError) {
        try host.cancellation.check()
        try claim?.keep()
    }

    /// Call before files are sent: throws if this program no longer holds the claim.
    public func renewClaim() throws(OverlayError) { try claim?.renew() }

    /// Renews the claim while books are being sent, if that is due. An error does not end the push, so that the rows
    /// of all books that have arrived are received: a push ends by itself when it is cancelled or the device is gone.
    /// Afterwards the caller checks for a cancellation, and before the next books `renewClaim` checks that the claim is
    /// still held.
    public func keepClaim() {
        do throws(OverlayError) {
            try claim?.keep()
        } catch {
            guard !error.endsTheCall else { return }
            host.log.notice(
                "claims",
                "Other programs may now use the folder at the same time: "
                    + "\(error.message)")
        }
    }

    /// A claim, and the names in the shared folder after leftovers were removed; nil if the device is full.
    private func takeClaim() throws(OverlayError) -> (claim: FolderClaim, listed: [String])? {
        do throws(OverlayError) {
            let claim = try FolderClaim.take(
                ClaimPlace(
                    host: host, root: place.root, folder: place.folder, name: options.appName,
                    patience: Self.patience, now: options.clock
                ) { () throws(OverlayError) in try partialFiles() })
            do throws(OverlayError) {
                let names = try namesInPlace()
                try claim.clearLeftovers(names) { () throws(OverlayError) in try partialFiles() }
                return (claim, names.filter { !PartialFile.hasName($0) })
            } catch {
                claim.release()
                throw error
            }
        } catch {
            guard error.status == .noSpace else { throw error }
            host.log.notice(
                "claims",
                "The device is full, so other programs cannot be kept from using "
                    + "the folder at the same time.")
            return nil
        }
    }

    /// The paths of the partial files in all folders. The files grow while the holder of a claim sends books.
    private func partialFiles() throws(OverlayError) -> [String] {
        try walk.contents().partialFiles.map { place.path($0) }
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
