# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes values from reader apps into the chosen columns of the library."""

from calibre_plugins.overlayhost.collections_of import MARVIN_FLAGS


def write_known(db, records, settings, mapping):
    """Writes each column once for all books, because single writes would block the window. Returns the ids of changed books.

    `records`: pairs of overlay and record, of all apps, those of the main memory first. `mapping`: the library's columns in the
    preference cc_mappings.
    """
    known = _of_library(db.new_api, records)
    of_marvin = [(book_id, record) for book_id, overlay, record in known if overlay == 'marvin']
    of_all = [(book_id, record) for book_id, _, record in known]
    changed = set(_rating(db, of_all, settings))
    changed.update(_progress(db, of_all, settings))
    changed.update(_finished(db, of_all, settings))
    changed.update(_collections(db, of_marvin, settings, mapping))
    changed.update(_locks(db, of_marvin, mapping))
    changed.update(_word_counts(db, of_marvin, mapping))
    return changed


def _of_library(api, records):
    """The records of books in the library, found by uuid: book id, overlay and record."""
    known = []
    for overlay, record in records:
        book_id = api.lookup_by_uuid(record['uuid']) if record.get('uuid') else None
        if book_id is not None:
            known.append((book_id, overlay, record))
    return known


# Reading progress replaces the value of its column.

def _progress(db, known, settings):
    """0 is written only where the column is empty: the book may have been read elsewhere."""
    wanted = {book_id: round(progress * 100) for book_id, progress in _furthest(known).items()}
    return _write(
        db, settings.get('progress_column'), ('int', 'float'), wanted, lambda now, value: now != value and (value or now is None))


def _finished(db, known, settings):
    """“No” is never written: the user may have finished the book elsewhere."""
    wanted = {book_id: True for book_id, progress in _furthest(known).items() if progress >= 1}
    return _write(db, settings.get('read_column'), ('bool',), wanted, lambda now, value: now is not True)


def _furthest(known):
    """How far each book is read: the furthest of the apps that have it."""
    found = {}
    for book_id, record in known:
        progress = record.get('progress')
        if progress is not None:
            found[book_id] = max(progress, found.get(book_id, progress))
    return found


# The other values only fill empty columns.

def _rating(db, known, settings):
    """calibre counts 0 to 10, the host 0 to 5."""
    wanted = _first(known, lambda record: round((record.get('rating') or 0) * 2))
    return _write(db, settings.get('rating_column'), ('rating',), wanted, lambda now, value: not now)


def _collections(db, known, settings, mapping):
    """A column that determines collections on the device does not take collections from the app."""
    column = _mapped(db, mapping, 'marvin_collections', by_heading_first=True)
    if column is None or column in settings.get('collection_columns'):
        return ()
    field = db.field_metadata.get(column) or {}
    allowed = (field.get('display') or {}).get('enum_values')

    def value(record):
        names = [name for name in record.get('collections') or [] if name not in MARVIN_FLAGS]
        if field.get('is_multiple'):
            # calibre separates the names with commas.
            return tuple(name for name in names if ',' not in name)
        return names[0] if len(names) == 1 and (allowed is None or names[0] in allowed) else None
    return _write(db, column, ('text', 'enumeration'), _first(known, value), lambda now, value: not now)


def _locks(db, known, mapping):
    """“No” is never written, because it would be on nearly all books."""
    wanted = _first(known, lambda record: record.get('locked') or None)
    return _write(db, _mapped(db, mapping, 'marvin_locked'), ('bool',), wanted, lambda now, value: now is None)


def _word_counts(db, known, mapping):
    wanted = _first(known, lambda record: record.get('word_count') or None)
    return _write(db, _mapped(db, mapping, 'marvin_word_count'), ('int', 'float'), wanted, lambda now, value: not now)


def _first(known, value):
    """The value of each book in the first app that has one."""
    found = {}
    for book_id, record in known:
        if value(record):
            found.setdefault(book_id, value(record))
    return found


def _mapped(db, mapping, role, by_heading_first=False):
    """The lookup name of the column for a role, found as the host finds it; None if there is none."""
    entry = mapping.get(role)
    if not isinstance(entry, dict):
        return None
    columns = db.field_metadata.custom_field_metadata()
    by_name = entry.get('field') if entry.get('field') in columns else None
    heading = str(entry.get('combobox') or '').lower()
    by_heading = next((lookup for lookup, column in sorted(columns.items()) if heading and column['name'].lower() == heading), None)
    return by_heading or by_name if by_heading_first else by_name or by_heading


def _write(db, column, kinds, wanted, changes):
    field = db.field_metadata.get(column) if column else None
    if field is None or field['datatype'] not in kinds:
        return ()
    now = db.new_api.all_field_for(column, wanted)
    values = {book_id: value for book_id, value in wanted.items() if changes(now.get(book_id), value)}
    if values:
        db.new_api.set_field(column, values)
    return values
