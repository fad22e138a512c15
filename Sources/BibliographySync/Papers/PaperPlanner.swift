import Diagnostics
import BibTeX
import BibTeXMerging
import Platform

/// Decides what happens to each paper. It does not change anything.
struct PaperPlanner {
    private let sides: BibliographySides
    private let options: BibliographySyncOptions
    private var hosts: PaperListings
    private var devices: PaperListings
    /// Whether the links of every library are known.
    private var isComplete = false
    /// The agreed records by their paths on the device.
    private var recordsByPlace: [String: [PaperRecord]] = [:]
    /// The paths on the device that linked papers have or get.
    private var taken: Set<String> = []
    /// The papers with records that are kept until another paper has replaced them on the device.
    private var replaced: Set<String> = []
    /// The steps, sorted by the papers' paths.
    private(set) var steps: [PaperStep] = []
    /// Linked papers that exist on neither side.
    private(set) var missing: [String] = []
    /// Linked papers without a place on the device, because another paper with their name has it.
    private(set) var unplaced: [String] = []
    /// Linked folders and symbolic links, which are not copied.
    private(set) var unfit: [String] = []
    /// Papers that cannot be examined on one side.
    private(set) var failed: [(path: String, failure: BibliographySyncError)] = []

    init(_ sides: BibliographySides, _ options: BibliographySyncOptions) {
        self.sides = sides
        self.options = options
        hosts = PaperListings(sides.host)
        devices = PaperListings(sides.device)
    }

    /// The state of one paper on both sides.
    private struct PaperPair {
        let path: String
        let hostPath: String
        let place: PaperPlace
        let host: BibliographyFile?
        let device: BibliographyFile?
    }

    /// Plans all papers.
    ///
    /// - Parameter links: the linked papers.
    /// - Parameter moved: the links that one side moved away from papers.
    /// - Parameter isComplete: whether the links of every library are known; if not, a missing link means nothing.
    /// - Parameter state: the agreed state.
    mutating func plan(
        _ links: PaperLinks, _ moved: MovedLinks, isComplete: Bool, _ state: inout AgreedState
    ) throws(BibliographySyncError) {
        self.isComplete = isComplete
        recordsByPlace = Dictionary(grouping: try state.papers(), by: \.devicePath)
        for paper in links.papers.values.sorted(by: { $0.path < $1.path }) {
            guard let place = sides.mapping.place(of: paper.path, paper.priority) else {
                unplaced.append(paper.path)
                try forgetPlace(of: paper.path, &state)
                continue
            }
            taken.insert(place.path)
            let record = try state.paper(paper.path)
            try each(paper.path) { (planner) throws(BibliographySyncError) in
                guard let pair = try planner.pair(paper.path, place, record) else { return }
                try planner.planLinked(pair, paper, record)
            }
        }
        let isKnownToDevice = state.isKnownToDevice
        for record in try state.papers()
        where links.papers[record.path] == nil && !replaced.contains(record.path) {
            let moves = moved.moves[record.path] ?? []
            guard isComplete || !moves.isEmpty else { continue }
            let place = PaperPlace(record.devicePath, isPurgeable: record.isPurgeable)
            try each(record.path) { (planner) throws(BibliographySyncError) in
                guard let pair = try planner.pair(record.path, place, record) else { return }
                // Another paper now has this path, or this app never had it, so its absence is not a deletion.
                guard !planner.taken.contains(record.devicePath), isKnownToDevice || pair.device != nil
                else {
                    if isComplete { planner.add(.forget, pair, nil) }
                    return
                }
                if try planner.planMoved(pair, record, moves, links) { return }
                if isComplete { try planner.planUnlinked(pair, record) }
            }
        }
    }

    /// Plans one paper. If it cannot be read, the other papers are still planned.
    private mutating func each(
        _ path: String, _ body: (inout PaperPlanner) throws(BibliographySyncError) -> Void
    ) throws(BibliographySyncError) {
        do throws(BibliographySyncError) { try body(&self) } catch {
            if error.endsRun || error.code == .damagedState { throw error }
            failed.append((path, error.about(path)))
        }
    }

    private mutating func pair(
        _ path: String, _ place: PaperPlace, _ record: PaperRecord?
    ) throws(BibliographySyncError) -> PaperPair? {
        var (hostPath, place) = (path, place)
        var files: (host: BibliographyFile?, device: BibliographyFile?)
        switch try hosts.state(of: path) {
        case .present(let file, let written): (files.host, hostPath) = (file, written)
        case .unfit:
            unfit.append(path)
            return nil
        case .absent(let written): hostPath = written
        case .unknown(let failure):
            failed.append((path, failure))
            return nil
        }
        switch try devices.state(of: place.path) {
        case .present(let file, let written): (files.device, place.path) = (file, written)
        case .unfit:
            unfit.append(path)
            return nil
        case .absent(let written): place.path = written
        case .unknown(let failure):
            failed.append((path, failure))
            return nil
        }
        return PaperPair(
            path: path, hostPath: hostPath, place: place, host: files.host, device: files.device)
    }

