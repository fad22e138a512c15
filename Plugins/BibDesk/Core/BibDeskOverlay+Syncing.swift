import Diagnostics
import BibliographySync
import BookFolders
import Glibc
import OverlayKit
import Platform

extension BibDeskOverlay: SyncsSource {
    /// Syncs the bibliographies of a folder and their papers with those of the app, in both directions.
    public func syncSource(
        _ options: SourceSyncOptions, plan: (SourcePlanRow) throws(OverlayError) -> Void,
        report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let store = try ReferenceStore.find(host)
        if !options.isDryRun, try SetAsideFiles(host, store).arePending() {
            // `writing` first restores files that were set aside.
            try writing(to: store, keeping: true) { _ in }
        }
        try sync(options, store, plan: plan, report: report)
    }

    /// Makes a plan, and takes a claim only if there is something to do. Each step notices if something has changed
    /// since the plan.
    private func sync(
        _ options: SourceSyncOptions, _ store: ReferenceStore,
        plan: (SourcePlanRow) throws(OverlayError) -> Void, report: (ItemResult) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let settings = try preferences()
        let dropbox = store.layout == .linkedFiles ? try AppSettings.dropboxFolder(host) : nil
        let places = LinkPlaces(store.layout, dropboxFolder: dropbox, roots: settings.linkRoots)
        let finder = PaperFinder(
            places: places, papers: places.needsListing ? try PaperIndex(host, store) : PaperIndex(),
            cached: PaperIndex())
        let device = DeviceSide(host: host, store: store)
        let source = SourceSide(source: host.source)
        let wanted = WantedPapers(
            device, finder,
            PaperRules(groups: settings.syncGroups, fields: settings.syncFields, kinds: settings.kinds),
            clock: groupClock(), askedFor: options.wanted)
        let sides = BibliographySides(
            host: source, device: device, copier: device, state: source,
            marks: DeviceMarks(host: host, store: store), mapping: wanted)
        var wish = BibliographySyncOptions(day: today())
        wish.deletes = options.deletes
        wish.isForced = options.isForced
        wish.share = settings.deleteShare
        wish.readsArchivesOnly = store.isBibDesk
        wish.fallbackEncoding = settings.fallbackEncoding
        wish.largestPaper = settings.sizeLimit
        if !settings.sendsOverWiFi, try host.transport.device().isOverNetwork {
            wish.papersStay =
                "Papers are not sent over Wi-Fi. Connect the cable, or allow it with "
                + "'overlayhost prefs set \(BibDeskSettings.Key.wifi) true'."
        }
        do throws(BibliographySyncError) {
            var run = try BibliographySyncRun(sides, wish, hooks: hooks(store))
            let rows = try run.plan()
            for remark in wanted.remarks { host.log.warning(BibDeskSettings.logCategory, remark) }
            for row in rows { try syncing { () throws(OverlayError) in try plan(SourcePlanRow(row)) } }
            let unknown = wanted.unknown
            for name in unknown {
                try syncing { () throws(OverlayError) in
                    try plan(
                        SourcePlanRow(.keep, item: name, reason: Self.unknownReference.message, fails: true))
                }
            }
            guard !options.isDryRun else { return }
            guard run.hasWork else { return try carryOut(&run, rows, unknown, report) }
            try syncing { () throws(OverlayError) in
                try writing(to: store, keeping: true) { (writer) throws(OverlayError) in
                    device.writer = writer
                    do throws(BibliographySyncError) {
                        try carryOut(&run, rows, unknown, report)
                    } catch {
                        throw OverlayError(error)
                    }
                    // A partly sent paper that has not been completed by now is no longer wanted.
                    try writer.clearStaging()
                }
            }
        } catch {
            throw OverlayError(error)
        }
    }

    private func carryOut(
        _ run: inout BibliographySyncRun, _ rows: [BibliographyPlanRow], _ unknown: [String],
        _ report: (ItemResult) throws(OverlayError) -> Void
    ) throws(BibliographySyncError) {
        for place in unknown.indices {
            try syncing { () throws(OverlayError) in
                try report(.failed(rows.count + place, Self.unknownReference))
            }
        }
        try run.carryOut { (place, failure) throws(BibliographySyncError) in
            try syncing { () throws(OverlayError) in
                if let result = ItemResult(place, rows[place], failure) { try report(result) }
            }
        }
    }

    /// The error for a requested name that does not exist.
    private static var unknownReference: OverlayError {
        OverlayError(
            .notFound, "No reference has this cite key or links to this path.",
            hint: "Check the spelling. 'overlayhost books' shows the references on the device.",
            hintKind: .list)
    }

    private func hooks(_ store: ReferenceStore) -> BibliographySyncHooks {
        var hooks = BibliographySyncHooks()
        let host = host
        hooks.isCancelled = { host.cancellation.isCancelled }
        hooks.freeBytes = { () throws(BibliographySyncError) in
            try syncing { () throws(OverlayError) in
                // Partly sent papers will be completed or removed, so their space counts as free.
                try host.transport.freeSpace().free.addingReportingOverflow(try store.partialBytes(host))
                    .partialValue
            }
        }
        var most = 0
        hooks.progress = { progress in
            most = max(most, progress.filesLeft)
            host.progress.report(most - progress.filesLeft, of: most, phase: Self.phase(progress))
        }
        return hooks
    }

    /// A phase such as `Syncing bibliographies: References.bib`. The host adds the paper that is being copied, and
    /// the numbers of files and bytes, copied and in total.
    private static func phase(_ progress: BibliographyProgress) -> String {
        switch progress.phase {
        case .libraries: "Syncing bibliographies: \(progress.name.pathName.prefix(longestName))"
        case .papers: "Copying papers"
        case .removals: "Removing papers: \(progress.name.pathName.prefix(longestName))"
        }
    }

    /// The most letters of a name that are shown.
    private static let longestName = 60

    /// The day on the host, such as `2026-07-18`.
    private func today() -> String {
        let moment = now()
        return CivilTime(secondsSince1970: moment + localOffset(moment)).date.text
    }
}

extension SourcePlanRow {
    /// Creates a row of the plan of bibliographies.
    fileprivate init(_ row: BibliographyPlanRow) {
        let action: SourcePlanAction =
            switch row.action {
            case .add: .add
            case .update: .update
            case .replace: .replace
            case .remove: .remove
            case .keep: .keep
            case .conflict: .conflict
            }
        self.init(
            action, item: Self.shortened(row.item), path: row.path,
            reason: row.reason ?? row.failure?.message,
            details: row.details, changesDevice: row.changesDevice, changesSource: row.changesHost,
            fails: row.action == .keep && row.failure != nil, bytes: row.bytes)
    }

    /// A cite key or link may have any length, and very long names are not helpful.
    private static func shortened(_ item: String) -> String {
        item.utf8.count <= 4096 ? item : String(item.unicodeScalars.prefix(1000)) + "…"
    }
}

extension ItemResult {
    /// The result of a row; nil if it needs none.
    fileprivate init?(_ place: Int, _ row: BibliographyPlanRow, _ failure: BibliographySyncError?) {
        if let failure {
            var error = OverlayError(failure)
            // The row already names it.
            if error.subject == row.item { error.subject = nil }
            self = .failed(place, error, path: row.path)
            return
        }
        let outcome: Outcome
        switch row.action {
        case .add: outcome = .added
        case .update: outcome = .updated
        case .replace: outcome = .replaced
        case .remove: outcome = .deleted
        case .conflict: outcome = .skipped
        case .keep: return nil
        }
        self = .done(place, outcome, path: row.path, message: row.reason)
    }
}
