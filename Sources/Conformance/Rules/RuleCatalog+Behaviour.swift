import OverlayHost

extension RuleCatalog {
    /// What the methods do.
    static let behaviour: [ConformanceRule] = [
        succeed, namedStates, usbIdempotent, cardEmpty, coversAsked, annotationsAsked, unknownPath,
        uploadListed, uploadProtect, metadataAdded, metadataRemoved, metadataUnknown, deleteGone,
        syncDiffering, syncOthers, performUnknown, cleanupSucceeds,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String, _ methods: [OverlayMethod],
        shownBy scenarios: Set<Scenario> = [.course], advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: scenarios, needs: .trial(methods))
    }

    static let succeed = ConformanceRule(
        "methods/succeed", "A method does what it is for where nothing stands in its way.",
        in: "overlay_methods.h, ovl_methods",
        trial:
            "Every method is called on a device that is well and has the app, with books that the app takes. "
            + "OVL_NOT_SUPPORTED, OVL_ACCESS_REFUSED and OVL_APP_UNAVAILABLE are no failures, nor is what settings "
            + "says is missing.",
        advice: "Read the message: it is the overlay's own.", shownBy: [.course], needs: .instance)

    static let namedStates = ConformanceRule(
        "methods/states", "A method works in every state that it names.",
        in: "overlay_methods.h, States of an instance",
        trial:
            "The methods that name several states are called in each of them; instances are ended in each.",
        advice: "Keep what the method needs, or ask for it again.", shownBy: [.states], needs: .instance)

    static let usbIdempotent = rule(
        "usb/idempotent", "is_usb_connected is idempotent.", in: "overlay_methods.h, is_usb_connected",
        trial: "It is asked three times about the same devices.", [.isUSBConnected],
        advice: "Keep nothing from one call to the next.")

    static let cardEmpty = rule(
        "books/card", "A card volume has no books.", in: "overlay_methods.h, books",
        trial: "The books of card A are listed.", [.books], advice: "Look at options.volume.")

    static let coversAsked = rule(
        "books/covers", "The bytes of covers come only when the caller asked for them.",
        in: "overlay_records.h, ovl_book", trial: "The books are listed without OVL_BOOKS_WITH_COVERS.",
        [.books], advice: "Look at options.flags.")

    static let annotationsAsked = rule(
        "books/annotations", "Annotations come only when the caller asked for them.",
        in: "overlay_records.h, ovl_book", trial: "The books are listed without OVL_BOOKS_WITH_ANNOTATIONS.",
        [.books], advice: "Look at options.flags.")

    static let unknownPath = rule(
        "books/unknown", "A book that does not exist cannot be fetched.",
        in: "overlay_types.h, OVL_NOT_FOUND",
        trial: "get_file and prepare_addable_books are asked for a path that no book has.",
        [.getFile, .prepareAddableBooks], advice: "Answer OVL_NOT_FOUND.")

    static let uploadListed = rule(
        "upload/listed", "The path of a row is the one that books reports afterwards.",
        in: "overlay_records.h, ovl_item_result", trial: "Two books are added, and the books listed.",
        [.uploadBooks], advice: "Report the path under which the book can be found.")

    static let uploadProtect = rule(
        "upload/protect", "A book that is there is left alone with OVL_CONFLICT_PROTECT.",
        in: "overlay_records.h, OVL_CONFLICT_PROTECT", trial: "The same books are added again.",
        [.uploadBooks], advice: "Answer OVL_OUTCOME_SKIPPED for a book that is there.")

    static let metadataAdded = rule(
        "metadata/added",
        "add_books_to_metadata gives the edits that bring the list up to date after an upload.",
        in: "overlay_methods.h, add_books_to_metadata",
        trial: "The edits are applied to the list from before the upload; the new books must be in it.",
        [.addBooksToMetadata], advice: "Insert each book of added, or replace the one with its path.")

    static let metadataRemoved = rule(
        "metadata/removed",
        "remove_books_from_metadata gives the edits that bring the list up to date after a deletion.",
        in: "overlay_methods.h, remove_books_from_metadata",
        trial: "The edits are applied to the list; the books must be gone, and no other.",
        [.removeBooksFromMetadata], advice: "Remove each book of the snapshot whose path is named.")

    static let metadataUnknown = rule(
        "metadata/unknown", "A path that is not in the snapshot is no error.",
        in: "overlay_methods.h, remove_books_from_metadata", trial: "A path that no book has is removed.",
        [.removeBooksFromMetadata], advice: "Pass it over.")

    static let deleteGone = rule(
        "delete/gone", "A book whose row says deleted is not listed any more.",
        in: "overlay_methods.h, delete_books", trial: "The added books are deleted, and the books listed.",
        [.deleteBooks], advice: "Delete the book before you report it.")

    static let syncDiffering = rule(
        "sync/differing", "sync_booklists has rows for the books that differ, and only for them.",
        in: "overlay_methods.h, sync_booklists", trial: "The list is written as it is.", [.syncBooklists],
        advice: "Compare each book with what the app has.")

    static let syncOthers = rule(
        "sync/others", "Books that the list does not hold are left alone.",
        in: "overlay_methods.h, sync_booklists",
        trial: "A list with one book is written, and the books listed.",
        [.syncBooklists], advice: "Find books by path, and touch no others.")

    static let performUnknown = rule(
        "perform/unknown", "OVL_NOT_SUPPORTED for a command that the overlay does not know.",
        in: "overlay_methods.h, perform", trial: "A command is performed that nobody has.", [.perform],
        advice: "Answer OVL_NOT_SUPPORTED.")

    static let cleanupSucceeds = rule(
        "cleanup/succeeds", "post_yank_cleanup must not fail.", in: "overlay_methods.h, post_yank_cleanup",
        trial: "It is called after eject and after the cable was pulled.", [.postYankCleanup],
        shownBy: [.course, .states], advice: "Forget the device, and return OVL_OK.")
}
