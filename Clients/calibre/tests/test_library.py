# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plugin writes into a library of calibre. Run by tests/run: calibre-debug -e test_library.py."""

import io
import os
import shutil
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# calibre's own loader makes the package of the installed plugin.
import calibre.customize.ui  # noqa: E402,F401
from calibre.db.legacy import LibraryDatabase  # noqa: E402
from calibre.ebooks.metadata.book.base import Metadata  # noqa: E402
from calibre_plugins.overlayhost import driver as driver_module  # noqa: E402
from calibre_plugins.overlayhost.annotations import Fetched, store  # noqa: E402
from calibre_plugins.overlayhost.from_apps import write_known  # noqa: E402
from driving import WithTheDriver  # noqa: E402
from support import record, run_tests  # noqa: E402

# Label, kind, whether it holds several values, and how it is shown.
COLUMNS = (
    ('part', 'int', False, {}), ('finished', 'bool', False, {}), ('stars', 'rating', False, {}), ('count', 'int', False, {}),
    ('locked', 'bool', False, {}), ('shelves', 'text', True, {}), ('note', 'text', False, {}),
    ('kind', 'enumeration', False, {'enum_values': ['Coast', 'Hills']}), ('other', 'enumeration', False, {'enum_values': ['Hills']}))


class WithALibrary(unittest.TestCase):
    """A library of calibre with six books and columns of each kind."""

    def setUp(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        for _ in range(2):  # Columns are there when a library is opened again.
            self.db = LibraryDatabase(folder)
            self.addCleanup(self.db.close)
            if '#part' not in self.db.field_metadata:
                for label, kind, is_multiple, display in COLUMNS:
                    self.db.create_custom_column(label, label.title(), kind, is_multiple, display=display)
                self.db.close()
        self.api = self.db.new_api
        self.ids = [self.api.create_book_entry(Metadata(f'Book {number}')) for number in range(6)]


class StoredAnnotations(WithALibrary):
    def stored(self, book_id):
        found = self.api.all_annotations_for_book(book_id)
        return sorted((entry['format'], entry['user'], entry['annotation']['highlighted_text']) for entry in found)

    def fetched(self, *parts):
        fetched = Fetched('Phone')
        for app, extension, text in parts:
            fetched.add(app, extension, [{'kind': 'highlight', 'text': text}])
        return fetched

    def test_what_several_apps_have_is_kept_side_by_side(self):
        book_id = self.ids[0]
        store(self.db, book_id, self.fetched(('Kindle', 'pdf', 'one'), ('Marvin', 'epub', 'two')))
        self.assertEqual(self.stored(book_id), [('EPUB', 'Marvin (Phone)', 'two'), ('PDF', 'Kindle (Phone)', 'one')])
        store(self.db, book_id, self.fetched(('Marvin', 'epub', 'three')))
        self.assertEqual(self.stored(book_id), [('EPUB', 'Marvin (Phone)', 'three'), ('PDF', 'Kindle (Phone)', 'one')])

    def test_copies_of_an_app_that_become_one_format_are_both_kept(self):
        book_id = self.ids[0]
        self.api.add_format(book_id, 'EPUB', io.BytesIO(b'a book'))
        store(self.db, book_id, self.fetched(('Reader', 'epub', 'one'), ('Reader', 'pdf', 'two')))
        self.assertEqual(self.stored(book_id), [('EPUB', 'Reader (Phone)', 'one'), ('EPUB', 'Reader (Phone)', 'two')])


class WrittenColumns(WithALibrary):
    """Records the values written into the columns of a library."""

    def setUp(self):
        super().setUp()
        self.written = []
        set_field = self.api.set_field
        self.api.set_field = lambda name, values: self.written.append((name, dict(values))) or set_field(name, values)

    def records_of(self, *known, overlay='marvin'):
        uuids = [self.api.field_for('uuid', book_id) for book_id in self.ids]
        return [(overlay, record(uuid, 'x', uuid=uuid, **more)) for uuid, more in zip(uuids, known)]


class ReadingState(WrittenColumns):
    """The reading state from apps, in a calibre library."""

    def records(self, *progresses):
        return self.records_of(*({'progress': progress} for progress in progresses), overlay='documents')

    def test_each_column_is_written_once_for_all_books(self):
        strangers = [record('other', 'x', uuid='no-uuid-of-the-library', progress=1), record('none', 'x')]
        records = self.records(0.5, 1, 0, None, 0.254) + [('documents', stranger) for stranger in strangers]
        settings = {'progress_column': '#part', 'read_column': '#finished', 'collection_columns': []}
        one, two, three, _, five, _ = self.ids
        self.assertEqual(write_known(self.db, records, settings, {}), {one, two, three, five})
        self.assertEqual(self.written, [('#part', {one: 50, two: 100, three: 0, five: 25}), ('#finished', {two: True})])
        self.assertEqual([self.api.field_for('#part', book_id) for book_id in self.ids], [50, 100, 0, None, 25, None])
        self.assertEqual(write_known(self.db, records, settings, {}), set())
        self.assertEqual(len(self.written), 2)

    def test_a_book_that_is_not_begun_in_the_app_keeps_the_value_of_its_column(self):
        one, two, three, *_ = self.ids
        self.api.set_field('#part', {one: 55, three: 0})
        self.api.set_field('#finished', {one: True, two: False})
        self.written.clear()
        settings = {'progress_column': '#part', 'read_column': '#finished', 'collection_columns': []}
        self.assertEqual(write_known(self.db, self.records(0, 0, 0.004), settings, {}), {two})
        self.assertEqual(self.written, [('#part', {two: 0})])
        self.assertEqual([self.api.field_for('#part', book_id) for book_id in (one, two, three)], [55, 0, 0])
        self.assertEqual([self.api.field_for('#finished', book_id) for book_id in (one, two)], [True, False])

    def test_of_two_apps_the_one_that_is_read_further_counts(self):
        write_known(self.db, self.records(0.5) + self.records(0.75) + self.records(0.25), {'progress_column': '#part'}, {})
        self.assertEqual(self.written, [('#part', {self.ids[0]: 75})])

    def test_columns_that_are_gone_or_of_another_kind_are_left_alone(self):
        for column in ('#gone', '#note', '#finished', ''):
            self.assertEqual(write_known(self.db, self.records(1), {'progress_column': column}, {}), set())
        self.assertEqual(self.written, [])


class KnownByApps(WrittenColumns):
    """Other values from apps, where the library has none."""

    def write(self, records, collection_columns=(), **roles):
        mapping = {f'marvin_{role}': {'field': column, 'combobox': 'x'} for role, column in roles.items()}
        settings = {'rating_column': roles.get('rating', ''), 'collection_columns': collection_columns}
        return write_known(self.db, records, settings, mapping)

    def test_ratings_fill_the_chosen_column_where_it_is_empty(self):
        one, two, *_ = self.ids
        self.api.set_field('rating', {two: 2})
        self.written.clear()
        records = self.records_of({'rating': 4}, {'rating': 5}, {'rating': 0}, {'rating': None}, {})
        self.assertEqual(self.write(records), set())
        for column, expected in (('rating', {one: 8}), ('#stars', {one: 8, two: 10})):
            self.written.clear()
            self.assertEqual(self.write(records, rating=column), set(expected))
            self.assertEqual(self.written, [(column, expected)])
            self.assertEqual(self.write(records, rating=column), set())
        self.assertEqual([self.api.field_for('rating', book_id) for book_id in self.ids[:3]], [8, 2, None])

    def test_word_counts_and_locks_fill_what_is_empty(self):
        one, two, three, *_ = self.ids
        self.api.set_field('#count', {two: 70})
        self.api.set_field('#locked', {two: False})
        self.written.clear()
        records = self.records_of(*[{'word_count': 900, 'locked': True}] * 2, {'word_count': 0, 'locked': False})
        self.assertEqual(self.write(records, word_count='#count', locked='#locked'), {one})
        self.assertEqual(self.written, [('#locked', {one: True}), ('#count', {one: 900})])
        self.assertEqual([self.api.field_for('#count', book_id) for book_id in (one, two, three)], [900, 70, None])
        self.assertEqual([self.api.field_for('#locked', book_id) for book_id in (one, two, three)], [True, False, None])

    def test_collections_fill_what_is_empty_and_fits_the_column(self):
        one, two, three, *_ = self.ids
        records = self.records_of(
            {'collections': ['Coast', 'NEW', 'Holiday, late', 'Hills']}, {'collections': ['READ', 'Coast']}, {'collections': ['NEW']})
        for column, expected in (
            ('#shelves', {one: ('Coast', 'Hills'), two: ('Coast',), three: ()}),
            ('#note', {one: None, two: 'Coast', three: None}),
            ('#kind', {one: None, two: 'Coast', three: None}),
            ('#other', {one: None, two: None, three: None}),
        ):
            self.write(records, collections=column)
            self.assertEqual({book_id: self.api.field_for(column, book_id) for book_id in (one, two, three)}, expected, column)
        self.written.clear()
        self.assertEqual(self.write(self.records_of({'collections': ['Another']}), collections='#shelves'), set())
        self.assertEqual(self.written, [])

    def test_a_column_that_decides_on_collections_takes_none(self):
        records = self.records_of({'collections': ['Coast']})
        self.assertEqual(self.write(records, ['series', '#shelves'], collections='#shelves'), set())
        self.assertEqual(self.write(records, ['series'], collections='#shelves'), {self.ids[0]})

    def test_columns_for_marvin_take_nothing_from_other_apps(self):
        known = {'collections': ['Coast'], 'word_count': 5, 'locked': True, 'rating': 3}
        roles = {'collections': '#shelves', 'word_count': '#count', 'locked': '#locked', 'rating': 'rating'}
        self.assertEqual(self.write(self.records_of(known, overlay='documents'), **roles), {self.ids[0]})
        self.assertEqual(self.written, [('rating', {self.ids[0]: 6})])

    def test_the_first_app_that_knows_something_counts(self):
        records = self.records_of({'word_count': None}) + self.records_of({'word_count': 5}) + self.records_of({'word_count': 6})
        self.assertEqual(self.write(records, word_count='#count'), {self.ids[0]})
        self.assertEqual(self.written, [('#count', {self.ids[0]: 5})])

    def test_a_column_is_found_as_the_host_finds_it(self):
        records = self.records_of({'word_count': 5, 'locked': True, 'collections': ['Coast']})
        for mapping, columns in (
            ({'marvin_word_count': {'combobox': 'count'}, 'marvin_locked': {'combobox': 'Gone'}, 'marvin_collections': None}, ['#count']),
            ({'marvin_locked': {'field': '#gone', 'combobox': 'Locked'}, 'marvin_collections': {'field': '#gone'}}, ['#locked']),
            # Collections by heading first, the others by lookup name.
            ({'marvin_collections': {'field': '#note', 'combobox': 'Kind'}}, ['#kind']),
            ({'marvin_word_count': {'field': '#part', 'combobox': 'Count'}}, ['#part']),
            ({'marvin_collections': 'strange', 'marvin_locked': ['strange'], 'marvin_word_count': {'field': 7}}, []),
        ):
            self.written.clear()
            write_known(self.db, records, {'collection_columns': []}, mapping)
            self.assertEqual([column for column, _ in self.written], columns, mapping)


class OnConnecting(WithTheDriver):
    """What calibre asks the plugin for when it merges the metadata of library and device."""

    def test_calibre_asks_for_each_book_and_the_library_is_written_once(self):
        self.open()
        written, mappings = [], []

        def note(db, records, settings, mapping):
            written.append([(overlay, entry['title']) for overlay, entry in records])
            mappings.append(mapping)
            return {7}
        self.control.set(values={'cc_mappings': {'Mine': {'marvin_locked': {'field': '#locked'}}, 'Other': {}}})
        self.driver.set_library_info('Mine', 'uuid', {})
        self.driver.bridge.settings = {}
        driver_module.write_known = note
        self.addCleanup(setattr, driver_module, 'write_known', write_known)
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        books = [book for books in lists for book in books]
        library = types.SimpleNamespace(library_path='/libraries/Mine')
        answers = [self.driver.synchronize_with_db(library, 7, book, book is books[0]) for book in books]
        self.assertEqual(answers, [({7}, (None, False))] + [(None, (None, False))] * (len(books) - 1))
        self.assertEqual([sorted(titles) for titles in written], [[('documents', 'Here'), ('documents', 'One'), ('kindle', 'There')]])
        self.assertEqual(mappings, [{'marvin_locked': {'field': '#locked'}}])
        # After a switch of libraries calibre asks before it names the new one; and the options may not be readable.
        library.library_path = '/libraries/Other'
        self.driver.synchronize_with_db(library, 7, books[0], True)
        library.library_path = '/libraries/Mine'
        self.control.set(faults={'prefs.get': {'code': 'prefs_damaged', 'message': 'The file is damaged.'}})
        self.driver.set_library_info('Mine', 'uuid', {})
        self.driver.synchronize_with_db(library, 7, books[0], True)
        self.assertEqual(mappings[1:], [{}, {}])
        self.assertIn('The file is damaged', self.driver.user_feedback_after_callback['msg'])


if __name__ == '__main__':
    run_tests(globals(), least=10)
