# SPDX-License-Identifier: GPL-3.0-or-later
"""What reader apps know of books, in the columns of the library that the person chose for it."""


def write_known(db, records, settings, mapping):
    """Writes each column once for all books: one at a time they would hold up the window. Returns the ids of changed books.

    `records`: of all apps, those of the main memory first. `mapping`: the library's columns in the preference cc_mappings.
    """
    known = _of_library(db.new_api, records)
    changed = set()
    for find in (_progress, _finished, _rating, _collections, _locks, _word_counts):
        changed.update(find(db, known, settings, mapping))
    return changed


def _of_library(api, records):
    """Each record of a book that the library knows by its uuid, with the book's id."""
    known = []
    for record in records:
        book_id = api.lookup_by_uuid(record['uuid']) if record.get('uuid') else None
        if book_id is not None:
            known.append((book_id, record))
    return known


# Reading goes on in the app, so that it changes what the column has.

def _progress(db, known, settings, _):
    """An app in which a book was not begun knows less than the person, or than another device."""
    wanted = {book_id: round(progress * 100) for book_id, progress in _furthest(known).items()}
    return _write(
        db, settings.get('progress_column'), ('int', 'float'), wanted, lambda now, value: now != value and (value or now is None))


def _finished(db, known, settings, _):
    """A “Yes” may be the person's own, so that a book that is not read to its end never becomes a “No”."""
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


# For the rest the library decides, and the app fills in what the library does not have.

def _rating(db, known, settings, _):
    """calibre counts 0 to 10, the host 0 to 5."""
    wanted = _first(known, lambda record: round((record.get('rating') or 0) * 2))
    return _write(db, settings.get('rating_column'), ('rating',), wanted, lambda now, value: not now)


def _collections(db, known, _, mapping):
    column = _mapped(db, mapping, 'marvin_collections')
    field = db.field_metadata.get(column) if column else {}
    allowed = (field.get('display') or {}).get('enum_values')

    def value(record):
        names = record.get('collections') or []
        if field.get('is_multiple'):
            return tuple(names)
        # The column has room for one.
        return names[0] if len(names) == 1 and (allowed is None or names[0] in allowed) else None
    return _write(db, column, ('text', 'enumeration'), _first(known, value), lambda now, value: not now)


def _locks(db, known, _, mapping):
    wanted = _first(known, lambda record: record.get('locked') or None)
    return _write(db, _mapped(db, mapping, 'marvin_locked'), ('bool',), wanted, lambda now, value: now is None)


def _word_counts(db, known, _, mapping):
    wanted = _first(known, lambda record: record.get('word_count') or None)
    return _write(db, _mapped(db, mapping, 'marvin_word_count'), ('int', 'float'), wanted, lambda now, value: not now)


def _first(known, value):
    """What the first app that knows something says of each book."""
    found = {}
    for book_id, record in known:
        if value(record):
            found.setdefault(book_id, value(record))
    return found


def _mapped(db, mapping, role):
    """The lookup name of the column for a role. Older preferences have the column's heading only."""
    entry = mapping.get(role) or {}
    if entry.get('field'):
        return entry['field']
    columns = db.field_metadata.custom_field_metadata()
    return next((lookup for lookup, column in sorted(columns.items()) if column['name'] == entry.get('combobox')), None)


def _write(db, column, kinds, wanted, changes):
    field = db.field_metadata.get(column) if column else None
    if field is None or field['datatype'] not in kinds:
        return ()
    now = db.new_api.all_field_for(column, wanted)
    values = {book_id: value for book_id, value in wanted.items() if changes(now.get(book_id), value)}
    if values:
        db.new_api.set_field(column, values)
    return values
