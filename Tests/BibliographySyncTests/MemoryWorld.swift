import Diagnostics
import BibTeX
import BibliographySync
import Platform
import Testing

/// Counts operations and fails at a given number, as if the cable were pulled or the program killed.
final class Interruption {
    /// Operations with changes, and those that only read.
    private(set) var changes = 0
    private(set) var looks = 0
    /// The operation that fails, counted from 1; nil for none.
    var failsAt: Int?
    /// The error of the failure.
    var failure = BibliographySyncError(.failed, "The cable was pulled.")
    /// Whether copies under a name with a version of the device fail.
    var refusesVersions = false
    /// Whether the operation is done before its answer is lost.
    var isAnswerLost = false
    /// Whether all further operations fail after the failure.
    private(set) var isDead = false
    /// The number of changing operations so far.
    private(set) var changing: Set<Int> = []
    private var count = 0

    /// The number of all operations so far.
    var operations: Int { changes + looks }

    func restart() { (count, changes, looks, failsAt, isDead, changing) = (0, 0, 0, nil, false, []) }

    /// Performs a changing operation.
    func change<Result>(_ body: () throws(BibliographySyncError) -> Result) throws(BibliographySyncError)
        -> Result
    {
        changes += 1
        changing.insert(operations)
        return try run(body)
    }

    /// Performs a reading operation.
    func look<Result>(_ body: () throws(BibliographySyncError) -> Result) throws(BibliographySyncError)
        -> Result
    {
        looks += 1
        return try run(body)
    }

    private func run<Result>(_ body: () throws(BibliographySyncError) -> Result) throws(BibliographySyncError)
        -> Result
    {
        let pulled = failure
        count += 1
        if isDead { throw pulled }
        guard count == failsAt else { return try body() }
        isDead = true
        if isAnswerLost { _ = try body() }
        throw pulled
    }
}

/// A folder in memory. Its clock advances with every change, so that stamps differ.
final class MemoryFolder: BibliographyFolder {
    struct Stored: Equatable {
        var bytes: [UInt8]
        var tick: Int
    }

    var files: [String: Stored] = [:]
    /// Paths of items that are not files.
    var kinds: [String: BibliographyFile.Kind] = [:]
    /// Removed files, as in a trash.
    var trash: [String: [UInt8]] = [:]
    /// Folders that cannot be listed.
    var unreadable: Set<String> = []
    /// Called once before the next replacement, like a change by another program.
    var beforeReplacing: (() -> Void)?
    private(set) var listed = 0
    private var tick = 0
    private let interruption: Interruption

    init(_ interruption: Interruption) { self.interruption = interruption }

    func write(_ path: String, _ bytes: [UInt8]) {
        #expect(path.split(separator: "/").allSatisfy { $0.utf8.count <= 255 }, "\(path)")
        tick += 1
        files[path] = Stored(bytes: bytes, tick: tick)
    }

    func write(_ path: String, _ text: String) { write(path, Array(text.utf8)) }

