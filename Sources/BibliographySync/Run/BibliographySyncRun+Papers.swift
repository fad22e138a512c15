import Diagnostics

extension BibliographySyncRun {
    /// Carries out the plan.
    ///
    /// - Parameter report: called once for each row with its index and its failure, which is nil on success.
    /// - Throws: `.cancelled`, `.disconnected`, and errors that prevent the run from recording its work. The next run
    ///   continues.
    public mutating func carryOut(
        _ report: (Int, BibliographySyncError?) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) {
        var isReported = [Bool](repeating: false, count: rows.count)
        var filesLeft = libraries.count { !$0.rows.isEmpty } + steps.count { $0.row != nil }
        var bytesLeft = rows.reduce(UInt64(0)) { $0 + $1.bytes }
        let hooks = hooks
        func notify(_ phase: BibliographyProgress.Phase, _ name: String) {
            hooks.progress(
                BibliographyProgress(phase: phase, name: name, filesLeft: filesLeft, bytesLeft: bytesLeft))
        }
        try secureOtherVersions()
        for index in libraries.indices {
            try hooks.checkCancellation()
            let library = libraries[index]
            if !library.rows.isEmpty { notify(.libraries, library.name) }
            var failure: BibliographySyncError?
            do throws(BibliographySyncError) { try commit(index) } catch {
                if error.endsRun { throw error }
                failure = error.about(library.name)
            }
            for row in library.rows {
                try report(row, failure)
                isReported[row] = true
                bytesLeft -= rows[row].bytes
            }
            if !library.rows.isEmpty { filesLeft -= 1 }
            // No paper may be removed then, because an entry that could not be written may link to it.
            if failure != nil { failedLibraries.insert(library.record.name) }
        }
        var next = steps.startIndex
        while next < steps.endIndex {
            try hooks.checkCancellation()
            let together = steps[next..<endOfBatch(from: next)]
            next = together.endIndex
            guard let first = together.first else { continue }
            let phase: BibliographyProgress.Phase = first.isRemoval ? .removals : .papers
            if first.row != nil { notify(phase, first.path) }
            let whole = together.reduce(UInt64(0)) { $0 + $1.bytes }
            let end = bytesLeft - whole
            var copied: UInt64 = 0
            let failures = try carryOut(Array(together)) { (place, count) throws(BibliographySyncError) in
                try hooks.checkCancellation()
                copied = min(whole, copied + count)
                bytesLeft = end + whole - copied
                notify(phase, together[together.startIndex + place].path)
            }
            bytesLeft = end
            for (step, failure) in zip(together, failures) {
                // A step without a row only records something, and the next run repeats it. An error that ends the
                // run is not the result of a paper.
                guard let row = step.row, failure?.endsRun != true else { continue }
                try report(row, failure)
                isReported[row] = true
                filesLeft -= 1
            }
            if let ending = failures.lazy.compactMap({ $0 }).first(where: \.endsRun) { throw ending }
        }
        for row in rows.indices where !isReported[row] { try report(row, rows[row].failure) }
        try state.sweep(options.day)
    }

    typealias Progress = (Int, UInt64) throws(BibliographySyncError) -> Void

    // MARK: several papers

    /// The most papers that are copied together, and the most bytes of several papers.
    private static var batch: (papers: Int, bytes: UInt64) { (32, 64 << 20) }

    /// The end of the batch that begins at a step: papers that are copied in the same direction.
    private func endOfBatch(from start: Int) -> Int {
        var (end, bytes) = (start + 1, steps[start].bytes)
        guard [.send, .fetch].contains(steps[start].work), steps[start].moves.isEmpty else { return end }
        while end < steps.endIndex, end - start < Self.batch.papers, steps[end].work == steps[start].work,
            steps[end].moves.isEmpty
        {
            bytes += steps[end].bytes
            guard bytes <= Self.batch.bytes else { break }
            end += 1
        }
        return end
    }

    /// Carries out the steps of a batch and returns the failure of each, which may be one that ends the run.
    private mutating func carryOut(
        _ steps: [PaperStep], _ progress: Progress
    ) throws(BibliographySyncError) -> [BibliographySyncError?] {
        var failures = [BibliographySyncError?](repeating: nil, count: steps.count)
        guard steps.count > 1 else {
            for (place, step) in steps.enumerated() {
                do throws(BibliographySyncError) { try carryOut(step, progress) } catch {
                    failures[place] = error.endsRun ? error : error.about(step.path)
                }
            }
            return failures
        }
        try state.begin()
        do throws(BibliographySyncError) {
            let isSending = steps[0].work == .send
            let copies = steps.map { isSending ? Self.sending($0) : Self.fetching($0) }
            let results =
                try isSending
                ? sides.copier.send(copies, progress: progress)
                : sides.copier.fetch(copies, progress: progress)
            for (place, result) in zip(steps.indices, results) {
                do throws(BibliographySyncError) {
                    try note(steps[place], try result.get())
                } catch {
                    failures[place] = error.endsRun ? error : error.about(steps[place].path)
                }
            }
        } catch {
            for place in steps.indices {
                failures[place] = error.endsRun ? error : error.about(steps[place].path)
            }
        }
        return failures
    }

    private static func sending(_ step: PaperStep) -> PaperCopy {
        PaperCopy(step.hostPath, to: step.place.path, replacing: step.device?.stamp)
    }

    private static func fetching(_ step: PaperStep) -> PaperCopy {
        PaperCopy(step.place.path, to: step.hostPath, replacing: step.host?.stamp)
    }

