import Diagnostics
import BibTeX
import BibTeXMerging

/// Hooks through which a run reports progress and asks whether to continue. All are called on the thread of the run.
public struct BibliographySyncHooks {
    /// Called before each file and during its copy.
    public var progress: (BibliographyProgress) -> Void = { _ in }
    /// Returns whether to end the run after the present file.
    public var isCancelled: () -> Bool = { false }
    /// Returns the number of free bytes on the device; nil if the device does not report it.
    public var freeBytes: () throws(BibliographySyncError) -> UInt64? = { () throws(BibliographySyncError) in
        nil
    }
    /// Returns a new name for this host's state: letters and digits that are unique among hosts.
    public var newIdentity: () -> String = {
        String(UInt64.random(in: 0...UInt64.max), radix: 16)
            + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    }

    /// Hooks that do nothing.
    public init() {}

    func checkCancellation() throws(BibliographySyncError) {
        guard !isCancelled() else {
            throw BibliographySyncError(
                .cancelled, "The sync was cancelled.", hint: "The next sync continues from here.")
        }
    }
}

/// A two-way sync of an app with a folder: of its bibliographies and the papers to which they link.
///
/// `plan` reads both sides and changes nothing. `carryOut` then changes them: first all bibliographies, then the papers
/// with the most wanted first, and removals last. If a run is interrupted anywhere, the next one finishes it. Use a
/// value for one run only, on one thread.
public struct BibliographySyncRun {
    let sides: BibliographySides
    let options: BibliographySyncOptions
    let hooks: BibliographySyncHooks
    var state: AgreedState
    let reader: LibraryReader
    /// The bibliographies by name.
    var libraries: [LibraryWork] = []
    /// The steps for papers, in the order in which they are carried out.
    var steps: [PaperStep] = []
    /// Bibliographies that could not be written.
    var failedLibraries: Set<String> = []
    /// Why the device's version of a paper could not be copied to the host, by its planned name.
    var failedVersions: [String: BibliographySyncError] = [:]
    /// Whether a bibliography was read again after the papers were planned, so that its links may have changed.
    var isReread = false
    /// The plan.
    public internal(set) var rows: [BibliographyPlanRow] = []

    /// Reads the state that the last run left.
    ///
    /// - Parameter sides: what to sync.
    /// - Parameter options: how to sync.
    /// - Parameter hooks: called during the run.
    /// - Throws: `.damagedState` if the state cannot be read; nothing was done.
    public init(
        _ sides: BibliographySides, _ options: BibliographySyncOptions,
        hooks: BibliographySyncHooks = BibliographySyncHooks()
    ) throws(BibliographySyncError) {
        self.sides = sides
        self.options = options
        self.hooks = hooks
        try ContentDigest.check()
        state = try AgreedState(sides, newIdentity: hooks.newIdentity)
        reader = LibraryReader(sides, options, state)
    }

    /// Makes the plan.
    ///
    /// - Returns: a row for each entry, bibliography and paper that changes, is in conflict, or cannot be read.
    /// - Throws: what makes a plan impossible: a side that cannot be listed, `.emptied`, `.tooManyDeletions`,
    ///   `.cancelled`.
    public mutating func plan() throws(BibliographySyncError) -> [BibliographyPlanRow] {
        rows = []
        libraries = try reader.list()
        for index in libraries.indices {
            try hooks.checkCancellation()
            try reader.read(&libraries[index])
        }
        for library in libraries { try checkEntries(library) }
        var links = PaperLinks()
        for library in libraries {
            if let outcome = library.outcome { links.add(library.record.name, outcome, sides.mapping) }
        }
        let unlinked = try state.papers().map(\.path).filter { links.papers[$0] == nil }
        let moved = MovedLinks(
            of: Set(unlinked), libraries, links, sides.mapping, fallback: options.fallbackEncoding)
        var papers = PaperPlanner(sides, options)
        try papers.plan(links, moved, isComplete: libraries.allSatisfy(\.isKnown), &state)
        refuseUnexamined(papers.failed, moved)
        let steps = holdingBack(papers.steps)
        try linkBothVersions(steps, links)
        try order(steps)
        try checkPapers()
        addLibraryRows()
        addPaperRows()
        for path in papers.missing {
            add(
                BibliographyPlanRow(
                    .keep, path, reason: "The linked paper is neither in the folder nor on the device."))
        }
        for path in papers.unplaced {
            add(
                BibliographyPlanRow(
                    .keep, path,
                    reason:
                        "The app's folder already has another paper with this name."
                ))
        }
        for path in papers.unfit {
            add(
                BibliographyPlanRow(
                    .keep, path, reason: "The link leads to a folder or a symbolic link, which is not copied."
                ))
        }
        for (path, failure) in papers.failed { add(BibliographyPlanRow(.keep, path, failure: failure)) }
        for entry in links.withoutPath {
            add(
                BibliographyPlanRow(
                    .keep, entry.key,
                    reason:
                        "A link of \(entry.key) in \(entry.library) has no path, so only BibDesk on a Mac can follow it. The "
                        + "folder's file keeps it."
                ))
        }
        for link in links.outside {
            add(
                BibliographyPlanRow(
                    .keep, link.path,
                    reason:
                        "The link of \(link.key) in \(link.library) is not followed: it leads \(link.target)."
                ))
        }
        return rows
    }

