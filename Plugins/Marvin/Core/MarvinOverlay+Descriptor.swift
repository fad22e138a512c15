import OverlayKit

extension MarvinOverlay {
    /// What the overlay is.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "marvin", name: "Marvin", version: "0.1.0",
            summary: "Lists, adds, fetches and deletes the EPUBs of the reader app Marvin.",
            appName: "Marvin",
            appIDs: [
                "com.appstafarian.MarvinIP", "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin",
            ],
            formats: ["epub"], settableMetadata: [], plugboardName: "MARVIN", thumbnailHeight: 675,
            traits: [.canFetch, .deviceDatabasePlugboard, .wantsUpdatedThumbnails],
            options: [
                .integer(
                    UploadBatches.preference, UploadBatches.fallback, label: "Books per command",
                    help: "How many books Marvin is given at once; less than 1 counts as 1."),
                .bool(
                    "marvin_protect_rb", true, label: "Protect books",
                    help: "Uploading leaves books alone that are in the library; counts before replacing."),
                .bool(
                    "marvin_replace_rb", false, label: "Replace books",
                    help: "Uploading replaces books that are in the library, unless they are protected."),
            ],
            help: help)
    }

    private static let help = """
        # Marvin

        Marvin reads EPUBs on iPad and iPhone. OverlayHost talks to it while its **connection mode** is on: open Marvin, \
        switch on the connection to calibre in its settings, and leave the app in front with the device awake.

        ## What works

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | a copy of Marvin's library is read; the library itself is never written |
        | `upload` | EPUBs are handed over and Marvin takes them in, marked `NEW` and in the collections you name |
        | `get` | the file is copied to this computer |
        | `delete` | Marvin removes the book with its annotations and bookmarks |

        A book counts as already there if Marvin has the same file (by content) or the same uuid in its name. Titles and \
        authors are not compared: a book that Marvin got in another way, or another edition of it, is added a second time.

        `--on-conflict protect` leaves a book alone that is there, `--on-conflict replace` lets Marvin replace it; the old \
        copy stays until Marvin has the new one, and its collections and flags are kept. Metadata of books on the device cannot be changed.

        ## What Marvin needs

        The overlay needs Marvin's whole container. Up to iOS 8.2 every Marvin gives it; from iOS 8.3 on only a build \
        signed for development does. With a Marvin from the App Store on a newer iOS nothing of the above works.

        ## Options

        `upload_batch_size` (100): how many books Marvin is given with one command. Smaller numbers show progress more \
        often, larger ones are faster.

        `marvin_protect_rb` (true) and `marvin_replace_rb` (false): what an upload without `--on-conflict` does with books \
        that are there; protecting counts first.
        """
}
