import OverlayKit

extension IBooksOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "ibooks", name: "Books", version: "0.1.0",
            summary: "Lists and fetches the books in Apple's Books through the media folder.",
            appName: "Books", appIDs: ["com.apple.iBooks"], formats: ["epub", "pdf"],
            plugboardName: "IBOOKS", thumbnailHeight: 270, traits: [.canFetch],
            options: [
                .bool(
                    writeSwitch, false, label: "Add and delete",
                    help:
                        "Allow adding and deleting books by editing the property lists of Books. "
                        + "Untested on current iOS versions."
                )
            ],
            help: help)
    }

    private static let help = """
        # Books

        Books (iBooks before iOS 12) is Apple's reader app. OverlayHost accesses its books through the media \
        folder of the device. This works with every iOS version, and needs neither iTunes nor an open app.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the lists of Books and the book files are read; nothing is written |
        | `info` | also shows the highlights, notes and bookmarks that Books has stored for syncing |
        | `get` | a book is copied to this computer; a book that Books keeps as a folder becomes one EPUB file |
        | `upload`, `delete` | only with `ibooks_write`, see below |

        You can call the app `Books` or `iBooks`.

        Books that are in iCloud but not downloaded to the device are not listed; one line says how many there \
        are. Books on the device that are in no list are listed and noted in the log: Books may not show them, and \
        iOS may remove them at the next sync. Lists and folders that cannot be read are reported, and everything \
        else is listed.

        You can list and copy a protected book from the store, but only Books can open it; the log notes such \
        books. A fetched book does not include the store's files about the purchase.

        Collections are shown up to iOS 8.2, where the database of Books is accessible. Metadata cannot be changed.

        ## Adding and deleting

        `ibooks_write` (false) allows `upload` and `delete`. They add or remove files and edit the property lists \
        of Books: `Books.plist`, `Sync/Books.plist` and `Purchases/Purchases.plist` in `/Books`.

        **Untested:** it is not known how Books on a current iOS handles these changes. It may show them only \
        after a restart of the app, or not at all, and syncing with a computer may undo them. If iCloud is on for \
        Books, deleted books may come back.

        Each list is replaced in one step and read back; unknown entries are kept. Before a command changes a \
        list, it saves a copy next to it, `….plist.overlayhost-DATE`; the first copy and the last five are kept. A \
        new file gets an unused name, and an old file is removed only when no list contains its book any more. The \
        next command finishes an interrupted one; of two commands at the same time, the second waits.

        A book is already in Books if a book has the same content, the same uuid, or the same title and a common \
        author; `--verbose` shows which of these matched. `--on-conflict replace` replaces it with the new file; a \
        book kept as a folder stays a folder. Highlights, notes and bookmarks of the old content may be lost: the \
        command shows how many there are and asks first; `--yes` skips the question. `--on-conflict update` skips \
        books already in Books. If two files in an upload have the same title and authors, the first is sent; with \
        `--on-conflict replace`, the last.
        """
}
