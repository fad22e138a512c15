import OverlayKit

extension MarvinOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "marvin", name: "Marvin", version: "0.2.0",
            summary: "Lists, adds, changes, fetches and deletes the EPUBs of the reader app Marvin.",
            appName: "Marvin",
            appIDs: [
                "com.appstafarian.MarvinIP", "com.appstafarian.MarvinIP-free", "com.appstafarian.Marvin",
            ],
            formats: ["epub"], settableMetadata: MetadataField.allCases.map(\.rawValue),
            plugboardName: "MARVIN", thumbnailHeight: 675,
            traits: [.canFetch, .deviceDatabasePlugboard, .wantsUpdatedThumbnails],
            options: options, help: help)
    }

    private static var options: [OverlayOption] {
        [
            .integer(
                CommandBatches.preference, CommandBatches.fallback, label: "Books per command",
                help:
                    "The number of books sent to Marvin in one command. Smaller numbers update the "
                    + "progress more often; larger ones are faster."
            ),
            .bool(
                "marvin_protect_rb", true, label: "Protect books",
                help: "Skip books already in the library (overrides update and replace)."),
            .bool(
                "marvin_update_rb", false, label: "Update books",
                help:
                    "Update only the metadata of books already in the library (overrides replace)."
            ),
            .bool(
                "marvin_replace_rb", false, label: "Replace books",
                help:
                    "Replace books already in the library."),
            .bool(
                LibraryUploadPlan.mergePreference, true, label: "Merge collections",
                help:
                    "Add new collections to those of an updated book. If off, the new ones replace them."
            ),
            .bool(
                collectionsPreference, true, label: "Edit collections",
                help: "Allow changing the collections and flags of books from this computer."),
            OverlayOption(
                key: "cc_mappings", kind: .object, fallbackJSON: "{}", label: "Custom columns",
                help:
                    "The columns of each calibre library that hold a book's collections "
                    + "(marvin_collections), lock (marvin_locked) and word count (marvin_word_count)."
            ),
            .bool(
                BooklistCache.preference, true, label: "Keep the booklist",
                help:
                    "Cache the booklist on this computer, so that the next listing only checks for changes."
            ),
            .bool(
                BooklistCopy.preference, false, label: "Keep the booklist on the device too",
                help: "Also cache the booklist on the device, without covers, for other computers to use."),
            OverlayOption(
                key: BooklistCopy.limitPreference, kind: .number, fallbackJSON: "10", range: 0...100,
                label: "Largest booklist on the device",
                help: "The maximum size of the copy on the device, as a percentage of its free space."),
            .text(
                MarvinPaths.stagingPreference, "", label: "Staging folder",
                help: "The folder where the app looks for commands. If empty, Marvin's default is used."),
            .text(
                MarvinPaths.libraryPreference, "", label: "Database",
                help: "The path of the app's library. If empty, Marvin's default is used."),
            .text(
                MarvinPaths.coversPreference, "", label: "Covers folder",
                help: "The folder where the app keeps thumbnail covers. If empty, that of this Marvin "
                    + "version."),
        ]
    }

    private static let help = """
        # Marvin

        Marvin reads EPUBs on iPad and iPhone. OverlayHost talks to it in **connection mode**: open Marvin, turn \
        on the connection to calibre in its settings, and keep the app in front and the device awake.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | a copy of Marvin's library is read; the library itself is never written |
        | `upload` | Marvin imports the EPUBs, marks them `NEW`, and adds them to the collections you give |
        | `update` | Marvin changes the title, authors, series, publisher, date, description, subjects, rating, \
        cover, lock or word count |
        | `collections` | Marvin changes the collections of books; its flags `NEW`, `READING LIST` and `READ` \
        count as collections |
        | `get` | the file is copied to this computer |
        | `delete` | Marvin removes the book with its annotations and bookmarks |

        The lock protects a book only on the device, if Marvin has a password. As with the calibre driver, you can \
        still change, replace and delete a locked book from this computer.

        After each command, OverlayHost reads the library and the files again. It reports as done only what Marvin \
        actually did. If Marvin keeps an old copy of a replaced book under another name, the result of the new \
        book says so.

        If another program changes a book's collections between your listing and your change, only the changes you \
        asked for are made.

        ## Books already in the library

        A book is already in the library if Marvin has a book with the same uuid, or the same content, or the same \
        title and a common author. `--verbose` shows which of these matched. If two files in an upload have the \
        same title and authors, the first is sent; with `--on-conflict replace`, the last.

        | `--on-conflict` | What happens to a book already in the library |
        |---|---|
        | `protect` | nothing changes, and the book is not added to collections; the result says whether its \
        content differs |
        | `update` | the metadata and uuid become those of the new file; the book file, its reading position and \
        its annotations stay |
        | `replace` | nothing changes if the content is the same. Otherwise Marvin replaces the file; the old copy \
        stays until the new one is there. Highlights, notes, bookmarks and the reading position are lost with the \
        old copy: the command shows how many there are and asks first; `--yes` skips the question. Kept are the \
        collections, flags, lock and word count, and fields missing from the new file, such as series, rating and \
        subjects. The cover is that of the new file, and the time added is that of the replacement |

        A book without authors is added next to one with the same title, and its result says so. Two files with \
        the same uuid but different titles and authors are two books; the second gets its own file name.

        Without `--on-conflict`, the options `marvin_protect_rb`, `marvin_update_rb` and `marvin_replace_rb` \
        decide, in this order.

        ## Requirements

        The overlay needs access to Marvin's container. Up to iOS 8.2, every copy of Marvin allows this; from iOS \
        8.3, only a copy signed for development does. With Marvin from the App Store on a newer iOS, only its \
        documents are accessible: you can list and fetch EPUBs, and Marvin imports uploaded EPUBs the next time it \
        starts. Changing and deleting is not possible because Marvin's library would not notice it. Uploads are \
        compared with the documents and their metadata only.

        An app that speaks Marvin's protocol and keeps everything under `/Documents` works on every iOS version; \
        set its folders in `marvin_staging_folder`, `marvin_database_path` and `marvin_covers_folder`.

        ## Speed

        The booklist and covers are cached (`booklist_caching`). The next listing first makes a dozen quick checks \
        and reads nothing more if nothing has changed; if some books have changed, only their files are checked. A \
        change within two seconds of the previous one is not missed: the library is read again until the device's \
        clock has advanced. A file that another program changes in place, without Marvin, is not noticed.

        ## Additional commands

        In development mode, `perform` sends the commands of the calibre driver's companion plugin:

        | Command | Books | Parameters | Response |
        |---|---|---|---|
        | `update_metadata_items` | yes | `rating`, `wordcount`, `newuuid`, `collection` (repeatable), \
        `nocollections`, `cover` (base 64) | |
        | `LockBooks`, `UnlockBooks` | yes | | |
        | `GenerateDeepView` | yes | | |
        | `UpdateGlobalCollections` | | `action` (`rename` or `delete`), `name`, `newname` | |
        | `GetDeepViewArticlesHTML`, `GetLocalVocabularyHTML` | one | | HTML |
        | `GetFirstOccurrenceHTML` | one | `entityID`, `hits`; `bookID` instead of the book | HTML |
        | `GetGlobalVocabularyHTML` | | | HTML |
        | `backup` | | | the backup, which also stays on the device |
        | `BACKUPMANIFEST` | | | XML |

        ## Options

        `upload_batch_size` (100): the number of books sent to Marvin in one command. Smaller numbers update the \
        progress more often; larger ones are faster. While Marvin imports one batch, the next one is copied if \
        there is space.

        `marvin_merge_collections` (true): whether an update adds to a book's collections or replaces them. Flags \
        are always kept.

        `marvin_edit_collections_cb` (true; in the calibre plugin false): whether collections can be changed.

        `device_booklist_caching` (false) and `device_booklist_cache_limit` (10): whether to keep a copy of the \
        booklist on the device for other computers, and its maximum size as a percentage of the free space.

        `cc_mappings`: the custom columns of a calibre library that hold collections, lock and word count.
        """
}
