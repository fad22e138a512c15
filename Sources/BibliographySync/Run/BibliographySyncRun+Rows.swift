import BibTeX
import BibTeXMerging

extension BibliographySyncRun {
    /// Adds the rows of bibliographies, each after the rows of its entries.
    mutating func addLibraryRows() {
        for index in libraries.indices {
            let library = libraries[index]
            var own: [Int] = []
            for row in library.outcome.map({ EntryRows.rows($0.report) }) ?? [] { own.append(add(row)) }
            for link in library.outcome?.heldLinks ?? [] {
                let reason =
                    "The link of '\(link.key)' in \(library.name) was removed on the device, and deletions are synced only "
                    + "with --delete."
                own.append(add(BibliographyPlanRow(.keep, link.path, reason: reason)))
            }
            if let row = libraryRow(library) { own.append(add(row)) }
            libraries[index].rows = own
        }
    }

    private func libraryRow(_ library: LibraryWork) -> BibliographyPlanRow? {
        let (name, path) = (library.name, library.devicePath)
        switch library.fate {
        case .unchanged, .forgotten: return nil
        case .failed(let failure): return BibliographyPlanRow(.keep, name, path: path, failure: failure)
        case .left:
            return BibliographyPlanRow(
                .keep, name, path: path,
                reason: "\(gone(library)) Deletions are not synced, so the device keeps it.")
        case .removedFromDevice:
            return BibliographyPlanRow(
                .remove, name, path: path, reason: gone(library), changesDevice: true)
        case .merged: break
        }
        guard let outcome = library.outcome else { return nil }
        let sent = reader.deviceBytes(outcome)
        let changesHost = library.host.map { $0.bytes != outcome.host.bytes } ?? true
        let changesDevice = library.device.map { $0.bytes != sent } ?? true
        guard changesHost || changesDevice else { return nil }
        var row = BibliographyPlanRow(
            library.host == nil || library.device == nil ? .add : .update, name, path: path,
            bytes: changesDevice ? UInt64(sent.count) : UInt64(outcome.host.bytes.count),
            changesDevice: changesDevice, changesHost: changesHost)
        if library.host == nil { row.reason = "Only the device has it." }
        if let remark = outcome.host.encodingRemark { row.reason = remark }
        if library.isRepair {
            row.action = .replace
            row.reason = "The device's file is damaged and is restored from the last sync."
        }
        return row
    }

    /// Why a library is removed from the device, or would be.
    private func gone(_ library: LibraryWork) -> String {
        MovedEntries(library, in: libraries).newName.map { "Its entries have moved to \($0)." }
            ?? "It is gone from the folder."
    }

    /// Adds the rows of papers, in the order in which they are copied.
    mutating func addPaperRows() {
        for index in steps.indices {
            let step = steps[index]
            guard let row = step.moves.isEmpty ? self.row(step) : movedRow(step) else { continue }
            steps[index].row = add(row)
        }
    }

    /// The row of a paper that one side changed while the other side moved its link.
    private func movedRow(_ step: PaperStep) -> BibliographyPlanRow? {
        guard let move = step.moves.first else { return nil }
        var row = self.row(step) ?? BibliographyPlanRow(.conflict, step.path, path: step.place.path)
        row.action = .conflict
        let (mover, changer) =
            move.side == .host ? ("The folder's", "on the device") : ("The device's", "in the folder")
        let reason =
            "\(mover) entry links to \(move.path) now, but this paper was changed \(changer): both are linked."
        // The other kinds of steps have reasons of their own.
        let isCopied = [.send, .fetch, .reportOnly].contains(step.work)
        row.reason = isCopied ? reason : [reason, row.reason].compactMap { $0 }.joined(separator: " ")
        return row
    }

    private func row(_ step: PaperStep) -> BibliographyPlanRow? {
        var row = BibliographyPlanRow(.add, step.path, path: step.place.path, bytes: step.bytes)
        switch step.work {
        case .agree, .forget: return nil
        case .send:
            row.action = step.device == nil ? .add : .replace
            row.changesDevice = true
        case .fetch:
            row.action = step.host == nil ? .add : .replace
            row.reason = step.host == nil ? "Only the device has it." : "It was changed on the device."
            row.changesHost = true
        case .keepBoth(let name):
            row.action = .conflict
            row.reason = "Both sides changed it: the device's version becomes \(name)."
            row.details =
                "host: \(step.host?.size ?? 0) bytes\ndevice: \(step.device?.size ?? 0) bytes"
            (row.changesHost, row.changesDevice) = (true, true)
        case .removeFromDevice:
            row.action = .remove
            row.reason = step.isLinked ? "No rule selects it. The folder keeps it." : "No entry links to it."
            row.changesDevice = true
        case .removeFromHost:
            row.action = .remove
            row.reason = "It was deleted on the device, and no entry links to it."
            row.changesHost = true
        case .reportOnly:
            row.action = .keep
            row.reason =
                step.host == nil
                ? "It is gone from the folder. An entry links to it, so the device keeps it."
                : "It is larger than the limit for papers."
        case .noRoom:
            row.action = .keep
            row.reason = "The device has no room for it."
        case .notAllowed:
            row.action = .keep
            row.reason = options.papersStay
        }
        return row
    }
}
