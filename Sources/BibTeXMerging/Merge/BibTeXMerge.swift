import BibTeX

/// Merges two libraries against the state on which they last agreed.
///
/// Entries are merged field by field. A value that only one side changed is taken. If both changed it, the later change wins;
/// the other value stays in the entry as `<name>-conflict-N`, and the entry is added to the static group `Sync Conflicts`. A
/// change wins over a deletion. `report.tombstones` contains everything deleted. No changed value is lost.
///
/// The result is the host's document: what the device did not change is the same byte for byte. `forApp()` of the
/// result gives the device's copy. Links without a path follow the host, because the device's copy does not have them.
public struct BibTeXMerge: Sendable {
    /// The merged library in the host's form.
    public let document: BibTeXDocument
    /// The merged library for the device, in the host's form. It differs from `document` only in deletions that are
    /// held back.
    public let deviceDocument: BibTeXDocument
    /// The base for the next merge: `document`, plus what only the device still has.
    public let agreed: BibTeXDocument
    /// What the merge did.
    public let report: MergeReport
    /// Whether the device's library can stay as it is: a deletion is held back, and otherwise the library already has
    /// the merged content.
    public let leavesDevice: Bool

    /// Merges two sides.
    ///
    /// - Parameter base: the state on which both sides agreed, or nil. Without it, nothing is deleted, and entries
    ///   with the same key are merged if they are the same work.
    /// - Parameter host: the host's library.
    /// - Parameter device: the device's library.
    /// - Parameter deletes: whether a deletion of an entry, macro, group or other block on one side applies to the
    ///   other. If not, the item stays on that side and does not come back on the side where it was deleted;
    ///   `report.heldBack` lists it.
    public init(
        base: BibTeXDocument?, host: BibTeXDocument, device: BibTeXDocument, deletes: Bool = true
    ) {
        guard host.encoding != device.encoding || host.bytes != device.bytes else {
            // Both sides have the same changes, or none.
            document = host
            deviceDocument = host
            agreed = host
            report = MergeReport()
            leavesDevice = false
            return
        }
        var merger = LibraryMerger(base: base, host: host, device: device, deletes: deletes)
        if !merger.run() {
            // The host file's encoding lacks a letter of a device value. UTF-8 can represent every value.
            merger = LibraryMerger(base: base, host: host.inUTF8(), device: device, deletes: deletes)
            _ = merger.run()
        }
        let (merged, held) = (merger.result, merger.withHeldBack())
        report = merger.finalReport(held.device)
        let isUntouched = base.map { $0.encoding == host.encoding && $0.bytes == host.bytes } ?? false
        if isUntouched, report.heldBack.isEmpty, report.conflicts.isEmpty,
            let whole = FastForwardMerge.document(host, device, saying: merged)
        {
            (document, deviceDocument, agreed) = (whole, whole, whole)
        } else {
            (document, deviceDocument, agreed) = (merged, held.device, held.agreed)
        }
        let sent = deviceDocument
        let addsNothing = base.map { sent.addsNothing(to: $0) } ?? false
        leavesDevice =
            !report.heldBack.isEmpty && !report.changes.contains { $0.side == .device }
            && device.saysSameBesideEntries(deviceDocument)
            && addsNothing
    }
}

extension BibTeXDocument {
    /// Whether every block except those of groups is also in another document, and the comments around the blocks are
    /// the same.
    func addsNothing(to base: BibTeXDocument) -> Bool {
        let known = Set(base.blocks.map { Array($0.body) })
        return lines == base.lines
            && blocks.allSatisfy {
                $0.kind == .text || GroupBlock.isGroupBlock($0) || known.contains(Array($0.body))
            }
    }

    /// Whether two libraries have the same content apart from entries.
    func saysSameBesideEntries(_ other: BibTeXDocument) -> Bool {
        func macros(_ document: BibTeXDocument) -> [String: BibTeXValue] {
            MacroMerger.definitions(document).values.mapValues { $0.canonical() }
        }
        func info(_ document: BibTeXDocument) -> [String] {
            document.blocks.filter { $0.kind == .info }.map(\.bodyText)
        }
        // The order of the kinds of groups does not matter.
        func groups(_ document: BibTeXDocument) -> [[BibTeXGroup]] {
            BibTeXGroup.Kind.allCases.map { kind in document.groups.filter { $0.kind == kind } }
        }
        return groups(self) == groups(other) && macros(self) == macros(other) && info(self) == info(other)
            && WholeBlockMerger.texts(self) == WholeBlockMerger.texts(other)
    }
}
