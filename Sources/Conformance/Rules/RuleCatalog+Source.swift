import OverlayHost

extension RuleCatalog {
    /// Rules about two-way syncs of a folder.
    static let source: [ConformanceRule] = [
        sourceOutside, sourceDryRun, sourcePlan, sourceOrder, sourceSettled,
    ]

    private static let trial =
        "A folder with a text, a bibliography and a book is synced: as a dry run, really, and once more."

    private static func rule(
        _ id: String, _ clause: String, in place: String = "overlay_methods.h, sync_source",
        advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: [.course],
            needs: .trial([.syncSource]))
    }

    static let sourceOutside = ConformanceRule(
        "source/outside", "The source service is used only while sync_source runs.",
        in: "overlay_sync.h, ovl_source_service",
        trial: "Calls of the service in other methods are refused and detected.",
        advice: "Keep what other methods need in the storage service.", shownBy: [.course, .states],
        needs: .instance)

    static let sourceDryRun = rule(
        "source/dry-run", "A dry run changes nothing and has no results.",
        in: "overlay_sync.h, OVL_SYNC_DRY_RUN",
        advice: "Return after the plan if options.flags has OVL_SYNC_DRY_RUN.")

    static let sourcePlan = rule(
        "source/plan",
        "A row of the plan has an action that exists, an item or a path, and if it fails, a reason.",
        in: "overlay_sync.h, ovl_sync_row", advice: "Set them before the row is put.")

    static let sourceOrder = rule(
        "source/order", "The whole plan comes before the first result.",
        advice: "Put all rows of the plan, and then begin with the work.")

    static let sourceSettled = rule(
        "source/settled", "A sync of what has not changed since the last one does nothing.",
        advice: "Remember with state_put what both sides had, and compare.")
}