    private mutating func add(
        _ work: PaperStep.Work, _ pair: PaperPair, _ priority: PaperPriority?, digest: String? = nil,
        replacing other: String? = nil, isLinked: Bool = false
    ) {
        steps.append(
            PaperStep(
                path: pair.path, place: pair.place, work: work, priority: priority, isLinked: isLinked,
                hostPath: pair.hostPath, host: pair.host, device: pair.device, digest: digest,
                replaced: other))
    }

    // MARK: linked papers

    private mutating func planLinked(
        _ pair: PaperPair, _ paper: PaperOfFolder, _ record: PaperRecord?
    ) throws(BibliographySyncError) {
        let priority = paper.priority
        switch (pair.host, pair.device) {
        case (nil, nil):
            missing.append(pair.path)
            if record != nil { add(.forget, pair, priority) }
        case (let host?, nil):
            if priority == nil, record?.removal == .fromDevice { return add(.forget, pair, nil) }
            guard let priority else { return }
            add(isSendable(host) ? .send : .reportOnly, pair, priority)
        case (nil, let device?):
            if record == nil, try otherPaper(at: pair, device) != nil {
                taken.remove(pair.place.path)
                return missing.append(pair.path)
            }
            guard let record, try isSame(device, pair.place.path, record.deviceStamp, record, sides.device)
            else { return add(.fetch, pair, priority) }
            // The paper was deleted in the folder, but an entry on the device still links to it.
            add(.reportOnly, pair, priority)
        case (let host?, let device?):
            try planBoth(pair, host, device, record, priority)
        }
    }

    private mutating func planBoth(
        _ pair: PaperPair, _ host: BibliographyFile, _ device: BibliographyFile, _ record: PaperRecord?,
        _ priority: PaperPriority?
    ) throws(BibliographySyncError) {
        if let record {
            if host.stamp == record.hostStamp, device.stamp == record.deviceStamp {
                let isUnwanted =
                    priority == nil && record.priority != .askedFor && options.deletes && isComplete
                if isUnwanted { add(.removeFromDevice, pair, nil, isLinked: true) }
                return
            }
            let hostIsSame = try isSame(host, pair.hostPath, record.hostStamp, record, sides.host)
            let deviceIsSame = try isSame(device, pair.place.path, record.deviceStamp, record, sides.device)
            switch (hostIsSame, deviceIsSame) {
            case (true, true): return add(.agree, pair, priority, digest: record.digest)
            case (false, true): return add(isSendable(host) ? .send : .reportOnly, pair, priority)
            case (true, false): return add(.fetch, pair, priority)
            case (false, false): break
            }
        } else if let other = try otherPaper(at: pair, device),
            try !hasBytes(of: other, host, pair.hostPath)
        {
            return try plan(pair, host, inPlaceOf: other, priority)
        }
        let digest = try sides.device.digest(pair.place.path)
        if host.size == device.size, try sides.host.digest(pair.hostPath) == digest {
            return add(.agree, pair, priority, digest: digest)
        }
        guard isSendable(host) else { return add(.reportOnly, pair, priority) }
        add(.keepBoth(name: try otherName(pair.path, digest)), pair, priority, digest: digest)
    }

    private func isSendable(_ file: BibliographyFile) -> Bool {
        options.largestPaper.map { file.size <= $0 } ?? true
    }

    private func isSame(
        _ file: BibliographyFile, _ path: String, _ stamp: String, _ record: PaperRecord,
        _ folder: any BibliographyFolder
    ) throws(BibliographySyncError) -> Bool {
        if file.stamp == stamp { return true }
        return file.size == record.size ? try folder.digest(path) == record.digest : false
    }

    /// A path on the host for the device's version: one that is free or that already contains this version.
    private mutating func otherName(_ path: String, _ digest: String) throws(BibliographySyncError) -> String
    {
        let slash = path.pathName.startIndex
        var dot = path[slash...].lastIndex(of: ".").flatMap { $0 == slash ? nil : $0 } ?? path.endIndex
        if path[dot...].utf8.count > Self.longestExtension { dot = path.endIndex }
        var number = 1
        while true {
            let remark = " (device \(options.day)\(number == 1 ? "" : " \(number)"))"
            let room = Self.longestName - remark.utf8.count - path[dot...].utf8.count
            let stem = path[slash..<dot].prefix(bytes: room)
            let name = "\(path[..<slash])\(stem)\(remark)\(path[dot...])"
            switch try hosts.state(of: name) {
            case .absent: return name
            case .unfit: break
            case .present(_, let written):
                if try sides.host.digest(written) == digest { return name }
            case .unknown(let failure): throw failure
            }
            number += 1
        }
    }