    private func sent(_ copy: PaperCopy, _ progress: Progress) throws(BibliographySyncError) -> CopiedPaper {
        try Self.only(try sides.copier.send([copy], progress: progress))
    }

    func fetched(
        _ copy: PaperCopy, _ progress: Progress
    ) throws(BibliographySyncError) -> CopiedPaper {
        try Self.only(try sides.copier.fetch([copy], progress: progress))
    }

    private static func only(_ results: [PaperResult]) throws(BibliographySyncError) -> CopiedPaper {
        guard let result = results.first else {
            throw BibliographySyncError(.failed, "The result of copying the paper is unknown.")
        }
        return try result.get()
    }

    // MARK: one paper

    private mutating func carryOut(_ step: PaperStep, _ progress: Progress) throws(BibliographySyncError) {
        guard !step.isRemoval || (failedLibraries.isEmpty && !isReread) else {
            throw BibliographySyncError(
                .failed,
                "It stays, because a bibliography that may link to it was changed or could not be written.",
                hint: "Run the sync again.", isRetryable: true)
        }
        // The agreed record shows the next run that the paper was changed, so it stays until an entry links to it.
        guard !step.moves.contains(where: { failedLibraries.contains($0.library) }) else {
            throw BibliographySyncError(
                .failed, "No entry could be linked to it, so it stays where it is.",
                hint: "Run the sync again.", isRetryable: true)
        }
        if ![.reportOnly, .noRoom, .notAllowed].contains(step.work) { try state.begin() }
        switch step.work {
        case .reportOnly, .noRoom, .notAllowed: return
        case .forget: try state.note(step.path, nil)
        case .agree:
            guard let host = step.host, let device = step.device, let digest = step.digest else { return }
            let copy = CopiedPaper(
                size: host.size, digest: digest, hostStamp: host.stamp, deviceStamp: device.stamp)
            try note(step, copy)
        case .send: try note(step, try sent(Self.sending(step), progress))
        case .fetch: try note(step, try fetched(Self.fetching(step), progress))
        case .keepBoth(let name): try keepBoth(step, name, progress)
        case .removeFromDevice:
            guard let device = step.device else { return }
            let known = try state.paper(step.path)
            try begin(.fromDevice, step)
            try keepInTrash(step, known, progress)
            try sides.device.remove(step.place.path, expecting: device.stamp)
            try state.note(step.path, nil)
        case .removeFromHost:
            guard let host = step.host else { return }
            try begin(.fromHost, step)
            try sides.host.remove(step.hostPath, expecting: host.stamp)
            try state.note(step.path, nil)
        }
    }

    /// Brings a paper that only the device has to the host's trash, before it is removed from the device.
    ///
    /// - Parameter known: the known state of the paper; an earlier run may have been interrupted between the copy and
    ///   the removal.
    private func keepInTrash(
        _ step: PaperStep, _ known: PaperRecord?, _ progress: Progress
    ) throws(BibliographySyncError) {
        if step.host == nil {
            let copy = try fetched(PaperCopy(step.place.path, to: step.hostPath, replacing: nil)) {
                (_: Int, _: UInt64) throws(BibliographySyncError) in try progress(0, 0)
            }
            try sides.host.remove(step.hostPath, expecting: copy.hostStamp)
        } else if let host = step.host, let known, known.removal == .fromDevice, host.stamp != known.hostStamp
        {
            try sides.host.remove(step.hostPath, expecting: host.stamp)
        }
    }

    private mutating func note(_ step: PaperStep, _ copy: CopiedPaper) throws(BibliographySyncError) {
        try state.note(step.path, PaperRecord(step.path, step.place, copy, step.priority))
        if let replaced = step.replaced { try state.note(replaced, nil) }
    }

    /// Records that a removal begins, so that the next run does not mistake it for the user's deletion.
    private mutating func begin(
        _ removal: PaperRecord.Removal, _ step: PaperStep
    ) throws(BibliographySyncError) {
        guard var record = try state.paper(step.path) else { return }
        record.removal = removal
        try state.note(step.path, record)
    }

    /// The device's version is already safe on the host. It gets its own place on the device, and only then the
    /// host's version replaces it at the old place.
    private mutating func keepBoth(
        _ step: PaperStep, _ name: String, _ progress: Progress
    ) throws(BibliographySyncError) {
        if let failure = failedVersions[name] { throw failure }
        let links = libraries.filter { $0.addedLinks.contains { $0.other == name } }
        if links.contains(where: { failedLibraries.contains($0.record.name) }) {
            throw BibliographySyncError(
                .failed,
                "No entry could be linked to the device's version, so both versions stay where they are.",
                hint: "Run the sync again.", isRetryable: true)
        }
        var other: CopiedPaper?
        if try !hasVersion(of: step, name) {
            other = try fetched(PaperCopy(step.place.path, to: name, replacing: nil), progress)
        }
        if let place = sides.mapping.place(of: name, step.priority) {
            if let file = try sides.device.stat(place.path) {
                if let host = try sides.host.stat(name), host.size == file.size {
                    let digest = try sides.device.digest(place.path)
                    if try sides.host.digest(name) == digest {
                        other = CopiedPaper(
                            size: file.size, digest: digest, hostStamp: host.stamp, deviceStamp: file.stamp)
                    }
                }
            } else {
                other = try sent(PaperCopy(name, to: place.path, replacing: nil), progress)
            }
            if let other { try state.note(name, PaperRecord(name, place, other, step.priority)) }
        }
        try note(step, try sent(Self.sending(step), progress))
    }
}
