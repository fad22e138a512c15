import DeviceTransport
import Libraries
import Platform

extension HostSession {
    /// Syncs the books of a source on the host to the reader app. The source is a folder or a calibre library.
    ///
    /// New books are added, and changed books are updated or replaced. With `deletes`, books that came from the
    /// source and are gone there are removed. Books that the app also changed are left unchanged and reported. Only
    /// one sync of an app on a device runs at a time; others wait. The next run finishes a run that was interrupted.
    ///
    /// If the overlay syncs folders in both directions, it does so instead, unless the source is a calibre library.
    ///
    /// - Throws: an error that prevents planning: the source cannot be read completely, or the device cannot be
    ///   listed.
    public func sync(_ request: SyncRequest) throws(HostError) -> SyncResult {
        let source = if let source = request.source { source } else { try syncFolder() }
        let place = try SourcePlace(source, asFolder: request.asFolder)
        let store = SyncStateStore(
            parent: self.request.paths.state, device: device.udid, app: app.bundleID)
        let cancellation = self.request.cancellation
        let lock: FolderLock? =
            request.isDryRun
            ? nil
            : try store.lock {
                self.request.notice?("Waiting for another sync with \(app.name) to finish.")
            } isCancelled: {
                cancellation.isCancelled
            }
        defer { withExtendedLifetime(lock) {} }
        if place.kind == .folder, link.instance.syncsSource {
            try place.check(last: store.load(place.path).kind)
            guard !place.hasDatabase else {
                throw HostError(
                    .notSupported, "\(app.name) would change the files of this calibre library.",
                    subject: place.path,
                    hint: "Leave out --as-folder.", hintCode: .leaveOut)
            }
            return try syncByOverlay(place.path, request)
        }
        guard request.wanted.isEmpty else {
            throw HostError(
                .notSupported, "\(app.name) does not support --wanted.", subject: request.wanted[0],
                hint: "Leave out --wanted.", hintCode: .leaveOut)
        }
        guard request.search.isEmpty || place.kind == .calibre else {
            throw HostError(
                .usage, "--search requires a calibre library.", subject: place.path,
                hint: "Leave out --search, or give the folder of a calibre library.", hintCode: .leaveOut)
        }
        let (agreed, found, device) = try bothSides(place, store, request)
        var (state, listing) = (agreed, found)
        try checkNames(listing, request)
        let reader = SourceReader(place, self, request)
        let books = try reader.read(listing, state) { device.position(ofPath: $0) != nil }
        // The entries are now in `books`.
        listing.entries = []
        let policy = try policy(request, place)
        let others = try store.paths(ofOthersThan: state)
        let (steps, movesRecords) = SyncPlanner.plan(
            policy, state: &state, others: others, books: books, present: listing.present,
            links: listing.links,
            shelf: DeviceShelf(
                count: device.count, position: device.position, digest: device.digest, book: device.book))
        let refusal = RemovalLimit(
            request.confirmedRemovals, state, isDoubtful: listing.present.isEmpty || state.isMoved
        ).refusal(of: steps)
        if listing.present.isEmpty {
            try checkEmptied(steps, refusal, place, request, hasBooks: !listing.unsupported.isEmpty)
        }
        let unsupported = listing.unsupported.map { $0.row(app.name) }
        guard !request.isDryRun else {
            let plan = try SyncForecast(self, request).rows(of: steps, refusal)
            return SyncResult(source: place.path, plan: plan + unsupported, results: nil)
        }
        var run = SyncRun(
            self, reader, store, request, policy, books: consume books, steps: consume steps, refusal,
            state: state, isUnsaved: movesRecords, device: device)
        let results = run.run(listing.present)
        return SyncResult(source: place.path, plan: run.plan + unsupported, results: results)
    }

