import BookFolders
import Claims
import MarvinCommands
import OverlayKit

/// Sends changes to Marvin in batches, and then checks the result of each.
struct ChangeRun {
    let device: MarvinDevice
    let claim: FolderClaim
    /// The number of books in a command.
    let batchSize: Int
    /// The number of items done before, and of all items, for progress.
    var first = 0
    let count: Int
    /// Whether the changes are based on the present library.
    var isFresh = true

    /// Carries out the changes and adds a row for each.
    ///
    /// - Throws: errors that end the run early; every change has its row even then.
    func run(_ changes: [BookChange], uuids: [Int: String] = [:], _ rows: inout ItemRows)
        throws(OverlayError)
    {
        guard !changes.isEmpty else { return }
        var changes = changes
        var outcomes: [Int: (CommandOutcome, CommandName)] = [:]
        var failure: OverlayError?
        for (number, (name, planned)) in batches(changes).enumerated() {
            var batch = planned
            do throws(OverlayError) {
                try device.host.cancellation.check()
                if number > 0 || !isFresh { batch = try rebased(planned, &rows) }
                try claim.renew()
            } catch {
                failure = error
                break
            }
            let open = Set(batch.map(\.index))
            let current = Dictionary(uniqueKeysWithValues: batch.map { ($0.index, $0) })
            let left = Set(planned.map(\.index)).subtracting(open)
            changes = changes.compactMap { left.contains($0.index) ? nil : current[$0.index] ?? $0 }
            guard !batch.isEmpty else { continue }
            let outcome = send(name, batch, uuids)
            for change in batch { outcomes[change.index] = (outcome, name) }
            if outcome.isCompleted { continue }
            let error = OverlayError(outcome, name, cancelled: device.interruption())
            if outcome.ending == .cancelled || error.status != .rejected {
                failure = error
                break
            }
        }
        try conclude(changes, outcomes, failure, &rows)
    }

    /// The batches: first the changes that need the large command, then those for which the small one is enough.
    private func batches(_ changes: [BookChange]) -> [(CommandName, [BookChange])] {
        let large = changes.filter { !$0.isOnlyCollections }
        let small = changes.filter(\.isOnlyCollections)
        return CommandBatches.cut(large, size: batchSize).map { (.updateMetadata, Array($0)) }
            + CommandBatches.cut(small, size: batchSize).map { (.rebuildCollections, Array($0)) }
    }

    /// The changes for the books' present state, after a command that took some time. Changes that are no longer
    /// possible get their rows.
    private func rebased(
        _ changes: [BookChange], _ rows: inout ItemRows
    ) throws(OverlayError) -> [BookChange] {
        var library: [[UInt8]: LibraryBook] = [:]
        for book in try device.libraryBooks() { library[book.fileName.bytes] = book }
        var rebased: [BookChange] = []
        for change in changes {
            let path = change.present.fileName
            guard let now = library[path.bytes] else {
                rows.add(.failed(change.index, .noSuchBook(path)))
                continue
            }
            do throws(OverlayError) {
                rebased.append(try change.rebased(on: now))
            } catch {
                rows.add(.failed(change.index, error, path: path))
            }
        }
        return rebased
    }

    private func send(
        _ name: CommandName, _ batch: [BookChange], _ uuids: [Int: String]
    ) -> CommandOutcome {
        let command: Command =
            name == .updateMetadata
            ? .updateMetadata(
                UpdateMetadata(timestamp: .now, books: batch.map { $0.metadata(uuid: uuids[$0.index]) }))
            : .rebuildCollections(RebuildCollections(timestamp: .now, books: batch.map(\.rebuilt)))
        let (progress, first, total) = (device.host.progress, first, count)
        progress.report(first, of: total, phase: "Waiting for Marvin")
        return DeviceExchange.run(command, on: device) { fraction in
            progress.report(
                first + Int(fraction * Double(batch.count)), of: total, phase: "Marvin is changing books")
        }
    }

    // MARK: - Looking for the changes

    private func conclude(
        _ changes: [BookChange], _ outcomes: [Int: (CommandOutcome, CommandName)], _ failure: OverlayError?,
        _ rows: inout ItemRows
    ) throws(OverlayError) {
        let sent = changes.filter { outcomes[$0.index] != nil }
        var library: [[UInt8]: LibraryBook] = [:]
        do {
            if !sent.isEmpty {
                for book in try device.libraryBooks() { library[book.fileName.bytes] = book }
            }
        } catch {
            for change in sent {
                var reason = failure ?? error
                reason.message = reason.message + " Marvin may or may not have changed the book."
                reason.hint = reason.hint ?? "Check the book with 'overlayhost info'."
                rows.add(.failed(change.index, reason, path: change.present.fileName))
            }
            addUnsent(changes, outcomes, failure ?? error, &rows)
            throw failure ?? error
        }
        var covers = SentCovers(device.host)
        for change in sent {
            guard let (outcome, name) = outcomes[change.index] else { continue }
            let now = library[change.present.fileName.bytes]
            let missing = now.map(change.missing) ?? MetadataField.allCases.filter(change.fields.contains)
            if let now, let cover = change.cover, !missing.contains(.cover), outcome.isCompleted {
                covers.note(cover.hash, for: now)
            }
            rows.add(row(change, missing, isThere: now != nil, outcome, name, changes, failure))
        }
        covers.save()
        if let failure {
            addUnsent(changes, outcomes, failure, &rows)
            if rows.hasFailure { throw failure }
        }
    }

    private func addUnsent(
        _ changes: [BookChange], _ outcomes: [Int: (CommandOutcome, CommandName)], _ failure: OverlayError,
        _ rows: inout ItemRows
    ) {
        for change in changes where outcomes[change.index] == nil {
            var reason = failure
            reason.message = "The book was not changed. " + reason.message
            reason.hint = reason.hint ?? "Run the same command again."
            rows.add(.failed(change.index, reason, path: change.present.fileName))
        }
    }

    private func row(
        _ change: BookChange, _ missing: [MetadataField], isThere: Bool, _ outcome: CommandOutcome,
        _ name: CommandName, _ all: [BookChange], _ failure: OverlayError?
    ) -> ItemResult {
        let path = change.present.fileName
        let remarks = MarvinMessages(outcome, about: all.map(\.present.fileName))
        guard !missing.isEmpty else {
            let said = [change.remark, remarks.note(path)].compactMap { $0 }
            return .done(
                change.index, .updated, path: path, message: said.isEmpty ? nil : said.joined(separator: " "))
        }
        guard isThere else {
            return .failed(
                change.index,
                OverlayError(
                    .notFound, "The book is no longer in Marvin's library.",
                    hint: "List the books again."))
        }
        if let said = remarks.about(path) {
            return .failed(
                change.index, OverlayError(.rejected, "Marvin rejected the change: '\(said)'"), path: path)
        }
        if !outcome.isCompleted {
            var reason = failure ?? OverlayError(outcome, name, cancelled: nil)
            reason.hint = reason.hint ?? "Run the same command again."
            return .failed(change.index, reason, path: path)
        }
        let names = missing.map { "the \($0.phrase)" }
        let list =
            names.count == 1
            ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
        let said = remarks.general.map { " Marvin reports: \($0)" } ?? ""
        return .failed(
            change.index,
            OverlayError(
                remarks.general == nil ? .verificationFailed : .rejected,
                "Marvin reported success, but has not changed \(list).\(said)",
                hint: "Restart Marvin on the device and try again."), path: path)
    }
}
