import BibTeX

/// The library that two sides become, merged against the state on which they last agreed.
///
/// Entries are merged field by field. A value that only one side changed is taken; of two changes the later one wins, and the other
/// stays in the entry as `<name>-conflict-N`, with the entry in the static group `Sync Conflicts`. A change beats a deletion. What
/// is deleted is in `report.tombstones`. No value that one side changed is lost.
///
/// The result is the host's document: what the device did not change is there byte for byte. `forApp()` of the result is the
/// device's copy. Links without a path follow the host, because the device's copy has none.
public struct BibTeXMerge: Sendable {
    /// The merged library, in the form of the host's.
    public let document: BibTeXDocument
    /// The merged library of the device, in the form of the host's. It differs from `document` only in what one side deleted while
    /// deletions do not travel.
    public let deviceDocument: BibTeXDocument
    /// The base of the next merge: `document`, and what only the device still has.
    public let agreed: BibTeXDocument
    /// What happened.
    public let report: MergeReport
    /// Whether a deletion is held back and the device's library says all else that it is to say, so that it can stay as it is.
    public let leavesDevice: Bool

    /// Merges two sides.
    ///
    /// - Parameter base: the state on which both agreed; nil if there is none. Then nothing is deleted, and entries of one key are
    ///   one if they are the same work.
    /// - Parameter host: the library of the host.
    /// - Parameter device: the library of the device.
    /// - Parameter deletes: whether what one side deleted goes from the other: entries, macros, groups and other blocks. If not, it
    ///   stays where it is, it does not come back where it was deleted, and `report.heldBack` has it.
    public init(
        base: BibTeXDocument?, host: BibTeXDocument, device: BibTeXDocument, deletes: Bool = true
    ) {
        guard host.encoding != device.encoding || host.bytes != device.bytes else {
            // Both sides have the same changes, if any.
            document = host
            deviceDocument = host
            agreed = host
            report = MergeReport()
            leavesDevice = false
            return
        }
        var merger = LibraryMerger(base: base, host: host, device: device, deletes: deletes)
        if !merger.run() {
            // A value of the device has letters that the encoding of the host's file lacks. In UTF-8 every value can be written.
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
        leavesDevice =
            !report.heldBack.isEmpty && !report.changes.contains { $0.side == .device }
            && device.saysSameBesideEntries(deviceDocument)
    }
}

extension BibTeXDocument {
    /// Whether two libraries say the same, as far as it is not in entries.
    func saysSameBesideEntries(_ other: BibTeXDocument) -> Bool {
        func macros(_ document: BibTeXDocument) -> [String: BibTeXValue] {
            MacroMerger.definitions(document).values.mapValues { $0.canonical() }
        }
        func info(_ document: BibTeXDocument) -> [String] {
            document.blocks.filter { $0.kind == .info }.map(\.bodyText)
        }
        return groups == other.groups && macros(self) == macros(other) && info(self) == info(other)
            && WholeBlockMerger.texts(self) == WholeBlockMerger.texts(other)
    }
}