    @discardableResult mutating func add(_ row: BibliographyPlanRow) -> Int {
        rows.append(row)
        return rows.count - 1
    }

    // MARK: refusals

    func checkEntries(_ library: LibraryWork) throws(BibliographySyncError) {
        guard !options.isForced else { return }
        let (agreed, most) = (library.agreed?.entryIndexes.count ?? 0, library.goneEntries)
        // Search the other libraries only if needed, because this takes time and most runs delete few entries.
        guard Double(most) > options.share * Double(agreed), most > 0 else { return }
        let count = MovedEntries(library, in: libraries).lost
        guard Double(count) > options.share * Double(agreed), count > 0 else { return }
        throw tooMany(agreed == 1 ? "the only entry" : "\(count) of \(agreed) entries", library.name)
    }

    /// Papers that the other side still has are not lost, so they do not count.
    private mutating func checkPapers() throws(BibliographySyncError) {
        let lost = steps.count { $0.isRemoval && ($0.host == nil || $0.device == nil) }
        guard !options.isForced, lost > 0 else { return }
        let known = try state.papers().count
        guard Double(lost) > options.share * Double(known) else { return }
        throw tooMany(known == 1 ? "the only paper" : "\(lost) of \(known) papers", nil)
    }

    private func tooMany(_ what: String, _ subject: String?) -> BibliographySyncError {
        BibliographySyncError(
            .tooManyDeletions, "The sync would delete \(what).", subject: subject,
            hint: "Look at the plan with --delete --dry-run --yes. To delete them, use --delete --yes.",
            hintCode: .consent)
    }

    // MARK: papers

    /// The steps without those that send papers, if the options forbid sending.
    private func holdingBack(_ steps: [PaperStep]) -> [PaperStep] {
        guard options.papersStay != nil else { return steps }
        return steps.map { step in
            var step = step
            if step.growth > 0 { step.work = .notAllowed }
            return step
        }
    }

    /// Refuses bibliographies in which a link moves away from a paper that cannot be examined. If they were written
    /// and the other side had changed the paper, no later run would link it.
    private mutating func refuseUnexamined(
        _ failed: [(path: String, failure: BibliographySyncError)], _ moved: MovedLinks
    ) {
        for (path, failure) in failed {
            let names = Set((moved.moves[path] ?? []).map(\.library))
            for index in libraries.indices where names.contains(libraries[index].record.name) {
                libraries[index].outcome = nil
                libraries[index].fate = .failed(
                    BibliographySyncError(
                        .failed, "It is not known whether a paper whose link was moved has changed.",
                        subject: path,
                        hint: "Run the sync again. If it fails again, make the paper readable, or remove it.",
                        isRetryable: failure.isRetryable, underlying: failure))
            }
        }
    }

    /// Adds a link to the device's version of a paper that both sides changed, next to the link to the host's
    /// version, and to a paper that one side changed, next to the path to which the other side moved its link.
    private mutating func linkBothVersions(
        _ steps: [PaperStep], _ links: PaperLinks
    ) throws(BibliographySyncError) {
        var versions: [String: [LibraryWork.PaperVersion]] = [:]
        for step in steps {
            for move in step.moves {
                versions[move.library, default: []].append(.init(other: step.path, path: move.path))
            }
            guard case .keepBoth(let name) = step.work else { continue }
            for move in step.moves {
                versions[move.library, default: []].append(.init(other: name, path: move.path))
            }
            for library in links.papers[step.path]?.libraries ?? [] {
                versions[library, default: []].append(.init(other: name, path: step.path))
            }
        }
        for index in libraries.indices {
            guard let added = versions[libraries[index].record.name] else { continue }
            libraries[index].addedLinks += added
            try reader.addLinks(&libraries[index])
        }
    }

    /// Sorts the steps: the most wanted papers first and removals last. If the device does not have enough room, the
    /// least wanted papers are left out.
    private mutating func order(_ planned: [PaperStep]) throws(BibliographySyncError) {
        func rank(_ step: PaperStep) -> Int {
            step.isRemoval ? 100 : step.priority?.rawValue ?? PaperPriority.rest.rawValue
        }
        steps = planned.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
        let growth = steps.reduce(UInt64(0)) { $0 + $1.growth }
        guard growth > 0, let free = try hooks.freeBytes() else { return }
        var room = free > options.reserve ? free - options.reserve : 0
        guard growth > room else { return }
        for index in steps.indices where steps[index].growth > 0 {
            if steps[index].growth <= room {
                room -= steps[index].growth
            } else {
                steps[index].work = .noRoom
            }
        }
    }
}
