import Diagnostics
import BibTeX
import BibTeXMerging

/// Reads both sides of bibliographies and merges them. It does not change anything.
struct LibraryReader {
    private let sides: BibliographySides
    private let options: BibliographySyncOptions
    private let state: AgreedState

    /// Bibliographies with more bytes than this are refused.
    private static let largest: UInt64 = 256 << 20

    init(_ sides: BibliographySides, _ options: BibliographySyncOptions, _ state: AgreedState) {
        self.sides = sides
        self.options = options
        self.state = state
    }

    // MARK: reading both sides

    /// The bibliographies of both sides, by name. If a side cannot be listed, the run ends, because it is unknown
    /// which files the side has.
    func list() throws(BibliographySyncError) -> [LibraryWork] {
        let hosts = Self.libraries(try sides.host.list(""))
        let devices: [String: BibliographyFile]
        do throws(BibliographySyncError) {
            devices = Self.libraries(try sides.device.list(sides.mapping.libraryFolder))
        } catch {
            guard error.code == .notFound else { throw error }
            devices = [:]
        }
        guard !hosts.isEmpty || state.libraries.isEmpty || options.isForced else {
            throw BibliographySyncError(
                .emptied, "The folder no longer contains a bibliography, but the device does.",
                hint: "Check that the folder is the right one and is mounted. To go on, use --yes.",
                hintCode: .consent)
        }
        var works: [LibraryWork] = []
        for name in Set(hosts.keys).union(devices.keys).union(state.libraries.keys).sorted() {
            let folder = sides.mapping.libraryFolder
            let file = devices[name]?.name ?? name
            var work = LibraryWork(
                hosts[name]?.name ?? name, devicePath: folder.isEmpty ? file : "\(folder)/\(file)",
                state.libraries[name] ?? LibraryRecord(name))
            work.host = hosts[name].map { LibraryWork.Side(file: $0, bytes: []) }
            work.device = devices[name].map { LibraryWork.Side(file: $0, bytes: []) }
            works.append(work)
        }
        return works
    }

    /// The bibliographies of a listing, by name in composed form, so that the names of a Mac and of Linux match. What
    /// has such a name and is not a file is listed as well, because its content is not absent.
    private static func libraries(_ files: [BibliographyFile]) -> [String: BibliographyFile] {
        func rank(_ file: BibliographyFile, _ name: String) -> Int {
            (file.kind == .file ? 2 : 0) + (file.name.utf8.elementsEqual(name.utf8) ? 1 : 0)
        }
        var libraries: [String: BibliographyFile] = [:]
        for file in files where LibraryName.isLibrary(file.name) {
            let name = TextFolding.composed(file.name)
            if let known = libraries[name], rank(known, name) >= rank(file, name) { continue }
            libraries[name] = file
        }
        return libraries
    }

    /// Refuses anything that has the name of a bibliography but is not a file.
    private func requireFile(_ side: LibraryWork.Side?, _ subject: String) throws(BibliographySyncError) {
        let what =
            switch side?.file.kind {
            case nil, .file: ""
            case .folder: "\(subject) is a folder, not a bibliography."
            case .link: "\(subject) is a symbolic link, which is not followed."
            case .other: "\(subject) is a special file, not a bibliography."
            }
        guard !what.isEmpty else { return }
        throw BibliographySyncError(
            .failed, what, hint: "Put the bibliography itself in its place; until then it is not synced.")
    }

    // MARK: reading and merging

    /// Reads what changed since the last run and merges it. A failure is recorded in the library.
    func read(_ work: inout LibraryWork) throws(BibliographySyncError) {
        do throws(BibliographySyncError) {
            try decide(&work)
        } catch {
            guard !error.endsRun, error.code != .damagedState else { throw error }
            work.outcome = nil
            work.fate = .failed(error.about(work.name))
        }
    }

    /// Reads both sides again because another program changed one of them.
    func readAgain(_ work: inout LibraryWork) throws(BibliographySyncError) {
        let name = work.host?.file.name ?? work.name
        work.host = try sides.host.stat(name).map { LibraryWork.Side(file: $0, bytes: []) }
        work.device = try sides.device.stat(work.devicePath).map { LibraryWork.Side(file: $0, bytes: []) }
        work.isRepair = false
        try read(&work)
        try addLinks(&work)
    }

