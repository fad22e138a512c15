import Platform
import BibTeX
import BibTeXMerging

/// One bibliography in a run: its present and future state on both sides.
struct LibraryWork {
    /// The present state of a side.
    struct Side {
        /// The file.
        var file: BibliographyFile
        /// Its bytes.
        var bytes: [UInt8]
    }

    /// The documents that a merge produced, each in the host's form.
    struct Outcome {
        /// The host's document.
        var host: BibTeXDocument
        /// The device's document.
        var device: BibTeXDocument
        /// The agreed document.
        var agreed: BibTeXDocument
        /// What the merge did.
        var report = MergeReport()
        /// Links that only the device removed and that are held back, by cite key and path.
        var heldLinks: [(key: String, path: String)] = []
        /// The host's entries that lose links because the device removed them, as the host's file contains them.
        var unlinked: [[UInt8]] = []
        /// The device's file if it is left unchanged, because only changes that are held back are missing in it.
        var untouchedDevice: [UInt8]?

        /// How many deletions are held back.
        var heldBack: Int { report.heldBack.count + heldLinks.count }

        /// Whether the device's file is the agreed state in the app's form.
        var isDeviceAsAgreed: Bool { untouchedDevice == nil && device.bytes == agreed.bytes }

        /// Creates an outcome with the same library on both sides.
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

        /// Adds a link to the other version after each link to a paper, on both sides and in the agreed document.
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

    /// A version of a paper that is kept beside the other version.
    struct PaperVersion {
        /// The path of the version.
        var other: String
        /// The path of the paper to which entries link already.
        var path: String
    }

    /// What happens to the files.
    enum Fate {
        /// Nothing: both are as the last run left them.
        case unchanged
        /// Both files get the content of the outcome.
        case merged
        /// The device's file is removed, because the host's file no longer exists.
        case removedFromDevice
        /// Neither file exists; the record is removed.
        case forgotten
        /// The host's file no longer exists, and the device's file is kept.
        case left
        /// Nothing can be done.
        case failed(BibliographySyncError)
    }

    /// Its name on both sides.
    let name: String
    /// Its path on the device.
    let devicePath: String
    /// The record of the last agreed state.
    var record: LibraryRecord
    /// The host's file.
    var host: Side?
    /// The device's file.
    var device: Side?
    /// What happens to the files.
    var fate: Fate = .unchanged
    /// The merged outcome; nil if it is not known.
    var outcome: Outcome?
    /// The last agreed state; nil if there is none, or if neither side has changed since.
    var agreed: BibTeXDocument?
    /// Whether the device's file was damaged and is replaced.
    var isRepair = false
    /// Whether both sides are read although neither has changed.
    var isReadAnyway = false
    /// Whether the last run was interrupted while it wrote this library.
    var hasJournal = false
    /// Links to add to the existing ones.
    var addedLinks: [PaperVersion] = []
    /// The indexes of its row in the plan and of the rows of its entries.
    var rows: [Int] = []

    init(_ name: String, devicePath: String, _ record: LibraryRecord) {
        self.name = name
        self.devicePath = devicePath
        self.record = record
    }

    /// How many agreed entries the run would delete.
    var goneEntries: Int {
        if case .removedFromDevice = fate { return agreed?.entryIndexes.count ?? 0 }
        return outcome?.report.deletedEntries ?? 0
    }

    /// Whether its links are known, so that a missing link means something.
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
            guard !former.isEmpty else {
                change(index) { $0.linkingInFile(versions, by: mapping) }
                continue
            }
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

extension BibTeXBlock {
    /// An entry of another program with links to the other versions in its field `file`, as JabRef writes them.
    fileprivate func linkingInFile(
        _ versions: [String: [LibraryWork.PaperVersion]], by mapping: any PaperMapping
    ) -> BibTeXBlock? {
        guard let text = value("file")?.plainText else { return self }
        let paths = foreignLinks.map { mapping.path(of: LinkedPath.normalized($0.path)) }
        var known = Set(paths)
        let items = paths.flatMap { versions[$0] ?? [] }.filter { known.insert($0.other).inserted }
            .map { ForeignLink(title: "", path: $0.other, type: Self.type($0.other)).written }
        guard !items.isEmpty else { return self }
        return setting("file", to: BibTeXValue(([text] + items).joined(separator: ";")))
    }

    private static func type(_ path: String) -> String {
        path.pathName.lastIndex(of: ".").map { path[path.index(after: $0)...].uppercased() } ?? ""
    }
}
