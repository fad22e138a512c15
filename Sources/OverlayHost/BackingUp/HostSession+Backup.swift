import OverlayABI
import Glibc
import Libraries
import Platform

extension HostSession {
    /// Copies the books of the reader app into a folder, with metadata, covers and the user's annotations.
    ///
    /// Unchanged books are not fetched again, unless their copy is damaged (`repairs`). Books that are gone from the
    /// device stay in the backup. Only one backup of an app on a device uses a folder at a time; others wait. The
    /// next run finishes a run that was interrupted.
    ///
    /// - Throws: an error that prevents planning: the device cannot be listed, or the folder is not writable.
    public func backup(_ request: BackupRequest) throws(HostError) -> BackupResult {
        try backup(request, BackupLimits())
    }

    /// Backs up with other limits.
    func backup(_ request: BackupRequest, _ limits: BackupLimits) throws(HostError) -> BackupResult {
        try request.checkFolder()
        let parent = try BackupFolder.named(
            FileName.harmless(device.name ?? ""), id: device.udid,
            in: request.folder.isEmpty ? "." : request.folder)
        var folder = BackupFolder(
            try BackupFolder.named(FileName.harmless(app.name), id: app.bundleID, in: parent))
        let cancellation = self.request.cancellation
        let copies = try settings().missing("get") == nil
        let opening = BackupOpening(
            folder,
            like: BackupManifest(
                device: device.udid, deviceName: device.name, app: app.bundleID, appName: app.name),
            cancellation)
        if copies, !request.isDryRun, link.target.overlay.methods.prepare_addable_books != nil {
            link.instance.stage { opening.stagingPlace() }
        }
        defer { link.instance.discardStaged() }
        let listed: (books: BookList, unread: HostError?) =
            try request.annotations == nil ? (self.books(), nil) : booksWithReadableAnnotations()
        let (books, unread) = (listed.books, listed.unread.map(Self.keepingSaved))
        // An app without books does not need a folder.
        guard !books.isEmpty || folder.exists else {
            return BackupResult(
                folder: folder.path, plan: [], results: request.isDryRun ? nil : BatchResult(rows: []))
        }
        defer { opening.close() }
        link.progress.begin("Comparing with the backup")
        var (manifest, isWritten) = try opening.content(locking: !request.isDryRun) {
            self.request.notice?("Waiting for another backup of \(app.name) to finish.")
        }
        let names = (device.name ?? manifest.deviceName, app.name)
        if names != (manifest.deviceName, manifest.appName) { isWritten = false }
        (manifest.deviceName, manifest.appName) = names
        if request.repairs {
            let count = UInt64(manifest.entries.count)
            link.progress.begin("Verifying", items: count)
            try folder.findDamage(in: manifest.entries) {
                cancellation.isCancelled
            } progress: { done in
                link.progress.items(UInt64(done), of: count, phase: nil)
            }
        }
        let canReadWords = MarkedWords(paths: self.request.paths).program != nil
        let steps = BackupPlanner.plan(
            books.lazy.map(\.book), manifest,
            describe: { place in
                let book = books[place]
                return description(
                    of: book,
                    unread != nil
                        ? .unread
                        : BackupHighlights.annotations(
                            of: book, request, app: app.name, canReadWords: canReadWords))
            },
            copies: copies, hasFile: { !ReferenceValues(books[$0].book).hasNoFile },
            papers: { BackupRun.papers(of: books[$0]) }, isWhole: folder.isWhole, isFree: folder.isFree,
            namesLost: request.repairs)
        guard !request.isDryRun else {
            return BackupResult(
                folder: folder.path, plan: steps.map(\.row), results: nil, unreadAnnotations: unread)
        }
        try checkRoom(steps, folder.path)
        // The run changes the manifest, which must not be in memory twice.
        let current = manifest
        manifest.entries = []
        let results = BackupRun(
            self, request, folder, consume current, books: books, steps: steps,
            findings: opening.findings, limits: limits
        ).run(isWritten: isWritten)
        return BackupResult(
            folder: folder.path, plan: steps.map(\.row), results: results, unreadAnnotations: unread)
    }

    /// The error of annotations that could not be read, with what this means for the backup.
    private static func keepingSaved(_ error: HostError) -> HostError {
        var error = error
        error.hint =
            "Those in the backup are kept; back up again when they can be read."
            + (error.hint.map { " " + $0 } ?? "")
        return error
    }

    private func description(
        of record: BookRecord, _ annotations: BackupAnnotations
    ) -> BackupDescription {
        var author = FileName.harmless(record.authors?.first ?? "")
        // The folder of the app contains the manifest beside the folders of authors.
        if author.lowercased() == BackupFolder.manifestName { author += "_" }
        return BackupDescription(
            mark: BackupWriter.mark(of: record),
            annotations: annotations,
            author: author.isEmpty ? "Unknown author" : author, title: FileName(record).stem)
    }

    /// Throws an error if the books do not fit on the host's disk.
    private func checkRoom(_ steps: [BackupStep], _ folder: String) throws(HostError) {
        let needed = steps.reduce(into: UInt64(0)) { $0 &+= $1.row.bytes }
        var status = statvfs()
        guard needed > 0, statvfs(folder, &status) == 0 else { return }
        let (free, isOver) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !isOver, needed > free else { return }
        throw HostError(
            .noSpace,
            "The books need \(ByteCount.text(needed)), but only \(ByteCount.text(free)) are free.",
            subject: folder, hint: "Free some space, or choose a folder on another disk.")
    }
}