    /// Adds links to papers of which both versions are kept.
    func addLinks(_ work: inout LibraryWork) throws(BibliographySyncError) {
        guard !work.addedLinks.isEmpty, work.outcome != nil else { return }
        if case .unchanged = work.fate {
            if work.record.heldBack > 0 {
                // The sides differ, so the base must be read: otherwise something that one side deleted would come
                // back with the link.
                work.isReadAnyway = true
                try decide(&work)
                guard work.outcome != nil else { return }
            } else {
                try load(&work)
            }
            work.fate = .merged
        }
        work.outcome?.link(work.addedLinks, by: sides.mapping)
        do throws(BibliographySyncError) { try validate(work) } catch {
            work.outcome = nil
            work.fate = .failed(error.about(work.name))
        }
    }

    private func decide(_ work: inout LibraryWork) throws(BibliographySyncError) {
        try requireFile(work.host, "It")
        try requireFile(work.device, "On the device, it")
        let record = work.record
        let journal = try LibraryJournal.open(record.id, sides.state)
        work.hasJournal = journal != nil
        let isKnown = !record.bases.isEmpty
        if journal == nil, isKnown, let host = work.host, let device = work.device,
            host.file.stamp == record.hostStamp, device.file.stamp == record.deviceStamp,
            record.heldBack == 0 || !options.deletes, !work.isReadAnyway, isReadAsWanted(record),
            let base = try state.base(record, isUntouched: true)
        {
            work.fate = .unchanged
            var outcome = LibraryWork.Outcome(agreed(base, in: record.encoding))
            if record.heldBack > 0, let sent = try state.sent(record) {
                outcome.device = BibTeXDocument(sent)
            }
            work.outcome = outcome
            return
        }
        try load(&work)
        let deviceDigest = work.device.map { ContentDigest.text($0.bytes) }
        var base = isKnown ? try state.base(record, isUntouched: deviceDigest == record.deviceDigest) : nil
        let recovery = try journal?.recovery(
            record.id, sides.state, host: work.host.map { ContentDigest.text($0.bytes) }, device: deviceDigest
        )
        if let recovery { base = recovery.base }
        let encoding = recovery.map(\.encoding) ?? record.encoding
        let agreed = base.map { self.agreed($0, in: encoding) }
        work.agreed = agreed
        switch (work.host, work.device) {
        case (nil, nil): work.fate = .forgotten
        case (nil, let device?): try decide(&work, withoutHost: device, agreed)
        case (let host?, nil):
            let document = try checked(host, agreed, record)
            work.outcome = LibraryWork.Outcome(document)
            work.fate = .merged
        case (let host?, let device?):
            let ours = try checked(host, agreed, record)
            let sent = deviceDigest == record.deviceDigest ? nil : try sent(record, agreed)
            let theirs = readable(recovery?.device ?? device.bytes, agreed, sent)
            work.isRepair = theirs == nil
            if theirs == nil, agreed == nil {
                // The device's earlier content is not known, so the host's library counts.
                work.outcome = LibraryWork.Outcome(ours)
            } else {
                let merge = merge(
                    agreed, ours, theirs ?? sent.map { BibTeXDocument($0) } ?? agreed ?? ours, &work)
                let isAsRead = theirs != nil && recovery?.device == nil
                if merge.leavesDevice, isAsRead, isLoadable(device.bytes) {
                    work.outcome?.untouchedDevice = device.bytes
                }
            }
            work.fate = .merged
            if let theirs, let problem = problem(theirs) { return try validate(work, device: problem) }
        }
        try validate(work)
    }

