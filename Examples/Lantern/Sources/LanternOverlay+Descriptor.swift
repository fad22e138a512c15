import OverlayKit

extension LanternOverlay {
    /// What the overlay is: read without making an instance, and the same for ever.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "lantern", name: "Lantern", version: "1.0.0",
            summary: "Lists, adds, fetches, edits and deletes the books of Lantern.",
            appName: "Lantern", appIDs: ["org.example.lantern"],
            formats: ["epub", "pdf", LanternFormat.sniffer.fileExtension],
            settableMetadata: ["title", "authors", "collections", "cover"], thumbnailHeight: 320,
            traits: [.canFetch],
            options: [
                .bool(
                    Option.hidesFinished, false, label: "Hide finished books",
                    help: "Books that were read to the end are not listed."),
                .text(
                    Option.newShelf, "", label: "Shelf of new books",
                    help: "The shelf that uploaded books are put on, besides those asked for."),
                // The host knows these three by their names: what an upload without --on-conflict does.
                .bool(
                    "lantern_protect_rb", true, label: "Protect books",
                    help: "Leave books alone that are there."),
                .bool(
                    "lantern_update_rb", false, label: "Update books", help: "Renew what is known of them."),
                .bool("lantern_replace_rb", false, label: "Replace books", help: "Send them again."),
            ],
            help: """
                # Lantern

                Everything works while the app is closed; Lantern shows what is new when it is opened.

                Shelves are collections. `lantern_hide_finished` hides what you have read.
                """)
    }

    /// The keys of the preferences: each begins with the id of the overlay.
    enum Option {
        static let hidesFinished = "lantern_hide_finished"
        static let newShelf = "lantern_new_shelf"
    }
}

/// The app's own format beside EPUB and PDF: an archive with a page list in it.
enum LanternFormat {
    static let sniffer = FormatSniffer(
        mediaType: "application/vnd.example.lantern+zip", name: "Lantern picture book",
        fileExtension: "lantern",
        rules: [.zipEntry("pages.json")])
}