    func text(_ path: String) -> String? { files[path].map { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The bytes of every file by its path.
    var contents: [String: [UInt8]] { files.mapValues(\.bytes) }

    private func file(_ path: String) -> BibliographyFile? {
        files[path].map {
            BibliographyFile(
                name: path.split(separator: "/").last.map(String.init) ?? path, kind: kinds[path] ?? .file,
                size: UInt64($0.bytes.count),
                modified: Int64($0.tick), stamp: stamp($0))
        }
    }

    private func stamp(_ stored: Stored) -> String { "\(stored.bytes.count)-\(stored.tick)" }

    func list(_ folder: String) throws(BibliographySyncError) -> [BibliographyFile] {
        listed += 1
        return try interruption.look { () throws(BibliographySyncError) in
            guard !unreadable.contains(folder) else {
                throw BibliographySyncError(.failed, "The folder cannot be read.")
            }
            let prefix = folder.isEmpty ? "" : folder + "/"
            let inside = files.keys.filter { $0.hasPrefix(prefix) }.sorted()
            guard folder.isEmpty || !inside.isEmpty else {
                throw BibliographySyncError(.notFound, "There is no such folder.")
            }
            return inside.filter { !$0.dropFirst(prefix.count).contains("/") }.compactMap(file)
        }
    }

    func stat(_ path: String) throws(BibliographySyncError) -> BibliographyFile? {
        try interruption.look { file(path) }
    }

    func read(_ path: String, _ range: Range<UInt64>) throws(BibliographySyncError) -> [UInt8] {
        try interruption.look { () throws(BibliographySyncError) in
            guard let file = files[path] else {
                throw BibliographySyncError(.notFound, "There is no such file.")
            }
            return Array(file.bytes.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }
    }

    func replace(_ path: String, _ bytes: [UInt8], expecting stamp: String?) throws(BibliographySyncError)
        -> BibliographyFile
    {
        let other = beforeReplacing
        beforeReplacing = nil
        other?()
        return try interruption.change { () throws(BibliographySyncError) in
            try check(path, stamp)
            write(path, bytes)
            return file(path) ?? BibliographyFile(name: path, size: 0, modified: 0, stamp: "")
        }
    }

    func check(_ path: String, _ stamp: String?) throws(BibliographySyncError) {
        guard files[path].map({ self.stamp($0) }) == stamp else {
            throw BibliographySyncError(.changed, "Another program changed the file.")
        }
    }

    func remove(_ path: String, expecting stamp: String) throws(BibliographySyncError) {
        try interruption.change { () throws(BibliographySyncError) in
            try check(path, stamp)
            trash[path] = files.removeValue(forKey: path)?.bytes
        }
    }

    func digest(_ path: String) throws(BibliographySyncError) -> String {
        try interruption.look { () throws(BibliographySyncError) in
            guard let file = files[path] else {
                throw BibliographySyncError(.notFound, "There is no such file.")
            }
            return Hex.text(Digest.of(file.bytes, .sha256) ?? [])
        }
    }
}

/// A store in memory.
final class MemoryState: BibliographyState {
    var values: [String: [UInt8]] = [:]
    private(set) var written = 0
    private let interruption: Interruption

    init(_ interruption: Interruption) { self.interruption = interruption }

    func get(_ key: String) throws(BibliographySyncError) -> [UInt8]? {
        try interruption.look { values[key] }
    }

    func put(_ key: String, _ value: [UInt8]) throws(BibliographySyncError) {
        try interruption.change {
            written += value.count
            values[key] = value
        }
    }

    func remove(_ key: String) throws(BibliographySyncError) {
        try interruption.change { () -> Void in values[key] = nil }
    }

    func keys() throws(BibliographySyncError) -> [String] { try interruption.look { values.keys.sorted() } }
}

/// The number of papers in each common copy.
final class CopiesTogether {
    var counts: [Int] = []
    /// The bibliographies that were copied unchanged.
    var libraries: [String] = []
    /// Called once before the next copy, like a change by another program.
    var before: (() -> Void)?

    func begin(_ count: Int) {
        counts.append(count)
        before?()
        before = nil
    }
}

/// Copies between two folders in memory.
struct MemoryCopier: PaperCopier {
    let host: MemoryFolder
    let device: MemoryFolder
    let interruption: Interruption
    let together: CopiesTogether

    func sendLibrary(
        _ copy: PaperCopy, expecting stamp: String
    ) throws(BibliographySyncError) -> BibliographyFile {
        try host.check(copy.source, stamp)
        together.libraries.append(copy.source)
        return try device.replace(copy.target, host.files[copy.source]?.bytes ?? [], expecting: copy.replaced)
    }

    func send(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult] {
        copies(papers, host, device, progress)
    }

    func fetch(
        _ papers: [PaperCopy], progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> [PaperResult] {
        copies(papers, device, host, progress)
    }

    private func copies(
        _ papers: [PaperCopy], _ from: MemoryFolder, _ to: MemoryFolder,
        _ progress: (Int, UInt64) throws(BibliographySyncError) -> Void
    ) -> [PaperResult] {
        together.begin(papers.count)
        return papers.enumerated().map { place, paper in
            Result { () throws(BibliographySyncError) in
                try copy(paper.source, from, paper.target, to, paper.replaced) {
                    (count: UInt64) throws(BibliographySyncError) in try progress(place, count)
                }
            }
        }
    }

    private func copy(
        _ source: String, _ from: MemoryFolder, _ target: String, _ to: MemoryFolder, _ stamp: String?,
        _ progress: (UInt64) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) -> CopiedPaper {
        guard let bytes = from.files[source]?.bytes else {
            throw BibliographySyncError(.notFound, "There is no such paper.", subject: source)
        }
        if interruption.refusesVersions, target.contains("(device ") {
            throw BibliographySyncError(.failed, "There is a quota for names.", subject: target)
        }
        if interruption.isDead { throw interruption.failure }
        try progress(UInt64(bytes.count))
        try interruption.change { () throws(BibliographySyncError) in
            try to.check(target, stamp)
            to.write(target, bytes)
        }
        let (one, other) = (from === host ? source : target, from === host ? target : source)
        func written(_ folder: MemoryFolder, _ path: String) -> String {
            folder.files[path].map { "\($0.bytes.count)-\($0.tick)" } ?? ""
        }
        return CopiedPaper(
            size: UInt64(bytes.count), digest: Hex.text(Digest.of(bytes, .sha256) ?? []),
            hostStamp: written(host, one), deviceStamp: written(device, other))
    }
}

/// The folders of the app's latest generation.
struct MemoryMapping: PaperMapping {
    /// Keys of the entries whose papers are wanted; nil for all.
    var keys: Set<String>?
    /// Links to papers for which the app does not have a place.
    var unplaced: Set<String> = []
    /// Keys of the entries whose papers are requested now. These go to a folder of caches.
    var askedFor: Set<String> = []
    /// A folder of another computer that corresponds to the host's folder.
    var root = ""

    /// Whether all papers are in one folder, under their names only.
    var isFlat = false

    let libraryFolder = "Dropbox/BibFiles"

    func path(of link: String) -> String {
        !root.isEmpty && link.hasPrefix(root + "/") ? String(link.dropFirst(root.count + 1)) : link
    }

    func place(of path: String, _ priority: PaperPriority?) -> PaperPlace? {
        if unplaced.contains(path) { return nil }
        if isFlat { return PaperPlace("Dropbox/LinkedFiles/" + path.pathName) }
        return priority == .askedFor
            ? PaperPlace("Caches/" + path, isPurgeable: true) : PaperPlace("Dropbox/LinkedFiles/" + path)
    }

    func wanted(_ document: BibTeXDocument, _ library: String) -> [Int: PaperPriority] {
        var wanted: [Int: PaperPriority] = [:]
        for index in document.entryIndexes {
            let key = document.blocks[index].key ?? ""
            if askedFor.contains(key) {
                wanted[index] = .askedFor
            } else if keys?.contains(key) ?? true {
                wanted[index] = .rest
            }
        }
        return wanted
    }
}

/// A host, a device, and the state between them.
final class MemoryWorld {
    let interruption = Interruption()
    let together = CopiesTogether()
    let host: MemoryFolder
    let device: MemoryFolder
    var state: MemoryState
    var marks: MemoryState
    var mapping = MemoryMapping()
    var options = BibliographySyncOptions(day: "2026-07-18")
    var hooks = BibliographySyncHooks()
    /// Called once after the next plan, like a change by another program.
    var afterPlan: (() -> Void)?

    init() {
        host = MemoryFolder(interruption)
        device = MemoryFolder(interruption)
        state = MemoryState(interruption)
        marks = MemoryState(interruption)
        options.reserve = 0
        hooks.newIdentity = { "thishost" }
    }

    /// The result of a run.
    struct Outcome {
        var rows: [BibliographyPlanRow] = []
        var failures: [String: BibliographySyncError] = [:]

        /// `action item` of each row.
        var lines: [String] { rows.map { "\($0.action.rawValue) \($0.item)" } }
        /// `action item` of each row about a file.
        var files: [String] { rows.filter { $0.path != nil }.map { "\($0.action.rawValue) \($0.item)" } }
        func row(_ item: String) -> BibliographyPlanRow? { rows.first { $0.item == item } }
    }

    /// Only makes a plan.
    func dryRun() throws -> Outcome {
        var run = try BibliographySyncRun(sides, options, hooks: hooks)
        return Outcome(rows: try run.plan())
    }

    /// Runs a complete sync.
    @discardableResult func sync() throws -> Outcome {
        var run = try BibliographySyncRun(sides, options, hooks: hooks)
        var outcome = Outcome(rows: try run.plan())
        afterPlan?()
        afterPlan = nil
        try run.carryOut { (place, failure) throws(BibliographySyncError) in
            outcome.failures[outcome.rows[place].item] = failure
        }
        return outcome
    }

    /// Called once before the next paper is copied.
    var beforeCopying: (() -> Void)? {
        get { together.before }
        set { together.before = newValue }
    }

    private var sides: BibliographySides {
        BibliographySides(
            host: host, device: device,
            copier: MemoryCopier(host: host, device: device, interruption: interruption, together: together),
            state: state,
            marks: marks, mapping: mapping)
    }

    // MARK: contents

    static let folder = "Dropbox/BibFiles/"
    static let papers = "Dropbox/LinkedFiles/"

    var hostText: String { host.text("refs.bib") ?? "" }
    var deviceText: String { device.text(Self.folder + "refs.bib") ?? "" }

    func edit(_ old: String, _ new: String) { host.write("refs.bib", hostText.replacing(old, with: new)) }
    func editDevice(_ old: String, _ new: String) {
        device.write(Self.folder + "refs.bib", deviceText.replacing(old, with: new))
    }

    /// The contents that must be equal after an interrupted and an undisturbed run.
    var everything: [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for (path, bytes) in host.contents { all["host/" + path] = bytes }
        for (path, bytes) in device.contents { all["device/" + path] = bytes }
        for (path, bytes) in host.trash { all["trash/" + path] = bytes }
        return all
    }
}

/// The text of a library with links.
func bib(_ entries: (key: String, title: String, files: [String])...) -> String {
    "% head\n"
        + entries.map { entry in
            let files = entry.files.enumerated().map { place, path in
                ",\n\tbdsk-file-\(place + 1) = {\(FileLink(path: path).value)}"
            }
            return "\n@article{\(entry.key),\n\ttitle = {\(entry.title)},\n\tyear = 2000\(files.joined())}\n"
        }.joined()
}
