import DeviceTransport
import Libraries
import Platform

/// Reads what is in a source and what was agreed about it, on a thread of its own while the device is listed. It asks neither
/// the device nor the overlay for anything.
struct SourceLister: Sendable {
    /// What is there, and what was.
    struct Found: Sendable {
        /// What was agreed last.
        var state: SyncState
        /// The books of the source.
        var listing: SourceListing
    }

    let place: SourcePlace
    let store: SyncStateStore
    let request: SyncRequest
    /// The media types that the app takes, in its order.
    let formats: [String]
    /// Where the copy of a calibre library's database is made.
    let temporary: String
    let cancellation: Cancellation

    /// Begins to read.
    ///
    /// - Returns: what `list` returns or throws; give it up where it is no longer wanted.
    func early() -> BackgroundResult<Found, HostError> {
        BackgroundResult {
            do throws(HostError) { return .success(try list()) } catch { return .failure(error) }
        } discard: { _ in
        }
    }

    /// Reads the state and the source.
    func list() throws(HostError) -> Found {
        let state = store.load(place.path)
        try place.check(last: state.kind)
        // Their former names do not tell which of the books are gone now.
        if let former = state.kind, former != place.kind, request.deletes || !request.search.isEmpty {
            throw HostError(
                .usage,
                "The source was synced as \(former == .calibre ? "a calibre library" : "a folder") last time.",
                subject: place.path, hint: "Sync it once without --delete and --search.")
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
