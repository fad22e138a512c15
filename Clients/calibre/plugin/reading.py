# SPDX-License-Identifier: GPL-3.0-or-later
"""What reader apps know of reading, in the columns of the library that the person chose for it."""


def write_reading(db, records, settings):
    """Writes each column once for all books: one at a time they would hold up the window. Returns the ids of changed books."""
    furthest = _furthest(db.new_api, records)
    columns = (
        ('progress_column', ('int', 'float'), {book_id: round(progress * 100) for book_id, progress in furthest.items()}),
        # A “Yes” may be the person's own, so that a book that is not read to its end never becomes a “No”.
        ('read_column', ('bool',), {book_id: True for book_id, progress in furthest.items() if progress >= 1}),
    )
    changed = set()
    for key, kinds, wanted in columns:
        column = settings.get(key)
        field = db.field_metadata.get(column) if column else None
        if field is None or field['datatype'] not in kinds:
            continue
        now = db.new_api.all_field_for(column, wanted)
        # An app in which the book was not begun knows less than the person, or than another device.
        values = {
            book_id: value for book_id, value in wanted.items()
            if now.get(book_id) != value and (value or now.get(book_id) is None)}
        if values:
            db.new_api.set_field(column, values)
            changed.update(values)
    return changed


def _furthest(api, records):
    """How far each book of the library is read, by its id: the furthest of the apps that have it."""
    found = {}
    for record in records:
        progress, uuid = record.get('progress'), record.get('uuid')
        book_id = api.lookup_by_uuid(uuid) if uuid and progress is not None else None
        if book_id is not None:
            found[book_id] = max(progress, found.get(book_id, progress))
    return found
