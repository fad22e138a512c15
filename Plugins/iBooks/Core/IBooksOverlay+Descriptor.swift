import OverlayKit

extension IBooksOverlay {
    /// What the overlay is.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "ibooks", name: "Books", version: "0.1.0",
            summary: "Lists and fetches the books of Apple's Books by the media folder.",
            appName: "Books", appIDs: ["com.apple.iBooks"], formats: ["epub", "pdf"],
            plugboardName: "IBOOKS", thumbnailHeight: 270, traits: [.canFetch],
            options: [
                .bool(
                    writeSwitch, false, label: "Add and delete",
                    help:
                        "Allows adding and deleting books by editing the property lists of Books, which nobody has verified on a current iOS."
                )
            ],
            help: help)
    }

    private static let help = """
        # Books

        Books, which was called iBooks until iOS 12, is Apple's own reader app. OverlayHost reaches its books by the media \
        folder of the device, which every version of iOS opens; neither iTunes nor an open app is needed.

        ## What works

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the lists of Books and the books themselves are read; nothing is written |
        | `info` | also shows the highlights, notes and bookmarks that Books has laid down for synchronising |
        | `get` | a book is copied to this computer; one that Books has unpacked comes back as one EPUB file |
        | `upload`, `delete` | only with `ibooks_write`, see below |

        The app is called `Books` or `iBooks`, as you like; the overlay answers to both names.

        Books that iCloud keeps and the device has not loaded are not listed; one line says how many there are. Books that lie on the device \
        without any list naming them are listed, and the log says which ones: the app itself may not show them, and iOS may \
        remove them when it synchronises. A list or a folder that cannot be read is named, too; the rest is listed.

        A book from the store that is protected can be listed and copied, but only Books can open it; the log says which \
        ones are. A fetched book lacks the files in which the store notes who bought it.

        Collections are shown up to iOS 8.2, where the database of Books can still be read. What Books knows of a book \
        cannot be changed.

        ## Adding and deleting

        `ibooks_write` (false) allows `upload` and `delete`. They send or remove the files and edit the property lists in \
        which Books names its books: `Books.plist`, `Sync/Books.plist` and `Purchases/Purchases.plist` below `/Books`.

        **What is not known:** nobody has verified what the Books of a current iOS makes of such changes. It may show them \
        only after a restart of the app, or not at all, and a synchronisation with a computer may undo them. With iCloud for \
        Books switched on, deleted books may come back.

        What is certain: each list is replaced in one step and read back; what nobody understands in it is kept. Before a command \
        changes a list it lays a copy beside it, `….plist.overlayhost-DATE`; the first copy ever made stays, and so do the five \
        last ones. A new file gets a name that nothing has, and a book's old files are removed only when no list names the book \
        any more. A command that was interrupted is finished by the next one; of two commands at once the second waits.

        A book is there already if Books has one with its content, its uuid, or the same title and an author in common; \
        `--verbose` says which of these decided. `--on-conflict replace` puts the new file in its place; a book that Books keeps \
        unpacked stays unpacked. Highlights, notes and bookmarks that Books knows by the old content may be lost: the command says how many there are and asks first, and \
        `--yes` answers for you. `--on-conflict update` leaves books alone that are there. Of two \
        files of one upload with the same title and authors the first is sent, with `--on-conflict replace` the last.
        """
}
