import OverlayKit

extension KindleOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "kindle", name: "Kindle", version: "0.1.0",
            summary:
                "Lists, adds, fetches and deletes books in the Kindle app's shared Documents folder.",
            appName: "Kindle", appIDs: ["com.amazon.Lassen"],
            formats: KindlePreference.formats.map { $0.lowercased() },
            settableMetadata: [], plugboardName: "KINDLE_FOR_IOS", thumbnailHeight: 270, traits: [.canFetch],
            options: [
                .texts(
                    KindlePreference.enabledFormats, KindlePreference.formats, label: "Formats",
                    help: "The extensions of book files, in order of preference."),
                .texts(
                    KindlePreference.supportedFormats, KindlePreference.formats,
                    label: "Formats to choose from",
                    help: "The formats to use if none is enabled."),
                .bool(
                    KindlePreference.cachingDisabled, false, label: "No cache",
                    help:
                        "Keep no cache between connections, and delete the cache that calibre's plugin "
                        + "left on the device."
                ),
                .bool(
                    "kindle_protect_rb", true, label: "Protect books",
                    help: "Skip books already on the device (overrides update and replace)."
                ),
                .bool(
                    "kindle_update_rb", false, label: "Update books",
                    help:
                        "Replace a book already on the device with a new edition (overrides replace)."
                ),
                .bool(
                    "kindle_replace_rb", false, label: "Replace books",
                    help: "Replace books already on the device."),
            ],
            help: help)
    }

    private static let help = """
        # Kindle

        The Kindle app for iPad and iPhone reads books in its shared Documents folder, along with purchased books. \
        To see whether your version of the app shares that folder, run `overlayhost apps`.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the folder is searched; for title, authors and cover, a few kilobytes of each new file \
        are read |
        | `upload` | files are copied as `Title-Author.mobi`; no two books have the same name |
        | `get` | files are copied to this computer |
        | `delete` | the file is removed |

        Books bought from Amazon are neither listed nor changed. Titles, authors and collections cannot be \
        changed: the app reads titles and authors from the files, and does not allow access to its collections. \
        `upload --collection` adds the book and says that it is in no collection.

        A book is already on the device if a file has the same content, had it when it was sent, or has the same \
        uuid, or the same title and first author. `--verbose` shows which of these matched. If two files in an \
        upload have the same title and author, the first is sent; with `--on-conflict replace`, the last. A file \
        that the app has changed since it was sent is skipped; `--on-conflict replace` asks before replacing it, \
        and `--yes` skips the question.

        On devices before iOS 8.3, the cache that calibre's plugin keeps in the app \
        (`/Library/calibre_metadata.sqlite`) is used to avoid reading known books again. It is never changed.

        ## Options

        `kindle_enabled_formats` (`["MOBI", "PDF"]`): the formats of book files, in order of preference.

        `kindle_supported_formats` (`["MOBI", "PDF"]`): the formats to use if none is enabled.

        `kindle_caching_disabled` (false): whether to read titles, authors and covers again each time, and delete \
        the cache that calibre's plugin left on the device.

        `kindle_protect_rb` (true), `kindle_update_rb`, `kindle_replace_rb` (false): what an upload without \
        `--on-conflict` does with books already on the device. The first option that is true applies.
        """
}