    /// Merges both sides. Links that only the device removed are held back or recorded.
    private func merge(
        _ agreed: BibTeXDocument?, _ ours: BibTeXDocument, _ theirs: BibTeXDocument, _ work: inout LibraryWork
    ) -> BibTeXMerge {
        let removed = agreed.map { RemovedLinks(from: $0, to: theirs) }
        var device = theirs
        if let removed, !options.deletes {
            device = removed.putBack(into: theirs, readsArchivesOnly: options.readsArchivesOnly)
        }
        let merge = BibTeXMerge(base: agreed, host: ours, device: device, deletes: options.deletes)
        var outcome = LibraryWork.Outcome(merge)
        outcome.report.joinRenames(from: ours, to: merge.document, on: .host)
        outcome.report.joinRenames(from: device, to: merge.deviceDocument, on: .device)
        if let removed, options.deletes {
            outcome.unlinked = removed.entries(
                losingLinksFrom: ours, to: outcome.host, renamed: merge.report.renamed)
        } else if let removed {
            outcome.heldLinks = removed.remove(from: &outcome.device, renamed: merge.report.renamed)
        }
        work.outcome = outcome
        return merge
    }

    /// Refuses a library that the app would not load, and names the device's file if it caused the error.
    private func validate(_ work: LibraryWork, device problem: BibTeXProblem) throws(BibliographySyncError) {
        do throws(BibliographySyncError) { try validate(work) } catch {
            throw malformed(problem, "The app would not load the device's bibliography.")
        }
    }

    private func isLoadable(_ bytes: [UInt8]) -> Bool {
        BibTeXDocument(bytes).problemsForApp(readsArchivesOnly: options.readsArchivesOnly).isEmpty
    }

    private func decide(
        _ work: inout LibraryWork, withoutHost device: LibraryWork.Side, _ agreed: BibTeXDocument?
    ) throws(BibliographySyncError) {
        let isUntouched = ContentDigest.text(device.bytes) == work.record.deviceDigest
        let sent = isUntouched ? nil : try sent(work.record, agreed)
        if agreed != nil, isUntouched || isCutOff(device.bytes, sent) {
            work.fate = options.deletes ? .removedFromDevice : .left
            return
        }
        // If only the device has the library, the host gets it unchanged; if the device changed it, it is combined
        // with the links that the host knows.
        let theirs = BibTeXDocument(device.bytes)
        if let problem = theirs.problems(.error).first {
            throw malformed(problem, "The device's bibliography has an error.")
        }
        work.outcome =
            agreed.map { LibraryWork.Outcome(BibTeXMerge(base: $0, host: $0, device: theirs, deletes: true)) }
            ?? LibraryWork.Outcome(theirs)
        work.fate = .merged
    }

    /// Reads the bytes of both sides.
    private func load(_ work: inout LibraryWork) throws(BibliographySyncError) {
        if let file = work.host?.file { work.host?.bytes = try bytes(work.name, file, sides.host) }
        if let file = work.device?.file {
            work.device?.bytes = try bytes(work.devicePath, file, sides.device)
        }
    }

    /// Whether the encoding in which a library was read is still the one in the options.
    private func isReadAsWanted(_ record: LibraryRecord) -> Bool {
        guard let encoding = record.encoding, let wanted = options.fallbackEncoding else { return true }
        return encoding == wanted
    }

    /// An agreed state, in the encoding in which it was read. In another encoding, both sides would seem to have
    /// changed it.
    private func agreed(_ bytes: [UInt8], in encoding: BibTeXEncoding?) -> BibTeXDocument {
        BibTeXDocument(bytes, fallback: encoding ?? options.fallbackEncoding)
    }

    private func bytes(
        _ path: String, _ file: BibliographyFile, _ folder: any BibliographyFolder
    ) throws(BibliographySyncError) -> [UInt8] {
        guard file.size <= Self.largest else {
            throw BibliographySyncError(
                .tooLarge, "The bibliography is larger than 256 MB.", subject: path)
        }
        let bytes = try folder.read(path, 0..<file.size)
        // If the size changes while the file is read, another program is writing the file.
        guard UInt64(bytes.count) == file.size else {
            throw BibliographySyncError(
                .changed, "The bibliography changed while it was being read.", subject: path,
                hint: "Run the sync again.", isRetryable: true)
        }
        return bytes
    }

    // MARK: checks

