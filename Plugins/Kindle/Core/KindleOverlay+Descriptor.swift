import OverlayKit

extension KindleOverlay {
    /// What the overlay is.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "kindle", name: "Kindle", version: "0.1.0",
            summary:
                "Lists, adds, fetches and deletes the books that share the Kindle app's Documents folder.",
            appName: "Kindle", appIDs: ["com.amazon.Lassen"],
            formats: Preference.formats.map { $0.lowercased() },
            settableMetadata: [], plugboardName: "KINDLE_FOR_IOS", thumbnailHeight: 270, traits: [.canFetch],
            options: [
                .texts(
                    Preference.enabledFormats, Preference.formats, label: "Formats",
                    help: "Extensions of the files that are books and may be added, the preferred one first."),
                .texts(
                    Preference.supportedFormats, Preference.formats, label: "Formats to choose from",
                    help: "The formats that count when none is enabled."),
                .bool(
                    Preference.cachingDisabled, false, label: "No cache",
                    help:
                        "Nothing is kept between connections, and the cache that calibre's plugin left on the device is deleted."
                ),
                .bool(
                    "kindle_protect_rb", true, label: "Protect books",
                    help: "Uploading leaves books alone that are there; counts before updating and replacing."
                ),
                .bool(
                    "kindle_update_rb", false, label: "Update books",
                    help:
                        "Uploading puts a new edition in the place of a book that is there; counts before replacing."
                ),
                .bool(
                    "kindle_replace_rb", false, label: "Replace books",
                    help: "Uploading replaces books that are there, unless they are protected or updated."),
            ],
            help: help)
    }

    private static let help = """
        # Kindle

        The Kindle app for iPad and iPhone reads books that a computer puts into its shared Documents folder, beside those that \
        were bought. Whether a version of the app shares that folder, `overlayhost apps` shows.

        ## What works

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the folder is looked through; of each new file a few kilobytes are read, for title, authors and cover |
        | `upload` | files are copied as `Title-Author.mobi`; two books never share a name |
        | `get` | files are copied to this computer |
        | `delete` | the file is removed |

        What was bought from Amazon is neither listed nor touched. Titles, authors and collections cannot be changed: the app \
        takes them from the files, and keeps collections to itself. `upload --collection` adds a book and says that it is in none.

        A book counts as already there if a file has the same content, or had it when it was sent, or has the same uuid, or the \
        same title and first author. `--verbose` says which of these decided. Of two files of one upload with the same title \
        and author the first is sent, with `--on-conflict replace` the last. A file that the app has changed since it was sent is \
        left alone; `--on-conflict replace` asks before it takes its place, and `--yes` answers for you.

        On a device before iOS 8.3 the cache that calibre's plugin keeps in the app (`/Library/calibre_metadata.sqlite`) is \
        read, so that books it knows need no second look. It is never changed.

        ## Options

        `kindle_enabled_formats` (`["MOBI", "PDF"]`): which files are books and may be added, in the order you prefer them.

        `kindle_supported_formats` (`["MOBI", "PDF"]`): what counts when no format is enabled.

        `kindle_caching_disabled` (false): titles, authors and covers are read anew each time, and the cache that calibre's \
        plugin left on the device is deleted.

        `kindle_protect_rb` (true), `kindle_update_rb`, `kindle_replace_rb` (false): what an upload without `--on-conflict` does \
        with books that are there; the first one that is true counts.
        """
}
