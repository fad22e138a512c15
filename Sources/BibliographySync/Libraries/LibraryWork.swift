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

        /// Links every entry that links to one paper to another one as well, behind it: on both sides and in what they agree on.
        mutating func link(_ other: String, beside path: String, by mapping: any PaperMapping) {
            untouchedDevice = nil
            let before = (host, device)
            host.link(other, beside: path, by: mapping)
            device.link(other, beside: path, by: mapping)
            agreed.link(other, beside: path, by: mapping)
            report.addChanges(from: before.0, to: host, on: .host)
            report.addChanges(from: before.1, to: device, on: .device)
        }
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
    /// Whether the last run was cut off while it wrote this library.
    var hasJournal = false
    /// Links to add beside others.
    var addedLinks: [(other: String, path: String)] = []
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
    fileprivate mutating func link(_ other: String, beside path: String, by mapping: any PaperMapping) {
        let style = fieldNameStyle
        for index in entryIndexes {
            let block = blocks[index]
            var links = block.linkedFiles
            guard !block.isOpaque,
                let place = links.firstIndex(where: { $0.normalizedPath.map(mapping.path) == path }),
                !links.contains(where: { $0.normalizedPath == other })
            else { continue }
            links.insert(FileLink(path: other), at: place + 1)
            change(index) { Self.setting(links, of: $0, named: style.written) }
        }
    }
}
