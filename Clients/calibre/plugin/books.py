# SPDX-License-Identifier: GPL-3.0-or-later
"""Books and lists of books as calibre's device view wants them, made from the host's records."""

import functools
import re
import time
from datetime import datetime, timezone

from calibre.devices.usbms.books import CollectionsBookList
from calibre.ebooks.metadata import authors_to_sort_string, title_sort
from calibre.ebooks.metadata.book.base import Metadata

EPOCH = time.gmtime(0)
UNKNOWN = 'Unknown'
_DAY = re.compile(r'(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?!\d)')


class CoverFile:
    """An image that calibre reads when its book is selected."""

    def __init__(self, path):
        self.image_path = path


class DeviceBook(Metadata):
    """A book on the device. `record` is the host's last record; `path` is unique among all lists of the device."""

    def __init__(self, record, path):
        Metadata.__init__(self, UNKNOWN)
        self.application_id = None
        self.in_library = None
        self._new_book = False
        self.path = self.lpath = path
        self.datetime = EPOCH
        self.size = 0
        self.take(record)

    def __eq__(self, other):
        return self.lpath == getattr(other, 'lpath', None)

    __hash__ = None

    @property
    def title_sorter(self):
        return self.title_sort or title_sort(self.title or UNKNOWN)

    def take(self, record):
        """Shows exactly the content of the record."""
        self.record = record
        # Whether calibre has given it the metadata of the library since.
        self.is_merged = False
        # Otherwise calibre would not set the same metadata again.
        self.last_modified = None
        self.title = record.get('title') or UNKNOWN
        self.authors = list(record.get('authors') or [UNKNOWN])
        self.title_sort = record.get('title_sort') or title_sort(self.title)
        self.author_sort = record.get('author_sort') or author_sort(tuple(self.authors))
        self.series = record.get('series')
        self.series_index = record.get('series_index')
        self.publisher = record.get('publisher')
        self.pubdate = _date(record.get('pubdate'))
        self.tags = list(record.get('tags') or [])
        self.rating = None if record.get('rating') is None else record['rating'] * 2
        self.device_collections = list(record.get('collections') or [])
        self.uuid = record.get('uuid')
        self.comments = shown_comments(record)
        self.size = int(record.get('size') or 0)
        self.datetime = _time_tuple(record.get('date_added'))
        cover = (record.get('cover') or {}).get('path')
        self.thumbnail = CoverFile(cover) if cover else None

    def smart_update(self, other, replace_metadata=False):
        """Called by calibre to set the library's metadata."""
        Metadata.smart_update(self, other, replace_metadata)
        self.is_merged = True


class DeviceBookList(CollectionsBookList):
    """A list of books of one place of the device. `rebuild(list)` sends the collections of its books; None if it has no collections."""

    def __init__(self, rebuild=None):
        CollectionsBookList.__init__(self, None, None, None)
        self._rebuild = rebuild

    def supports_collections(self):
        return self._rebuild is not None

    def rebuild_collections(self, booklist, oncard):
        if self._rebuild is not None:
            self._rebuild(booklist)

    def add_book(self, book, replace_metadata):
        """Adds the book to the list, or replaces the book with its path."""
        for index, other in enumerate(self):
            if other.path == book.path:
                self[index] = book
                return book
        self.append(book)
        return book

    def take(self, changed, gone):
        """Adds changed books to the list and removes missing ones, in one pass. `changed` is a dictionary by path."""
        changed = dict(changed)
        self[:] = [changed.pop(book.path, book) for book in self if book.path not in gone or book.path in changed]
        self.extend(changed.values())


@functools.lru_cache(8192)
def author_sort(authors):
    """The cached sort form of authors. It takes calibre longer than the rest of a book."""
    return authors_to_sort_string(list(authors))


def shown_comments(record):
    """The reading state, followed by the description. The device view has no column for the reading state."""
    description = record.get('description')
    progress = record.get('progress')
    if not progress:
        return description
    state = '<p>Read.</p>' if progress >= 1 else f'<p>Read to {progress:.0%}.</p>'
    return state + (description or '')


def _date(text):
    """Noon of a day, which is that day in nearly all time zones. None if it is not a date.

    calibre's own parse_only_date moves the first and the last day of a month.
    """
    found = _DAY.match(text) if isinstance(text, str) else None
    try:
        return datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), 12, tzinfo=timezone.utc) if found else None
    except ValueError:
        return None


def _time_tuple(text):
    try:
        moment = datetime.fromisoformat(text.replace('Z', '+00:00'))
        return moment.astimezone(timezone.utc).utctimetuple()
    except (AttributeError, ValueError, OverflowError):
        return EPOCH
