import OverlayKit

extension LanternOverlay {
    /// Describes the overlay. The host reads this without making an instance, and it never changes.
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
                    help: "Do not list books that were read to the end."),
                .text(
                    Option.newShelf, "", label: "Shelf of new books",
                    help: "An additional shelf for uploaded books."),
                // The host uses these three names for uploads without --on-conflict.
                .bool(
                    "lantern_protect_rb", true, label: "Protect books",
                    help: "Keep existing books."),
                .bool(
                    "lantern_update_rb", false, label: "Update books", help: "Update their metadata."),
                .bool("lantern_replace_rb", false, label: "Replace books", help: "Send them again."),
            ],
            help: """
                # Lantern

                Everything works while the app is closed; Lantern shows what is new when it is opened.

                Shelves are collections. `lantern_hide_finished` hides what you have read.
                """)
    }

    /// The keys of the preferences. Each begins with the id of the overlay.
    enum Option {
        static let hidesFinished = "lantern_hide_finished"
        static let newShelf = "lantern_new_shelf"
    }
}

/// The app's own format, in addition to EPUB and PDF: an archive with a page list.
enum LanternFormat {
    static let sniffer = FormatSniffer(
        mediaType: "application/vnd.example.lantern+zip", name: "Lantern picture book",
        fileExtension: "lantern",
        rules: [.zipEntry("pages.json")])
}
