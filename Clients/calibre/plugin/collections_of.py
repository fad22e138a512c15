# SPDX-License-Identifier: GPL-3.0-or-later
"""The collections of books, according to calibre's preference for device metadata and the chosen columns."""

from calibre.devices.usbms.books import CollectionsBookList

# Marvin shows these states of a book as collections. They are not in any column of a library, so keep them.
MARVIN_FLAGS = frozenset(('NEW', 'READING LIST', 'READ'))


def collections_of(books, columns, overlay):
    """The collections of each book that has some in the columns, by path. Other books keep those in the device view.

    With calibre's preference “manual” and “on send”, columns say it of books that have just been sent; with “automatic” of all books
    that are in the library.
    """
    if not columns or not books.supports_collections():
        return {}
    asked = CollectionsBookList(None, None, None)
    for book in books:
        if getattr(book, '_new_book', False):
            asked.append(_as_sent(book))
        elif book.in_library:
            asked.append(book)
    names = {book.lpath: [] for book in asked}
    for name, members in asked.get_collections(columns).items():
        for book in members:
            names[book.lpath].append(name)
    if overlay == 'marvin':
        for book in asked:
            names[book.lpath] += [name for name in book.device_collections if name in MARVIN_FLAGS]
    return names


def _as_sent(book):
    """The library's metadata of a book. The device's book may lack the columns."""
    metadata = getattr(book, 'library_metadata', None)
    if metadata is None:
        return book
    sent = metadata.deepcopy_metadata()
    sent.lpath, sent.device_collections, sent._new_book = book.lpath, list(book.device_collections), True
    return sent
