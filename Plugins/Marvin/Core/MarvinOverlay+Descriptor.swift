import OverlayKit

extension MarvinOverlay {
    /// What the overlay is.
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
                UploadBatches.preference, UploadBatches.fallback, label: "Books per command",
                help:
                    "How many books Marvin is given in one command; smaller numbers show progress more often, larger ones take less time."
            ),
            .bool(
                "marvin_protect_rb", true, label: "Protect books",
                help: "Uploading leaves books alone that are in the library; counts before updating."),
            .bool(
                "marvin_update_rb", false, label: "Update books",
                help:
                    "Uploading changes only the metadata of books that are in the library; counts before replacing."
            ),
            .bool(
                "marvin_replace_rb", false, label: "Replace books",
                help:
                    "Uploading replaces books that are in the library, unless they are protected or updated."),
            .bool(
                LibraryUploadPlan.mergePreference, true, label: "Merge collections",
                help:
                    "A book that is updated keeps its collections and gets the new ones too; false: the new ones take their place."
            ),
            .bool(
                collectionsPreference, true, label: "Edit collections",
                help: "Collections and flags of books can be changed from this computer."),
            OverlayOption(
                key: "cc_mappings", kind: .object, fallbackJSON: "{}", label: "Custom columns",
                help:
                    "For each calibre library the columns that give a book's collections (marvin_collections), lock (marvin_locked) and number of words (marvin_word_count)."
            ),
            .bool(
                BooklistCache.preference, true, label: "Keep the booklist",
                help:
                    "What a listing found is kept on this computer, so that the next one only looks for changes."
            ),
            .bool(
                BooklistCache.copyPreference, false, label: "Keep the booklist on the device too",
                help: "Another computer can begin with it; it holds no covers."),
            OverlayOption(
                key: BooklistCache.limitPreference, kind: .number, fallbackJSON: "10", range: 0...100,
                label: "Largest booklist on the device",
                help: "The copy on the device may take less than this share of the free space, in percent."),
            .text(
                MarvinPaths.stagingPreference, "", label: "Staging folder",
                help: "Where the app looks for commands; empty: where Marvin does."),
            .text(
                MarvinPaths.libraryPreference, "", label: "Database",
                help: "The path of the app's library; empty: Marvin's."),
            .text(
                MarvinPaths.coversPreference, "", label: "Covers folder",
                help: "Where the app keeps small covers; empty: where this version of Marvin does."),
        ]
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
        | `update` | Marvin changes title, authors, series, publisher, date, description, subjects, rating, cover, lock, number of words |
        | `collections` | Marvin changes the collections of books; its flags `NEW`, `READING LIST` and `READ` count as collections |
        | `get` | the file is copied to this computer |
        | `delete` | Marvin removes the book with its annotations and bookmarks |

        The lock is Marvin's own, for who holds the device, where it counts when Marvin has a password. As with the calibre \
        driver it keeps no command from this computer out: a locked book is changed, replaced and deleted as any other.

        After each command the library is read again, and the files are looked at: only what Marvin really did counts as done. A book \
        that a new one has replaced under another name, and that Marvin has not deleted, is named in the row of the new one.

        Somebody else may change the collections of a book between a listing and your change: only what you ask for changes.

        ## Books that are there already

        A book counts as already there if Marvin has one with the same uuid, else one with the very same content, else one with \
        the same title and an author in common. `--verbose` says for each book which of these decided. Of two files of one upload with the \
        same title and authors the first is sent, with `--on-conflict replace` the last.

        | `--on-conflict` | What happens to a book that is there |
        |---|---|
        | `protect` | nothing, and it gets no collections; its row says whether its content is another one |
        | `update` | its metadata and uuid become those of the file you name; the book itself, its place and its annotations stay |
        | `replace` | nothing if the file has the very content. Else Marvin puts the new file in its place; the old copy stays until the \
        new one is there. Highlights, notes, bookmarks and the reading position go with the old copy: the command says how many there \
        are and asks first, and `--yes` answers for you. Kept are its collections, flags, lock and number of \
        words, and what the new file says nothing about, such as series, rating and subjects; its cover is that of the new file, and \
        the time it was added that of the replacement |

        A book without authors is added beside one of the same title, and its row says so. Two different files of one uuid are \
        two books if their titles and authors differ; the second one gets a file name of its own.

        Without `--on-conflict` the options `marvin_protect_rb`, `marvin_update_rb` and `marvin_replace_rb` decide, in this order.

        ## What Marvin needs

        The overlay needs Marvin's whole container. Up to iOS 8.2 every Marvin gives it; from iOS 8.3 on only a build \
        signed for development does. Of a Marvin from the App Store on a newer iOS only the documents can be reached: EPUBs are \
        listed and fetched, and an EPUB that is uploaded lies among the documents until Marvin takes it in at its next start. \
        Nothing can be changed or deleted there, for Marvin's library would not know of it; what an upload is compared with are \
        the documents and what they say of themselves.

        An app that speaks Marvin's protocol with everything below `/Documents` works on every iOS; name its places in \
        `marvin_staging_folder`, `marvin_database_path` and `marvin_covers_folder`.

        ## Speed

        What a listing found is kept (`booklist_caching`), the covers too. The next listing asks for a dozen facts, and if none \
        has changed nothing else travels; after a change of some books only their files are looked at. A change that falls into the same two seconds as the one before it is not missed: until \
        the device's clock has moved on the library is read anew. Not noticed is a file that somebody else changes in place without \
        Marvin's knowledge.

        ## Further commands

        In development mode `perform` sends what only the companion plugin of the calibre driver sent:

        | Command | Books | Parameters | Answer |
        |---|---|---|---|
        | `update_metadata_items` | yes | `rating`, `wordcount`, `newuuid`, `collection` (repeated), `nocollections`, `cover` (base 64) | |
        | `LockBooks`, `UnlockBooks` | yes | | |
        | `GenerateDeepView` | yes | | |
        | `UpdateGlobalCollections` | | `action` (`rename` or `delete`), `name`, `newname` | |
        | `GetDeepViewArticlesHTML`, `GetLocalVocabularyHTML` | one | | HTML |
        | `GetFirstOccurrenceHTML` | one | `entityID`, `hits`; `bookID` instead of the book | HTML |
        | `GetGlobalVocabularyHTML` | | | HTML |
        | `backup` | | | the backup, which also stays on the device |
        | `BACKUPMANIFEST` | | | XML |

        ## Options

        `upload_batch_size` (100): how many books Marvin is given with one command. Smaller numbers show progress more \
        often, larger ones are faster. While Marvin takes one batch in, the next one is copied, as far as there is space.

        `marvin_merge_collections` (true): whether an update adds to a book's collections or replaces them; flags always stay.

        `marvin_edit_collections_cb` (true; in the calibre plugin false): whether collections can be changed at all.

        `device_booklist_caching` (false) and `device_booklist_cache_limit` (10): a copy of the booklist on the device, for \
        other computers, as long as it takes less than that percentage of the free space.

        `cc_mappings`: which custom columns of a calibre library give collections, lock and number of words.
        """
}
