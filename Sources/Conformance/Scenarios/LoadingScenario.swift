import OverlayABI
import OverlayHost

/// Examines the file and loads it.
struct LoadingScenario {
    let file: String
    let discovery: OverlayDiscovery
    let observations: ObservationLog

    private typealias Rules = RuleCatalog

    /// The loaded overlay; nil if it was refused, which is a finding. Throws errors that the overlay did not cause.
    func run() throws(HostError) -> LoadedOverlay? {
        do throws(OverlayRefusal) {
            checkSymbols(try LibraryFile.exports(file))
        } catch {
            return try refuse(error)
        }
        let overlay: LoadedOverlay
        do throws(HostError) {
            overlay = try discovery.load(file)
        } catch {
            guard let refusal = error.underlying as? OverlayRefusal else { throw error }
            return try refuse(refusal)
        }
        observations.hasTables()
        checkTables(overlay)
        return overlay
    }

    private func find(_ rule: ConformanceRule, _ seen: String, _ outcome: RuleResult.Outcome = .fail) {
        observations.find(rule, seen, in: Scenario.loading.rawValue, outcome)
    }

    private func checkSymbols(_ symbols: [String]) {
        let others = symbols.filter { !$0.hasPrefix("ovl_entry_v") }.sorted()
        guard !others.isEmpty else { return }
        let shown = others.prefix(8).joined(separator: ", ") + (others.count > 8 ? ", …" : "")
        find(Rules.oneSymbol, "It also exports \(others.count) more: \(shown).")
    }

    /// Records the rule that a refusal breaks. Throws a refusal that the host caused.
    private func refuse(_ refusal: OverlayRefusal) throws(HostError) -> LoadedOverlay? {
        guard let (rule, outcome) = Self.rule(refusal) else {
            throw HostError(
                .inputUnreadable, refusal.message, subject: file, hint: refusal.hint, underlying: refusal)
        }
        find(rule, refusal.message, outcome)
        observations.stops("Cannot load the overlay. \(refusal.message)")
        return nil
    }

    private static func rule(_ refusal: OverlayRefusal) -> (ConformanceRule, RuleResult.Outcome)? {
        switch refusal.code {
        case .notALibrary: (Rules.library, .fail)
        case .noEntry: (Rules.entry, .fail)
        case .newerABI, .olderABI: (Rules.major, .fail)
        case .missingSymbol: (Rules.symbols, .fail)
        case .missingLibrary: (Rules.libraries, .fail)
        case .notLoadable: (Rules.library, .fail)
        case .structTooSmall: (Rules.tableSizes, .fail)
        case .incompleteEntry: (Rules.entryComplete, .fail)
        case .crashed: (Rules.loadCrash, .crash)
        case .hung: (Rules.loadReturns, .timeout)
        case .invalidDescriptor:
            switch refusal.underlying as? DescriptorRule {
            case .required: (Rules.descriptorRequired, .fail)
            case .id: (Rules.descriptorID, .fail)
            case .version: (Rules.descriptorVersion, .fail)
            case .appIDs: (Rules.descriptorApps, .fail)
            case .formats: (Rules.descriptorFormats, .fail)
            case .utf8: (Rules.descriptorUTF8, .fail)
            case .limit: (Rules.descriptorLimits, .fail)
            case .control: (Rules.descriptorControl, .fail)
            case .list: (Rules.descriptorLists, .fail)
            case .timeLimits: (Rules.descriptorTimeLimits, .fail)
            case .options, nil: (Rules.descriptorOptions, .fail)
            }
        default: nil
        }
    }

    private static let settable: Set<String> = [
        "title", "title_sort", "authors", "author_sort", "series", "series_index", "publisher", "pubdate",
        "description", "tags", "collections", "rating", "cover", "locked", "word_count",
    ]

    private func checkTables(_ overlay: LoadedOverlay) {
        let methods = overlay.methods
        for (name, isThere) in [
            ("is_usb_connected_windows", methods.is_usb_connected_windows != nil),
            ("can_handle_windows", methods.can_handle_windows != nil),
        ] where isThere { find(Rules.windowsSlots, "\(name) is not null.") }
        var scan = RecordScan()
        withUnsafePointer(to: overlay.entry) { scan.check(at: UnsafeRawPointer($0), "ovl_entry") }
        withUnsafePointer(to: methods) { scan.check(at: UnsafeRawPointer($0), "ovl_methods") }
        if let descriptor = overlay.entry.descriptor { scan.check(at: descriptor, "ovl_descriptor") }
        for finding in scan.findings { find(finding.rule, finding.seen) }
        let unknown = overlay.descriptor.settableMetadata.filter { !Self.settable.contains($0) }
        if !unknown.isEmpty {
            find(Rules.descriptorSettable, "It names \(unknown.joined(separator: ", ")).")
        }
        // An overlay for a later version may name a function of that version.
        if overlay.entry.abi_minor <= OVL_ABI_MINOR {
            for name in overlay.descriptor.unknownLimits {
                find(Rules.descriptorLimitedFunctions, "It names \(name).")
            }
        }
        var seen: Set<String> = []
        for id in overlay.descriptor.appIDs where !seen.insert(id).inserted {
            find(Rules.descriptorUniqueApps, "It contains \(id) again.")
        }
        let fetches = methods.get_file != nil || methods.prepare_addable_books != nil
        if overlay.descriptor.traits.contains(.canFetch), !fetches {
            find(
                Rules.descriptorFetch,
                "It has the trait, but neither get_file nor prepare_addable_books.")
        }
    }
}