    /// The folder to sync, from the overlay's preference.
    ///
    /// - Throws: a usage error whose hint shows how to give a folder, if there is none.
    private func syncFolder() throws(HostError) -> String {
        var missing = HostError(
            .usage, "There is no folder to sync with \(app.name).", hint: "Give the folder to sync.")
        guard link.instance.syncsSource, let option = overlay.options.first(where: \.namesSyncFolder) else {
            throw missing
        }
        let schema = request.overlays.schema(using: overlay)
        let folder = try request.preferences.read().with(schema).text(option.key) ?? ""
        guard !folder.isEmpty else {
            missing.hint =
                "Give a folder, as in 'overlayhost sync FOLDER', or set a default: "
                + "overlayhost prefs set \(option.key) FOLDER"
            missing.hintCode = .preference
            throw missing
        }
        return request.paths.expandingHome(folder)
    }

    /// The state of the last sync, the source, and the books on the device. The source is read while the device is
    /// listed.
    private func bothSides(
        _ place: SourcePlace, _ store: SyncStateStore, _ request: SyncRequest
    ) throws(HostError) -> (SyncState, SourceListing, BookList) {
        let lister = SourceLister(
            place: place, store: store, request: request, formats: try settings().formats,
            temporary: self.request.paths.temporary, cancellation: self.request.cancellation,
            notice: self.request.notice)
        let early = lister.early()
        defer { early.giveUp() }
        let device = try books()
        link.progress.begin("Reading the source")
        let known = try early.take()
        let source = if let known { known } else { try lister.list() }
        return (source.state, source.listing, device)
    }

    /// Throws an error if books are to be removed although the source has a name that cannot be read: the file or
    /// folder may hold the books that seem to be gone.
    private func checkNames(_ listing: SourceListing, _ request: SyncRequest) throws(HostError) {
        guard request.deletes, let unnamed = listing.unnamed else { return }
        throw HostError(
            .inputUnreadable, "The name is not valid UTF-8, so the books that are gone are not known.",
            subject: unnamed, hint: "Rename it, or leave out --delete.", hintCode: .leaveOut)
    }

    /// Throws an error for a source from which books were synced and that now has none for the app, because a disk that
    /// is not mounted also looks empty.
    ///
    /// - Parameters:
    ///   - refusal: why books are not removed; nil if the user has confirmed their number.
    ///   - hasBooks: whether the source has books in formats that the app does not accept.
    private func checkEmptied(
        _ steps: [SyncStep], _ refusal: HostError?, _ place: SourcePlace, _ request: SyncRequest,
        hasBooks: Bool
    ) throws(HostError) {
        // Rows without a book of the source are about books that are gone from it.
        let left = steps.count { $0.source == nil && $0.before?.isOwned == true }
        let removals = steps.count { $0.row.action == .remove }
        let isConfirmed = removals > 0 ? refusal == nil : request.mayLoseMarks
        guard left > 0, !isConfirmed, !request.isComparison else { return }
        let consent =
            removals > 0
            ? "To remove the books, use --max-delete \(removals), or --yes if highlights in them may be lost."
            : "To go on, use --yes."
        throw HostError(
            .inputUnreadable,
            (hasBooks ? "The source has no book in a format that \(app.name) accepts" : "The source is empty")
                + ", but \(left == 1 ? "a book" : "\(left) books") on the device came from it.",
            subject: place.path,
            hint: (hasBooks
                ? "Check that the folder and the app are the right ones. "
                : "Check that the folder is the right one and is mounted. ") + consent,
            hintCode: .consent)
    }

    private func policy(_ request: SyncRequest, _ place: SourcePlace) throws(HostError) -> SyncPolicy {
        let settings = try settings()
        let canUpdate = settings.missing("update") == nil
        let settable = canUpdate ? Set(settings.settableMetadata) : []
        return SyncPolicy(
            app: app.name, deletes: request.deletes, prefers: request.prefers,
            settable: settings.missing("collections") == nil
                ? settable : settable.subtracting(["collections"]),
            setsCovers: settable.contains("cover") && settings.missing("covers") == nil,
            listsOthers: request.listsOthers, keysAreNames: place.kind == .folder)
    }
}
