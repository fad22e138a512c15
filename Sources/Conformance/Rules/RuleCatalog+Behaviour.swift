import OverlayHost

extension RuleCatalog {
    /// Rules about the behaviour of the methods.
    static let behaviour: [ConformanceRule] = [
        succeed, namedStates, usbIdempotent, cardEmpty, coversAsked, annotationsAsked, extraValues,
        unknownPath, collectionBooks, uploadListed, uploadProtect, metadataAdded, metadataRemoved,
        metadataUnknown, deleteGone, syncDiffering, syncOthers, performUnknown, cleanupSucceeds,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String, _ methods: [OverlayMethod],
        shownBy scenarios: Set<Scenario> = [.course], advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: scenarios, needs: .trial(methods))
    }

    static let succeed = ConformanceRule(
        "methods/succeed", "A method works when nothing prevents it.",
        in: "overlay_methods.h, ovl_methods",
        trial:
            "Once can_handle has answered yes, every method is called on a healthy device that has the app, with "
            + "books that the app accepts. OVL_NOT_SUPPORTED, OVL_ACCESS_REFUSED and OVL_APP_UNAVAILABLE do not count as "
            + "failures, nor does what settings declares as missing.",
        advice: "Read the message, which comes from the overlay.", shownBy: [.course], needs: .instance)

    static let namedStates = ConformanceRule(
        "methods/states", "A method works in every state that it names.",
        in: "overlay_methods.h, States of an instance",
        trial:
            "The methods that name several states are called in each of them; instances are ended in each.",
        advice: "Keep what the method needs, or request it again.", shownBy: [.states], needs: .instance)

    static let usbIdempotent = rule(
        "usb/idempotent", "is_usb_connected is idempotent.", in: "overlay_methods.h, is_usb_connected",
        trial: "It is called three times with the same devices.", [.isUSBConnected],
        advice: "Keep no state between calls.")

    static let cardEmpty = rule(
        "books/card", "A card volume has no books.", in: "overlay_methods.h, books",
        trial: "The books of card A are listed.", [.books], advice: "Check options.volume.")

    static let coversAsked = rule(
        "books/covers", "Cover bytes are reported only if the caller asked for them.",
        in: "overlay_records.h, ovl_book", trial: "The books are listed without OVL_BOOKS_WITH_COVERS.",
        [.books], advice: "Check options.flags.")

    static let annotationsAsked = rule(
        "books/annotations", "Annotations are reported only if the caller asked for them.",
        in: "overlay_records.h, ovl_book", trial: "The books are listed without OVL_BOOKS_WITH_ANNOTATIONS.",
        [.books], advice: "Check options.flags.")

    static let extraValues = rule(
        "books/extra",
        "extra is the text of a JSON object. No member has the name of another value of books, and a member that "
            + "documents define has the type that they give it.",
        in: "abi.md, Records: extra of a book", trial: "The books are listed, and their extra is read.",
        [.books],
        advice: "Rename the member, or change its value. Programs do not see it as it is.")

    static let collectionBooks = rule(
        "collections/books", "A collection contains the paths of books that books lists.",
        in: "overlay_records.h, ovl_collection", trial: "The collections are listed after the books.",
        [.collections], advice: "Leave out what books does not list, and use the same paths.")

    static let unknownPath = rule(
        "books/unknown", "A book that does not exist cannot be fetched.",
        in: "overlay_types.h, OVL_NOT_FOUND",
        trial: "get_file and prepare_addable_books are called with a path that no book has.",
        [.getFile, .prepareAddableBooks], advice: "Return OVL_NOT_FOUND.")

    static let uploadListed = rule(
        "upload/listed", "The path in a row is the one that books reports afterwards.",
        in: "overlay_records.h, ovl_item_result", trial: "Two books are added, and the books listed.",
        [.uploadBooks], advice: "Report the path under which the book can be found.")

    static let uploadProtect = rule(
        "upload/protect", "OVL_CONFLICT_PROTECT skips a book that is already there.",
        in: "overlay_records.h, OVL_CONFLICT_PROTECT", trial: "The same books are added again.",
        [.uploadBooks], advice: "Report OVL_OUTCOME_SKIPPED for a book that is already there.")

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
        "metadata/unknown", "A path that is not in the snapshot is not an error.",
        in: "overlay_methods.h, remove_books_from_metadata", trial: "A path that no book has is removed.",
        [.removeBooksFromMetadata], advice: "Ignore it.")

    static let deleteGone = rule(
        "delete/gone", "A book reported as deleted is no longer listed.",
        in: "overlay_methods.h, delete_books", trial: "The added books are deleted, and the books listed.",
        [.deleteBooks], advice: "Delete the book before you report it.")

    static let syncDiffering = rule(
        "sync/differing", "sync_booklists has rows for the books that differ, and only for them.",
        in: "overlay_methods.h, sync_booklists", trial: "The list is written unchanged.", [.syncBooklists],
        advice: "Compare each book with what the app has.")

    static let syncOthers = rule(
        "sync/others", "Books that are not in the list are not changed.",
        in: "overlay_methods.h, sync_booklists",
        trial: "A list with one book is written, and the books listed.",
        [.syncBooklists], advice: "Find books by path, and do not change others.")

    static let performUnknown = rule(
        "perform/unknown", "An unknown command returns OVL_NOT_SUPPORTED.",
        in: "overlay_methods.h, perform", trial: "perform is called with a command that does not exist.",
        [.perform],
        advice: "Return OVL_NOT_SUPPORTED.")

    static let cleanupSucceeds = rule(
        "cleanup/succeeds", "post_yank_cleanup must not fail.", in: "overlay_methods.h, post_yank_cleanup",
        trial: "It is called after eject and after the cable was pulled.", [.postYankCleanup],
        shownBy: [.course, .states], advice: "Forget the device, and return OVL_OK.")
}
