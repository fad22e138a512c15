# SPDX-License-Identifier: GPL-3.0-or-later
"""`overlayhost sync` with a library that calibre itself made and changes. Run by tests/run."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import library  # noqa: E402
from simulation import Simulation  # noqa: E402

FOLDER = os.environ['LABORATORY']
PAPERBACK = 'org.example.paperback'


def plan(*arguments):
    document = json.loads(simulation.overlayhost('sync', '--json', *arguments, LIBRARY))
    return {row['item']: row['action'] for row in document['plan'] if row['action'] != 'keep'}


def on_device(app):
    return {book['title']: book for book in json.loads(simulation.overlayhost('books', '--json', '--app', app))['books']}


def db(*arguments):
    library.calibredb(LIBRARY, simulation.environment, *arguments)


def passed(text):
    print('ok:', text, flush=True)


def folder_sync():
    before = simulation.files(PAPERBACK)
    new = plan('--app', 'Paperback')
    assert sorted(new.values()) == ['add', 'add', 'add'], new
    assert len(simulation.files(PAPERBACK) - before) == 3
    assert {'The Sea', 'The Hill', 'The Wood'} <= set(on_device('Paperback'))
    passed('all books of the library are sent, each in the format that the app prefers')

    assert plan('--app', 'Paperback') == {}
    passed('a second run has nothing to do')

    stamp = os.stat(os.path.join(LIBRARY, 'metadata.db')).st_mtime_ns
    db('set_metadata', '1', '--field', 'title:The Wide Sea')
    changed = plan('--app', 'Paperback')
    assert len(changed) == 1 and set(changed.values()) <= {'update', 'replace'}, changed
    assert 'The Wide Sea' in on_device('Paperback') and 'The Sea' not in on_device('Paperback')
    passed('a title that calibre changed is changed on the device')

    db('remove', '2')
    assert plan('--app', 'Paperback') == {} and 'The Hill' in on_device('Paperback')
    assert list(plan('--app', 'Paperback', '--delete').values()) == ['remove']
    assert 'The Hill' not in on_device('Paperback') and before <= simulation.files(PAPERBACK)
    passed('a book that calibre removed is removed with --delete alone, and no other')

    stamp = os.stat(os.path.join(LIBRARY, 'metadata.db')).st_mtime_ns
    plan('--app', 'Paperback')
    assert os.stat(os.path.join(LIBRARY, 'metadata.db')).st_mtime_ns == stamp
    assert not [name for name in os.listdir(LIBRARY) if name.startswith('metadata.db-')]
    passed('the library is only read')


def column_sync():
    simulation.overlayhost('prefs', 'set', 'cc_mappings', json.dumps({os.path.basename(LIBRARY): {
        'marvin_collections': {'field': '#mm_collections', 'combobox': 'Collections'},
        'marvin_locked': {'field': '#mm_locked', 'combobox': 'Locked'},
        'marvin_word_count': {'field': '#mm_word_count', 'combobox': 'Word count'}}}))
    assert 'add' in plan('--app', 'Marvin', '--search', 'tag:nature').values()
    book = on_device('Marvin')['The Wide Sea']
    assert {'Holiday', 'Coast'} <= set(book['collections']) and book['word_count'] == 4321 and book['locked'] is True, book
    assert book['series'] == 'Water' and sorted(book['tags']) == ['Blue', 'Nature'], book
    passed('Marvin gets collections, lock and word count from the columns')


LIBRARY = library.make(os.path.join(FOLDER, 'sync-library'), os.environ)
simulation = Simulation(os.path.join(FOLDER, 'sync-phone'))
try:
    folder_sync()
finally:
    simulation.close()
simulation = Simulation(os.path.join(FOLDER, 'sync-ipad'), '--profile', 'marvin')
try:
    column_sync()
finally:
    simulation.close()
