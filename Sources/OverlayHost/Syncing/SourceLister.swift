import DeviceTransport
import Libraries
import Platform

/// Reads a source and its state on a separate thread while the device is listed. It does not use the device or the
/// overlay.
struct SourceLister: Sendable {
    /// The state and the content of a source.
    struct Found: Sendable {
        /// The state of the last sync.
        var state: SyncState
        /// The books of the source.
        var listing: SourceListing
    }

    let place: SourcePlace
    let store: SyncStateStore
    let request: SyncRequest
    /// The media types that the app supports, in its order.
    let formats: [String]
    /// The folder for the copy of a calibre library's database.
    let temporary: String
    let cancellation: Cancellation
    let notice: (@Sendable (String) -> Void)?

    /// Starts reading.
    ///
    /// - Returns: the result of `list`. Give it up if it is no longer needed.
    func early() -> BackgroundResult<Found, HostError> {
        BackgroundResult {
            do throws(HostError) { return .success(try list()) } catch { return .failure(error) }
        } discard: { _ in
        }
    }

    /// Reads the state and the source.
    func list() throws(HostError) -> Found {
        var state = store.load(place.path)
        if state.records.isEmpty, let file = store.damagedFile(of: place.path) {
            notice?(
                "\(file) is damaged, so books that were sent from this source before count as your own. They are not "
                    + "removed if they are gone from the source.")
        } else if state.kind == nil, let moved = store.moved(to: place) {
            state = moved
            notice?(
                "The source was moved here from \(moved.former ?? "another folder"). The books that were sent from there "
                    + "still count as its books.")
        }
        try place.check(last: state.kind)
        // The keys of a source of the other kind do not show which books are gone now.
        if let former = state.kind, former != place.kind, request.deletes || !request.search.isEmpty {
            throw HostError(
                .usage,
                "The source was synced as \(former == .calibre ? "a calibre library" : "a folder") last time.",
                subject: place.path, hint: "Sync it once without --delete and --search.",
                hintCode: .leaveOut)
        }
        return Found(state: state, listing: try listing(state))
    }

    private func listing(_ state: SyncState) throws(HostError) -> SourceListing {
        switch place.kind {
        case .folder:
            do throws(HostError) {
                return try FolderSource.list(place.path, formats: formats) { cancellation.isCancelled }
            } catch {
                guard error.hint == nil, error.code == .inputUnreadable else { throw error }
                var failure = error
                failure.hint = "Nothing was changed on the device."
                throw failure
            }
        case .calibre:
            return try CalibreSource.list(
                place.path, formats: formats, search: try LibrarySearch(request.search), wantsColumns: true,
                temporary: temporary, isKnown: { state.records[$0] != nil }
            ) { cancellation.isCancelled }
        }
    }
}