    /// The longest name of a file, in bytes, on Linux and iOS.
    private static let longestName = 255
    /// The longest extension, in bytes with its dot; a longer one counts as part of the name.
    private static let longestExtension = 32

    // MARK: places of other papers

    /// The record of another paper that is still at this place, as in a flat folder after its entry was deleted; nil
    /// if the device's file may be a version of this paper.
    private func otherPaper(
        at pair: PaperPair, _ device: BibliographyFile
    ) throws(BibliographySyncError) -> PaperRecord? {
        for record in recordsByPlace[pair.place.path] ?? [] where record.path != pair.path {
            if try isSame(device, pair.place.path, record.deviceStamp, record, sides.device) {
                return record
            }
        }
        return nil
    }

    private func hasBytes(
        of record: PaperRecord, _ file: BibliographyFile, _ path: String
    ) throws(BibliographySyncError) -> Bool {
        file.size == record.size ? try sides.host.digest(path) == record.digest : false
    }

    /// Replaces another paper on the device if the host has that paper. Otherwise the device may have the only copy,
    /// so that paper is kept in place.
    private mutating func plan(
        _ pair: PaperPair, _ host: BibliographyFile, inPlaceOf other: PaperRecord, _ priority: PaperPriority?
    ) throws(BibliographySyncError) {
        var isKept = false
        if case .present(let file, let written) = try hosts.state(of: other.path) {
            isKept = try isSame(file, written, other.hostStamp, other, sides.host)
        }
        guard isKept, priority != nil else {
            taken.remove(pair.place.path)
            if priority != nil { unplaced.append(pair.path) }
            return
        }
        replaced.insert(other.path)
        add(isSendable(host) ? .send : .reportOnly, pair, priority, replacing: other.path)
    }

    /// Forgets where a paper was on the device if another paper has that place now. Otherwise the other paper would
    /// later look like a new version of it.
    private mutating func forgetPlace(
        of path: String, _ state: inout AgreedState
    ) throws(BibliographySyncError) {
        guard let record = try state.paper(path), taken.contains(record.devicePath), !replaced.contains(path)
        else { return }
        let place = PaperPlace(record.devicePath, isPurgeable: record.isPurgeable)
        try each(path) { (planner) throws(BibliographySyncError) in
            if let pair = try planner.pair(path, place, record) { planner.add(.forget, pair, nil) }
        }
    }

    // MARK: papers without a link

    /// Keeps a paper that one side changed while the other side moved its link, as after renaming the file. Both
    /// papers are linked then, so that the changes stay in sight.
    ///
    /// - Returns: whether the paper is planned.
    private mutating func planMoved(
        _ pair: PaperPair, _ record: PaperRecord, _ moves: [MovedLinks.Move], _ links: PaperLinks
    ) throws(BibliographySyncError) -> Bool {
        guard !moves.isEmpty else { return false }
        var changed: Set<MergeSide> = []
        if let host = pair.host,
            try !isSame(host, pair.hostPath, record.hostStamp, record, sides.host)
        {
            changed.insert(.host)
        }
        if let device = pair.device,
            try !isSame(device, pair.place.path, record.deviceStamp, record, sides.device)
        {
            changed.insert(.device)
        }
        // A side that moved the link may have changed the former paper as it likes.
        let kept = moves.filter { changed.contains($0.side == .host ? .device : .host) }
        guard !kept.isEmpty else { return false }
        var paper = PaperOfFolder(path: pair.path)
        paper.priority = kept.compactMap { links.papers[$0.path]?.priority }.min()
        taken.insert(pair.place.path)
        let count = steps.count
        try planLinked(pair, paper, record)
        if steps.count == count { add(.reportOnly, pair, paper.priority) }
        steps[steps.count - 1].moves = kept
        return true
    }

    private mutating func planUnlinked(_ pair: PaperPair, _ record: PaperRecord) throws(BibliographySyncError)
    {
        switch (pair.host, pair.device) {
        case (nil, nil): add(.forget, pair, nil)
        case (let host?, nil):
            // A removal that was begun is complete now. A paper missing from a cache was purged, not deleted.
            if record.removal == .fromDevice || record.isPurgeable { return add(.forget, pair, nil) }
            guard try isSame(host, pair.hostPath, record.hostStamp, record, sides.host) else {
                return add(.forget, pair, nil)
            }
            if options.deletes { add(.removeFromHost, pair, nil) }
        case (let host, let device?):
            guard try isSame(device, pair.place.path, record.deviceStamp, record, sides.device) else {
                // The device's version was changed, so it must not be lost.
                if host == nil { add(.fetch, pair, nil) }
                return
            }
            guard options.deletes else { return }
            if let host, try !isSame(host, pair.hostPath, record.hostStamp, record, sides.host) { return }
            add(.removeFromDevice, pair, nil)
        }
    }
}