    /// The host's library, if the app would load it and it is not suddenly empty.
    private func checked(
        _ side: LibraryWork.Side, _ agreed: BibTeXDocument?, _ record: LibraryRecord
    ) throws(BibliographySyncError) -> BibTeXDocument {
        let document = BibTeXDocument(side.bytes, fallback: options.fallbackEncoding ?? record.encoding)
        if document.entryIndexes.isEmpty, agreed.map({ !$0.entryIndexes.isEmpty }) ?? false, !options.isForced
        {
            throw BibliographySyncError(
                .emptied, "The bibliography no longer has any entries.",
                hint: "Put it back from a backup, or use --yes to go on with an empty one.",
                hintCode: .consent)
        }
        guard document.isBibliography || agreed != nil else {
            throw BibliographySyncError(
                .malformed, "The file has no BibTeX in it.",
                hint: "Rename the file if it is not a bibliography. Until then it is not sent.")
        }
        guard let problem = problem(document) else { return document }
        throw malformed(problem, "The app would not load the bibliography.")
    }

    private func problem(_ document: BibTeXDocument) -> BibTeXProblem? {
        document.problemWhenSent(readsArchivesOnly: options.readsArchivesOnly)
    }

    private func malformed(_ problem: BibTeXProblem, _ message: String) -> BibliographySyncError {
        BibliographySyncError(
            .malformed,
            "\(message) At line \(problem.line), column \(problem.column): \(problem.explanation)",
            hint:
                "Correct \(problem.entry == nil ? "that place" : "the entry"); until then neither side of this "
                + "bibliography is changed.")
    }

    /// The device's file as the last run left it; nil if it is not known.
    private func sent(
        _ record: LibraryRecord, _ agreed: BibTeXDocument?
    ) throws(BibliographySyncError) -> [UInt8]? {
        guard let agreed else { return nil }
        if let kept = try state.sent(record) { return kept }
        let bytes = agreed.forApp(readsArchivesOnly: options.readsArchivesOnly).bytes
        return ContentDigest.text(bytes) == record.deviceDigest ? bytes : nil
    }

    /// Whether a device file is only the beginning of the file that the last run wrote. If the user deleted entries
    /// at the end, the groups, macros and comments after the entries still exist, because programs do not delete
    /// these with an entry.
    private func isCutOff(_ bytes: [UInt8], _ sent: [UInt8]?) -> Bool {
        guard let sent, bytes.count < sent.count, sent.starts(with: bytes) else { return false }
        return BibTeXDocument(Array(sent[bytes.count...])).blocks.contains { block in
            switch block.kind {
            case .entry: false
            case .text: !block.bytes.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
            default: true
            }
        }
    }

    /// The device's library; nil if it is damaged.
    ///
    /// - Parameter sent: the device's file as the last run left it; nil if it is not known.
    private func readable(
        _ bytes: [UInt8], _ agreed: BibTeXDocument?, _ sent: [UInt8]?
    ) -> BibTeXDocument? {
        guard !isCutOff(bytes, sent) else { return nil }
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        let document = BibTeXDocument(bytes)
        guard document.problems(.error).isEmpty, !document.isCutOff else { return nil }
        // A file that was cut off before its first entry does not contain an error.
        if let agreed, document.entryIndexes.isEmpty, !agreed.entryIndexes.isEmpty || bytes.isEmpty {
            return nil
        }
        return document
    }

    /// Parses the bytes to send again, and refuses them if the app would not load them.
    func validate(_ work: LibraryWork) throws(BibliographySyncError) {
        guard case .merged = work.fate, let outcome = work.outcome else { return }
        let sent = BibTeXDocument(deviceBytes(outcome))
        if let problem = sent.problemsForApp(readsArchivesOnly: options.readsArchivesOnly).first {
            throw malformed(problem, "The app could not load the merged bibliography.")
        }
    }

    /// The device's file for an outcome.
    func deviceBytes(_ outcome: LibraryWork.Outcome) -> [UInt8] {
        outcome.untouchedDevice
            ?? outcome.device.forApp(readsArchivesOnly: options.readsArchivesOnly).bytes
    }
}
