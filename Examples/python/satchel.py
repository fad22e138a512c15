"""The overlay for Satchel, an invented reader app that keeps its books as plain files in the folder it shares with computers.

The host calls only the methods that the class defines. include/overlay_methods.h declares all methods, with the same names and
arguments; include/overlay_records.h describes the records."""

from overlaykit import *

SHELF = "/Documents"
MEDIA_TYPES = {".epub": "application/epub+zip", ".pdf": "application/pdf"}
# These statuses end the whole method, not just one item.
FINAL = (CANCELLED, TIMED_OUT, DEVICE_GONE)


def ending(name):
    """The extension of a book's file name; None if the file is not a book."""
    return next((end for end in MEDIA_TYPES if name.endswith(end) and name != end), None)


def path_of(book, end):
    """The path of a new book: its title, without characters that are special in paths."""
    title = book.title or book.uuid
    name = "".join("-" if c < " " or c in "/:\\" else c for c in title)
    name = name.encode()[:200].decode(errors="ignore")
    return f"{SHELF}/{'-' + name[1:] if name.startswith('.') else name}{end}"


class SatchelOverlay(Overlay):
    id = "satchel"
    name = "Satchel"
    version = "0.1.0"
    summary = "Lists, fetches, adds and deletes the books of Satchel."
    app_name = "Satchel"
    app_ids = ["org.example.satchel"]
    formats = ["epub", "pdf"]
    flags = TRAIT_CAN_FETCH

    def books(self, options, put):
        """Lists every file with the extension of a book."""
        if options.volume != VOLUME_MAIN:
            return
        for row in self.host.transport.list(ROOT_DOCUMENTS, SHELF, LIST_WITH_INFO):
            # Skip a file that was removed during the listing.
            if row.status != OK or row.info.kind != FILE_REGULAR or not ending(row.info.name):
                continue
            end = ending(row.info.name)
            put(path=f"{SHELF}/{row.info.name}", title=row.info.name[:-len(end)], size=row.info.size, format=MEDIA_TYPES[end])

    def get_file(self, path, put):
        """Sends the bytes of a book. The path is one that `books` reported."""
        self.host.transport.read(ROOT_DOCUMENTS, path, 0, UNKNOWN, put)

    def upload_books(self, items, options, put):
        """Copies each book into the folder, unless a book with its title exists and must be kept."""
        self.each(items, put, lambda item: self.add(item, options))

    def delete_books(self, paths, put):
        """Deletes books."""
        self.each(paths, put, self.remove)

    def add(self, item, options):
        end = ending(item.name)
        if not end:
            raise Failure(UNSUPPORTED_FORMAT, "Satchel reads EPUB and PDF only.")
        path = path_of(item.book, end)
        there = self.host.transport.stat(ROOT_DOCUMENTS, [path])[0]
        if there.status not in (OK, NOT_FOUND):
            raise Failure(**vars(there.error))
        exists = there.status == OK
        if exists and options.on_conflict != CONFLICT_REPLACE:
            return {"outcome": OUTCOME_SKIPPED, "path": path, "message": "A book with this title already exists."}
        # The host copies to a temporary name, verifies, and renames, so an older file stays until the new one is complete.
        row = self.host.transport.push(ROOT_DOCUMENTS, [{"file": item.file, "path": path}], 0)[0]
        if row.status != OK:
            return vars(row) | {"outcome": OUTCOME_FAILED, "path": None}
        return {"outcome": OUTCOME_REPLACED if exists else OUTCOME_ADDED, "path": path, "message": row.message}

    def remove(self, path):
        self.host.transport.remove(ROOT_DOCUMENTS, path)
        return {"outcome": OUTCOME_DELETED}

    def each(self, items, put, work):
        """Processes each item and reports one row for it, even if it fails."""
        end = None
        for index, item in enumerate(items):
            try:
                row = work(item)
            except Failure as failure:
                # A row has every field of an error except the subject, which is the item.
                row = vars(failure.record) | {"outcome": OUTCOME_FAILED}
                row.pop("subject", None)
                end = failure if failure.status in FINAL else end
            put(row | {"index": index})
        if end:
            raise end
