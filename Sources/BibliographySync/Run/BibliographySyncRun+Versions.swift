import Diagnostics

extension BibliographySyncRun {
    /// Copies the device's versions of papers that both sides changed to the host, before any bibliography links to
    /// them. A version that cannot be copied is not linked.
    mutating func secureOtherVersions() throws(BibliographySyncError) {
        let hooks = hooks
        for step in steps {
            guard case .keepBoth(let name) = step.work else { continue }
            try hooks.checkCancellation()
            do throws(BibliographySyncError) {
                guard try !hasVersion(of: step, name) else { continue }
                _ = try fetched(PaperCopy(step.place.path, to: name, replacing: nil)) {
                    (_, _) throws(BibliographySyncError) in
                    try hooks.checkCancellation()
                }
            } catch {
                if error.endsRun { throw error }
                failedVersions[name] = error
                try unlink(name)
            }
        }
    }

    /// Whether the host already has the device's version of a paper under its name.
    ///
    /// - Throws: `.changed` if another file has that name.
    func hasVersion(of step: PaperStep, _ name: String) throws(BibliographySyncError) -> Bool {
        guard try sides.host.stat(name) != nil else { return false }
        guard try sides.host.digest(name) == step.digest else {
            throw BibliographySyncError(
                .changed, "Another file already has the name intended for the device's version.",
                subject: name, hint: "Run the sync again.", isRetryable: true)
        }
        return true
    }

    /// Removes the links to a version. A bibliography that cannot be read again is not written.
    private mutating func unlink(_ name: String) throws(BibliographySyncError) {
        for index in libraries.indices where libraries[index].addedLinks.contains(where: { $0.other == name })
        {
            libraries[index].addedLinks.removeAll { $0.other == name }
            do throws(BibliographySyncError) {
                try reread(index)
            } catch {
                if error.endsRun { throw error }
                libraries[index].outcome = nil
                libraries[index].fate = .failed(error)
            }
        }
    }

    /// Whether carrying out the plan writes anything, to a side or to the stored state.
    public var hasWork: Bool {
        let changesLibrary = libraries.contains { library in
            switch library.fate {
            case .merged, .removedFromDevice, .forgotten: true
            case .unchanged, .left, .failed: false
            }
        }
        return changesLibrary || steps.contains { ![.reportOnly, .noRoom, .notAllowed].contains($0.work) }
    }
}
