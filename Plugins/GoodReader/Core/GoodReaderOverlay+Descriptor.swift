import OverlayKit

extension GoodReaderOverlay {
    /// What the overlay is.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "goodreader", name: "GoodReader", version: "0.1.0",
            summary: "Lists, adds, fetches and deletes the documents of the reader app GoodReader.",
            appName: "GoodReader",
            appIDs: [
                "com.goodiware.GoodReaderIPad", "com.goodiware.GoodReader", "com.goodiware.goodreader4",
            ],
            formats: ["pdf"], settableMetadata: ["title", "authors"], plugboardName: "GOODREADER",
            thumbnailHeight: 68, traits: [.canFetch], options: GoodReaderOptions.all, help: help)
    }

    private static let help = """
        # GoodReader

        GoodReader reads PDF and other documents on iPad and iPhone. It keeps them as files in folders, which iOS shares with \
        computers, so all of this works with every version of iOS, and GoodReader need not be open. One overlay serves \
        `GoodReader` (iPad and iPhone) and `GoodReader 4`.

        ## What works

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | folders at any depth are listed; of each new document some kilobytes are read, never all of it |
        | `upload` | the document is copied under its title, beside others of that title if need be |
        | `get` | the file is copied to this computer |
        | `delete` | the file is removed; folders stay, except empty ones that OverlayHost made |
        | `update --title --author` | kept on this computer and shown from then on; the document itself is not touched |

        Titles and authors come from the document, from what was entered here, or, where calibre's plugin has left its cache on \
        the device, from there. They belong to the content: a document that is moved or renamed in GoodReader keeps them, and \
        two documents of the same name are two.

        Collections are GoodReader's folders. `upload --collection "Papers/2020"` puts a document into a folder, which is made if \
        need be. Documents that are there are not moved: GoodReader remembers bookmarks and previews by the place of a file.

        A document counts as already there if a file in any folder has the same content, or had it when it was sent, or has the \
        same uuid, or the same title and an author in common; `--verbose` says which of these decided. Where no authors are \
        known, it is added beside the other. `--on-conflict replace` puts a document in the place of one with the same title and \
        no other authors; a file that only has the name and tells another title, or to which you gave one, is another document. \
        The old file stays until the new one is there. It stays in its folder, also with `--collection`.

        A document into which GoodReader has written since it was sent, such as highlights, is left alone, by \
        `--on-conflict update` too. `--on-conflict replace` names what would be lost and asks first; `--yes` answers for you.

        Covers are GoodReader's own previews of first pages, or else the first page of a scanned document. Where iOS gives no \
        access to the previews (App Store versions from iOS 8.3 on), documents that are not scanned have no cover.

        ## Options

        `goodreader_formats` (`["pdf"]`): which documents are listed and taken. GoodReader also opens `txt`, `rtf`, `html`, `htm`, \
        `webarchive`, `doc`, `docx`, `xls`, `xlsx`, `ppt`, `pptx`, `pages`, `numbers` and `key`; it opens no EPUB. Example: \
        `overlayhost prefs set goodreader_formats '["pdf", "docx", "txt"]'`.

        `goodreader_caching_disabled` (false): titles, authors and covers are read anew each time, and the cache that calibre's \
        plugin left on the device is deleted. What you entered yourself is kept all the same.

        `goodreader_protect_rb` (true), `goodreader_update_rb`, `goodreader_replace_rb` (false): what an upload without \
        `--on-conflict` does with documents that are there; the first one that is true counts.
        """
}
