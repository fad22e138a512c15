extension BibliographySyncRun {
    /// Carries the plan out.
    ///
    /// - Parameter report: is told the place of a row and its failure, nil if it has been done; each row once.
    /// - Throws: `.cancelled`, `.disconnected`, and what keeps the run from noting what it did. Then the next run goes on.
    public mutating func carryOut(
        _ report: (Int, BibliographySyncError?) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) {
        var isReported = [Bool](repeating: false, count: rows.count)
        var filesLeft = libraries.count { !$0.rows.isEmpty } + steps.count { $0.row != nil }
        var bytesLeft = rows.reduce(UInt64(0)) { $0 + $1.bytes }
        let hooks = hooks
        func tell(_ phase: BibliographyProgress.Phase, _ name: String) {
            hooks.progress(
                BibliographyProgress(phase: phase, name: name, filesLeft: filesLeft, bytesLeft: bytesLeft))
        }
        try secureOtherVersions()
        for index in libraries.indices {
            try hooks.checkCancellation()
            let library = libraries[index]
            if !library.rows.isEmpty { tell(.libraries, library.name) }
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
            // A paper may replace one that only an entry knows which could not be written.
            if failure != nil { failedLibraries.insert(library.record.name) }
        }
        for index in steps.indices {
            try hooks.checkCancellation()
            let step = steps[index]
            let phase: BibliographyProgress.Phase = step.isRemoval ? .removals : .papers
            if step.row != nil { tell(phase, step.path) }
            let (whole, end) = (step.bytes, bytesLeft - step.bytes)
            var copied: UInt64 = 0
            var failure: BibliographySyncError?
            do throws(BibliographySyncError) {
                try carryOut(step) { (count) throws(BibliographySyncError) in
                    try hooks.checkCancellation()
                    copied = min(whole, copied + count)
                    bytesLeft = end + whole - copied
                    tell(phase, step.path)
                }
            } catch {
                if error.endsRun { throw error }
                failure = error.about(step.path)
            }
            bytesLeft = end
            guard let row = step.row else {
                // What has no row is a note alone, and the next run makes it.
                continue
            }
            try report(row, failure)
            isReported[row] = true
            filesLeft -= 1
        }
        for row in rows.indices where !isReported[row] { try report(row, rows[row].failure) }
        try state.sweep(options.day)
    }

    private typealias Progress = (UInt64) throws(BibliographySyncError) -> Void

    private mutating func carryOut(_ step: PaperStep, _ progress: Progress) throws(BibliographySyncError) {
        guard !step.isRemoval || (failedLibraries.isEmpty && !isReread) else {
            throw BibliographySyncError(
                .failed,
                "It stays, because a bibliography that may link to it was changed or could not be written.",
                hint: "Run the sync again.", isRetryable: true)
        }
        if step.work != .tell, step.work != .noRoom { try state.begin() }
        switch step.work {
        case .tell, .noRoom: return
        case .forget: try state.note(step.path, nil)
        case .agree:
            guard let host = step.host, let device = step.device, let digest = step.digest else { return }
            let copy = CopiedPaper(
                size: host.size, digest: digest, hostStamp: host.stamp, deviceStamp: device.stamp)
            try note(step, copy)
        case .send: try note(step, try send(step, progress))
        case .fetch:
            try note(
                step,
                try sides.copier.fetch(
                    step.place.path, to: step.hostPath, replacing: step.host?.stamp, progress: progress))
        case .keepBoth(let name): try keepBoth(step, name, progress)
        case .removeFromDevice:
            guard let device = step.device else { return }
            try begin(.fromDevice, step)
            try sides.device.remove(step.place.path, expecting: device.stamp)
            try state.note(step.path, nil)
        case .removeFromHost:
            guard let host = step.host else { return }
            try begin(.fromHost, step)
            try sides.host.remove(step.hostPath, expecting: host.stamp)
            try state.note(step.path, nil)
        }
    }

    private func send(_ step: PaperStep, _ progress: Progress) throws(BibliographySyncError) -> CopiedPaper {
        try sides.copier.send(
            step.hostPath, to: step.place.path, replacing: step.device?.stamp, progress: progress)
    }

    private mutating func note(_ step: PaperStep, _ copy: CopiedPaper) throws(BibliographySyncError) {
        try state.note(step.path, PaperRecord(step.path, step.place, copy, step.priority))
    }

    /// Notes that a removal begins, so that the next run does not take it for one that a person made.
    private mutating func begin(
        _ removal: PaperRecord.Removal, _ step: PaperStep
    ) throws(BibliographySyncError) {
        guard var record = try state.paper(step.path) else { return }
        record.removal = removal
        try state.note(step.path, record)
    }

    /// The device's version is safe on the host by now. It gets its place on the device, and only then the host's version takes the
    /// place that it had.
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
        if try sides.host.stat(name) == nil {
            other = try sides.copier.fetch(step.place.path, to: name, replacing: nil, progress: progress)
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
                other = try sides.copier.send(name, to: place.path, replacing: nil, progress: progress)
            }
            if let other { try state.note(name, PaperRecord(name, place, other, step.priority)) }
        }
        try note(step, try send(step, progress))
    }
}
