import OverlayHost

extension RuleCatalog {
    /// Rules about the rows of methods for many items.
    static let rows: [ConformanceRule] = [
        rowIndex, rowOnce, rowComplete, rowOutcome, rowPath, rowFile, rowReason, editValid,
    ]

    static let rowMethods: [OverlayMethod] = [
        .uploadBooks, .deleteBooks, .syncBooklists, .prepareAddableBooks,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String = "overlay_records.h, ovl_item_result",
        methods: [OverlayMethod] = rowMethods, advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place,
            trial:
                "Books are added, changed, fetched and deleted on a healthy device, and the rows are "
                + "counted.",
            advice: advice, shownBy: [.course], needs: .methods(methods))
    }

    static let rowIndex = rule(
        "rows/index", "The index of a row is that of an input item, from 0.",
        advice: "Use the position in the list that the method was given.")

    static let rowOnce = rule(
        "rows/once", "Each index is reported exactly once.",
        advice: "Put the row only when the result of its item is final.")

    static let rowComplete = rule(
        "rows/complete", "OVL_OK means that there is one row per item, even if the item failed.",
        in: "overlay_methods.h, upload_books", methods: [.uploadBooks, .deleteBooks, .prepareAddableBooks],
        advice: "Put a row with OVL_OUTCOME_FAILED for an item you had to leave out.")

    static let rowOutcome = rule(
        "rows/outcome",
        "outcome is valid for the method, and status is OVL_OK unless outcome is OVL_OUTCOME_FAILED.",
        advice: "Set both together.")

    static let rowPath = rule(
        "rows/path", "The row of an added book has its path.", methods: [.uploadBooks],
        advice: "Set path to what books would report.")

    static let rowFile = rule(
        "rows/file", "The row of a fetched book has the file that pull returned in the same call.",
        in: "overlay_methods.h, prepare_addable_books", methods: [.prepareAddableBooks],
        advice: "Pass on the file id from pull's row, and do not keep it for later.")

    static let rowReason = rule(
        "rows/reason", "A failed row says why.", advice: "Set message to one sentence.")

    static let editValid = rule(
        "edits/valid",
        "An edit is an insertion, or replaces or removes a book of the snapshot, each at most once.",
        in: "overlay_records.h, ovl_booklist_edit", methods: [.addBooksToMetadata, .removeBooksFromMetadata],
        advice: "Use indices into the original snapshot, not into a list that is being changed.")
}
