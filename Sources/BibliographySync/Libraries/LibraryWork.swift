import BibTeX
import BibTeXMerging

/// One bibliography in a run: both sides as they are, and what they are to become.
struct LibraryWork {
    /// What a side has.
    struct Side {
        /// The file.
        var file: BibliographyFile
        /// Its bytes.
        var bytes: [UInt8]
    }

    /// The documents that a merge made, each in the host's form.
    struct Outcome {
        /// The host's.
        var host: BibTeXDocument
        /// The device's.
        var device: BibTeXDocument
        /// What is agreed on.
        var agreed: BibTeXDocument
        /// What the merge did.
        var report = MergeReport()
        /// The device's file, if it stays as it is because it lacks nothing but what is held back.
        var untouchedDevice: [UInt8]?

        /// Whether the device's file is the agreed state in the app's form.
        var isDeviceAsAgreed: Bool { untouchedDevice == nil && device.bytes == agreed.bytes }

        /// One library for both sides.
        init(_ document: BibTeXDocument) {
            host = document
            device = document
            agreed = document
        }

        init(_ merge: BibTeXMerge) {
            host = merge.document
            device = merge.deviceDocument
            agreed = merge.agreed
            report = merge.report
        }

        /// Links every entry that links to a paper to its other version as well, behind it: on both sides and in what they
        /// agree on.
        mutating func link(_ versions: [PaperVersion], by mapping: any PaperMapping) {
            untouchedDevice = nil
            let before = (host, device)
            let versions = Dictionary(grouping: versions, by: \.path)
            host.link(versions, by: mapping)
            device.link(versions, by: mapping)
            agreed.link(versions, by: mapping)
            report.addChanges(from: before.0, to: host, on: .host)
            report.addChanges(from: before.1, to: device, on: .device)
        }
    }

    /// A version of a paper that is kept beside another.
    struct PaperVersion {
        /// Its own path.
        var other: String
        /// The path of the paper that entries link to already.
        var path: String
    }

    /// What becomes of the files.
    enum Fate {
        /// Nothing: both are as the last run left them.
        case unchanged
        /// Both become what the outcome says.
        case merged
        /// The device's file goes, because the host's is gone.
        case removedFromDevice
        /// Both sides have lost it.
        case forgotten
        /// The host's file is gone, and the device's stays.
        case left
        /// Nothing can be done.
        case failed(BibliographySyncError)
    }

    /// Its name on both sides.
    let name: String
    /// Its path on the device.
    let devicePath: String
    /// What was agreed.
    var record: LibraryRecord
    /// What the host has.
    var host: Side?
    /// What the device has.
    var device: Side?
    /// What becomes of it.
    var fate: Fate = .unchanged
    /// What it becomes; nil if it is not known.
    var outcome: Outcome?
    /// What was agreed on last; nil if nothing was, or both sides are as they were then.
    var agreed: BibTeXDocument?
    /// Whether the device's file was damaged, and is made again.
    var isRepair = false
    /// Whether both sides are read although neither has changed.
    var isReadAnyway = false
    /// Whether the last run was cut off while it wrote this library.
    var hasJournal = false
    /// Links to add beside others.
    var addedLinks: [PaperVersion] = []
    /// The place of its row in the plan, and those of its entries.
    var rows: [Int] = []

    init(_ name: String, devicePath: String, _ record: LibraryRecord) {
        self.name = name
        self.devicePath = devicePath
        self.record = record
    }

    /// How many of the agreed entries the run would delete.
    var goneEntries: Int {
        if case .removedFromDevice = fate { return agreed?.entryIndexes.count ?? 0 }
        return outcome?.report.deletedEntries ?? 0
    }

    /// Whether its links are known, so that something can be inferred from what is not linked.
    var isKnown: Bool {
        switch fate {
        case .unchanged, .merged: outcome != nil
        case .removedFromDevice, .forgotten: true
        case .left, .failed: false
        }
    }
}

extension BibTeXDocument {
    fileprivate mutating func link(
        _ versions: [String: [LibraryWork.PaperVersion]], by mapping: any PaperMapping
    ) {
        let style = fieldNameStyle
        for index in entryIndexes {
            let block = blocks[index]
            guard !block.isOpaque else { continue }
            let former = block.linkedFiles
            var known = Set(former.compactMap(\.normalizedPath))
            var linked: Set<String> = []
            let links = former.flatMap { link in
                guard let path = link.normalizedPath.map(mapping.path), linked.insert(path).inserted else {
                    return [link]
                }
                let others = (versions[path] ?? []).filter { known.insert($0.other).inserted }
                return [link] + others.map { FileLink(path: $0.other) }
            }
            guard links.count > former.count else { continue }
            change(index) { Self.setting(links, of: $0, named: style.written) }
        }
    }
}
