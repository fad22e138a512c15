# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts calibre's metadata for the host: the metadata of an upload, and the changes in the device view."""

import os
import re
from datetime import datetime
from html.parser import HTMLParser

from calibre.ebooks.metadata import authors_to_sort_string, title_sort
from calibre.utils.date import is_date_undefined

from calibre_plugins.overlayhost.books import DeviceBook, shown_comments

UUID = re.compile(r'[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}')


def upload_entry(file, name, mi, template=None):
    """A book of the request `upload`. `template` is the plugboard for it, None if there is none."""
    if template:
        original, mi = mi, mi.deepcopy_metadata()
        mi.template_to_attribute(original, template)
    entry = {'file': os.path.abspath(file), 'name': os.path.basename(name), 'metadata': described(mi)}
    if mi.uuid and UUID.fullmatch(mi.uuid):
        entry['uuid'] = mi.uuid
    if mi.cover and os.access(mi.cover, os.R_OK):
        entry['cover'] = os.path.abspath(mi.cover)
    columns = user_columns(mi)
    if columns:
        entry['columns'] = columns
    return entry


def described(mi):
    """The members of a record that the library knows. The file provides the others."""
    known = {}
    for member, value in (
        ('title', None if mi.is_null('title') else mi.title),
        ('title_sort', mi.title_sort),
        ('authors', None if mi.is_null('authors') else list(mi.authors)),
        ('author_sort', None if mi.is_null('authors') else mi.author_sort),
        ('series', mi.series),
        ('publisher', mi.publisher),
        ('pubdate', day(mi.pubdate)),
        ('description', mi.comments),
        ('tags', list(mi.tags or [])),
        ('rating', stars(mi.rating)),
    ):
        if value:
            known[member] = value
    if 'series' in known and mi.series_index is not None:
        known['series_index'] = float(mi.series_index)
    return known


def user_columns(mi):
    """The person's own columns as the host takes them, by their lookup names."""
    columns = {}
    for label, column in (mi.get_all_user_metadata(make_copy=False) or {}).items():
        value = column.get('#value#')
        if value is None or column.get('datatype') == 'composite':
            continue
        if isinstance(value, datetime):
            value = value.isoformat()
        elif isinstance(value, (set, frozenset, tuple)):
            value = list(value)
        columns[label] = {'heading': str(column.get('name') or ''), 'type': column['datatype'], 'value': value}
    return columns


def changes(book, settable, template=None):
    """What the device view or the library has changed of a book since the host described it: members of `changes`.

    `settable`: names of what the reader app can change; the rest is left out. `template`: the plugboard for the book, None if
    there is none. Collections are not looked at.
    """
    record = book.record
    found = {}
    shown = DeviceBook(record, book.path)
    if template:
        original, book = book, book.deepcopy_metadata()
        book.template_to_attribute(original, template)
    for member, sort, made in (('title', 'title_sort', title_sort), ('authors', 'author_sort', authors_to_sort_string)):
        value, sorted_by = getattr(book, member), getattr(book, sort)
        if value != getattr(shown, member) and any(value or ()):
            found[member] = value
            # An edit in the device view keeps the sort text of the old value.
            found[sort] = made(value) if sorted_by == getattr(shown, sort) else sorted_by
        elif sorted_by and sorted_by != getattr(shown, sort):
            found[sort] = sorted_by
    for member, value in (('series', book.series or None), ('publisher', book.publisher or None)):
        if value != (record.get(member) or None):
            found[member] = value
    if book.series and book.series_index is not None and float(book.series_index) != record.get('series_index'):
        found['series_index'] = float(book.series_index)
    # The host's date may be only a year, or a date that calibre cannot show.
    if day(book.pubdate) != day(shown.pubdate):
        found['pubdate'] = day(book.pubdate)
    # Readers rate books in the app. A book without a rating in the library keeps the app's rating.
    if book.rating and stars(book.rating) != record.get('rating'):
        found['rating'] = stars(book.rating)
    if sorted(book.tags or []) != sorted(record.get('tags') or []):
        found['tags'] = list(book.tags or [])
    if book.comments != shown_comments(record) and words(book.comments) != words(record.get('description')):
        found['description'] = book.comments
    return {member: value for member, value in found.items() if member in settable}


def edits_refused(book, settable):
    """Whether the user has changed or emptied a field that the reader app cannot change. calibre edits only these two."""
    shown = DeviceBook(book.record, book.path)
    return any(
        getattr(book, member) != getattr(shown, member) and (member not in settable or not any(getattr(book, member) or ()))
        for member in ('title', 'authors'))


def collection_change(book, wanted):
    """The collections that a book is to have, if these are not what the host said; else None. Order does not count."""
    wanted = list(dict.fromkeys(name.strip() for name in wanted if name and name.strip()))
    return wanted if set(wanted) != set(book.record.get('collections') or []) else None


def day(date):
    if date is None or is_date_undefined(date):
        return None
    return f'{date.year:04}-{date.month:02}-{date.day:02}'


def stars(rating):
    """calibre counts 0 to 10, the host 0 to 5."""
    return rating / 2 if rating else None


class _Words(HTMLParser):
    def __init__(self):
        HTMLParser.__init__(self, convert_charrefs=True)
        self.found = []

    def handle_data(self, data):
        self.found += data.split()


def words(text):
    """The words of a description without markup, because reader apps store it in different forms."""
    parser = _Words()
    parser.feed(text or '')
    parser.close()
    return parser.found
