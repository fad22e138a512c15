import OverlayKit

extension GoodReaderOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "goodreader", name: "GoodReader", version: "0.1.0",
            summary: "Lists, adds, fetches and deletes documents in the reader app GoodReader.",
            appName: "GoodReader",
            appIDs: [
                "com.goodiware.GoodReaderIPad", "com.goodiware.GoodReader", "com.goodiware.goodreader4",
            ],
            formats: ["pdf"], settableMetadata: ["title", "authors"], plugboardName: "GOODREADER",
            thumbnailHeight: 68, traits: [.canFetch], options: GoodReaderOptions.all, help: help)
    }

    private static let help = """
        # GoodReader

        GoodReader reads PDFs and other documents on iPad and iPhone. It keeps them as files in shared folders, so \
        everything works with every iOS version, and GoodReader need not be open. One overlay serves `GoodReader` \
        (iPad and iPhone) and `GoodReader 4`.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | folders at any depth are listed; a few kilobytes of each new document are read, never \
        the whole file |
        | `upload` | the document is copied under its title, next to others with that title if necessary |
        | `get` | the file is copied to this computer |
        | `delete` | the file is removed; folders stay, except empty ones that OverlayHost created |
        | `update --title --author` | stored on this computer and shown from then on; the document itself is not \
        changed |

        Titles and authors come from the document, from your own changes, or from the cache of calibre's plugin on \
        the device, if there is one. They belong to the content: a document keeps them when you move or rename it \
        in GoodReader, and two documents with the same name stay separate.

        Collections are GoodReader's folders. `upload --collection "Papers/2020"` puts a document in a folder and \
        creates the folder if necessary. Existing documents are not moved because GoodReader stores bookmarks and \
        previews by file path.

        A document is already on the device if a file in any folder has the same content, had it when it was sent, \
        or has the same uuid, or the same title and a common author; `--verbose` shows which of these matched. If \
        no authors are known, the document is added next to the existing one. `--on-conflict replace` replaces a \
        document that has the same title and no other authors. A file that only has the same name but another \
        title in its metadata, or one you gave it, is a different document. The old file stays until the new one \
        is there, and the document stays in its folder, even with `--collection`.

        If GoodReader has changed a document since it was sent, for example by adding highlights, it is skipped, \
        even with `--on-conflict update`. `--on-conflict replace` shows what would be lost and asks first; `--yes` \
        skips the question.

        Covers are GoodReader's own previews of first pages, or the first page of a scanned document. Where the \
        previews are not accessible (App Store versions from iOS 8.3), documents that are not scans have no cover.

        ## Options

        `goodreader_formats` (`["pdf"]`): the formats of documents to list and add. GoodReader also opens `txt`, \
        `rtf`, `html`, `htm`, `webarchive`, `doc`, `docx`, `xls`, `xlsx`, `ppt`, `pptx`, `pages`, `numbers` and \
        `key`, but not EPUB. Example: `overlayhost prefs set goodreader_formats '["pdf", "docx", "txt"]'`.

        `goodreader_caching_disabled` (false): whether to read titles, authors and covers again each time, and \
        delete the cache that calibre's plugin left on the device. Your own changes are still kept.

        `goodreader_protect_rb` (true), `goodreader_update_rb`, `goodreader_replace_rb` (false): what an upload \
        without `--on-conflict` does with documents already on the device. The first option that is true applies.
        """
}

/// The overlay's preferences.
enum GoodReaderOptions {
    static let cachingDisabled = "goodreader_caching_disabled"
    static let formatList = "goodreader_formats"

    /// The formats that GoodReader declares, except pictures, sound and films: PDF, text, web pages, and the
    /// documents of the two office packages that iOS can display.
    static let known = [
        "pdf", "txt", "rtf", "html", "htm", "webarchive", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
        "pages",
        "numbers", "key",
    ]

    /// The accepted formats: the known ones among those that the user selected, or else PDF.
    static func formats(_ prefs: PrefsService) throws(OverlayError) -> [String] {
        var formats: [String] = []
        for format in try prefs.texts(formatList).map({ $0.lowercased() })
        where known.contains(format) && !formats.contains(format) {
            formats.append(format)
        }
        return formats.isEmpty ? ["pdf"] : formats
    }

    static let all: [OverlayOption] = [
        .texts(
            formatList, ["pdf"], allowed: known, label: "Formats",
            help: "The formats of documents to list and add, in order of preference."),
        .bool(
            cachingDisabled, false, label: "Keep no cache",
            help:
                "Keep no cache between connections, and delete the cache that calibre's plugin left on "
                + "the device."
        ),
        .bool(
            "goodreader_protect_rb", true, label: "Protect documents",
            help: "Skip documents already on the device (overrides update and replace)."
        ),
        .bool(
            "goodreader_update_rb", false, label: "Update documents",
            help:
                "Replace a document already on the device with a new edition (overrides replace)."
        ),
        .bool(
            "goodreader_replace_rb", false, label: "Replace documents",
            help: "Replace documents already on the device."),
    ]
}
