import BibTeXMerging
import Diagnostics
import BibTeX

extension BibliographySyncRun {
    /// Writes both sides of a bibliography as planned.
    mutating func commit(_ index: Int) throws(BibliographySyncError) {
        for attempt in 1... {
            do throws(BibliographySyncError) {
                return try commitOnce(index)
            } catch {
                guard error.code == .changed, attempt < 3 else { throw error }
                // Another program has changed the file; its version is read and merged.
                try reread(index)
            }
        }
    }

    /// Reads both sides of a bibliography again and merges them.
    ///
    /// - Throws: why it cannot be written.
    mutating func reread(_ index: Int) throws(BibliographySyncError) {
        let host = libraries[index].host
        isReread = true
        try reader.readAgain(&libraries[index])
        if case .failed(let failure) = libraries[index].fate { throw failure }
        // A file that an editor is saving must not be treated as deleted, in this attempt or the next one.
        guard host == nil || libraries[index].host != nil else {
            libraries[index].host = host
            throw BibliographySyncError(
                .changed, "Another program has moved or removed the bibliography in the meantime.",
                hint: "Run the sync again.", isRetryable: true)
        }
        try checkEntries(libraries[index])
    }

    private mutating func commitOnce(_ index: Int) throws(BibliographySyncError) {
        let work = libraries[index]
        switch work.fate {
        case .unchanged, .left: return
        case .failed(let failure): throw failure
        case .forgotten: return try forget(work)
        case .removedFromDevice:
            guard let device = work.device else { return }
            try state.begin()
            try bury(work, device.bytes)
            try sides.device.remove(work.devicePath, expecting: device.file.stamp)
            try forget(work)
        case .merged: if let outcome = work.outcome { try replace(work, outcome) }
        }
    }

    private mutating func forget(_ work: LibraryWork) throws(BibliographySyncError) {
        try state.forget(work.record.name)
        if work.hasJournal { try LibraryJournal.end(work.record.id, sides.state) }
    }

    private mutating func replace(
        _ work: LibraryWork, _ outcome: LibraryWork.Outcome
    ) throws(BibliographySyncError) {
        let (hostBytes, agreed) = (outcome.host.bytes, outcome.agreed.bytes)
        let sent = reader.deviceBytes(outcome)
        let changesHost = work.host?.bytes != hostBytes
        let changesDevice = work.device?.bytes != sent
        var record = work.record
        record.encoding = outcome.agreed.isEncodingAssumed ? outcome.agreed.encoding : nil
        var (host, device) = (work.host?.file, work.device?.file)
        if changesHost || changesDevice {
            try state.begin()
            if work.isRepair, let damaged = work.device {
                try sides.state.put(
                    "damaged-\(options.day)-\(record.id)-\(ContentDigest.text(damaged.bytes).prefix(16))",
                    damaged.bytes)
            }
            let deleted =
                (outcome.report.tombstones + outcome.report.deletedByBoth).map(\.text) + outcome.unlinked
            if !deleted.isEmpty { try bury(work, Array(deleted.joined(separator: Array("\n\n".utf8)))) }
            var journal = LibraryJournal(
                hostBefore: work.host.map { ContentDigest.text($0.bytes) },
                hostAfter: ContentDigest.text(hostBytes),
                deviceBefore: work.device.map { ContentDigest.text($0.bytes) },
                deviceAfter: ContentDigest.text(sent), agreed: ContentDigest.text(agreed),
                encoding: record.encoding)
            try journal.begin(
                record.id, sides.state, agreed: agreed, before: work.device?.bytes, after: sent)
            if changesHost {
                host = try sides.host.replace(work.name, hostBytes, expecting: host?.stamp)
                if changesDevice {
                    journal.isHostDone = true
                    try journal.note(record.id, sides.state)
                }
            }
            if changesDevice {
                device =
                    if let host, sent == hostBytes {
                        // A file that is the same on both sides also has the same date.
                        try sides.copier.sendLibrary(
                            PaperCopy(work.name, to: work.devicePath, replacing: device?.stamp),
                            expecting: host.stamp)
                    } else {
                        try sides.device.replace(work.devicePath, sent, expecting: device?.stamp)
                    }
            }
        }
        record.hostStamp = host?.stamp ?? ""
        record.deviceStamp = device?.stamp ?? ""
        record.deviceDigest = ContentDigest.text(sent)
        record.heldBack = outcome.heldBack
        try state.commit(record, base: agreed, sent: outcome.isDeviceAsAgreed ? nil : sent)
        guard changesHost || changesDevice || work.hasJournal else { return }
        try state.begin()
        try LibraryJournal.end(record.id, sides.state)
    }

    /// Stores the raw text of deleted items.
    private func bury(_ work: LibraryWork, _ text: [UInt8]) throws(BibliographySyncError) {
        let head = "% Deleted from \(work.name) on \(options.day)\n\n"
        try sides.state.put(
            "deleted-\(options.day)-\(work.record.id)-\(ContentDigest.text(text).prefix(16))",
            Array(head.utf8) + text)
    }
}
