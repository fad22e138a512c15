# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the plugin that need calibre's modules, but no program. Run by tests/run: calibre-debug -e test_calibre.py."""

import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# calibre's own loader makes the package of the installed plugin.
import calibre.customize.ui  # noqa: E402,F401
from calibre.devices.errors import UserFeedback  # noqa: E402
from calibre.ebooks.metadata.book.base import Metadata  # noqa: E402
from calibre.utils.config import device_prefs  # noqa: E402
from calibre.utils.date import parse_only_date  # noqa: E402
from calibre_plugins.overlayhost import collections_of as collections_module  # noqa: E402
from calibre_plugins.overlayhost.annotations import converted_annotation, unique  # noqa: E402
from calibre_plugins.overlayhost.books import DeviceBook, DeviceBookList  # noqa: E402
from calibre_plugins.overlayhost.failures import Rows, feedback, no_space, shown  # noqa: E402
from calibre_plugins.overlayhost.metadata import (  # noqa: E402
    changes, collection_change, day, described, edits_refused, upload_entry, user_columns, words)
from calibre_plugins.overlayhost.wire import ChildGone, RemoteError  # noqa: E402
from support import record, run_tests  # noqa: E402

EVERYTHING = frozenset((
    'title', 'title_sort', 'authors', 'author_sort', 'series', 'series_index', 'publisher', 'pubdate', 'description', 'tags', 'rating'))
FULL = {
    'path': 'a.epub', 'uuid': '11111111-1111-4111-8111-111111111111', 'title': 'The Sea', 'title_sort': 'Sea, The',
    'authors': ['Ann Author'], 'author_sort': 'Author, Ann', 'series': 'Water', 'series_index': 2, 'publisher': 'Shore',
    'pubdate': '2001-02-03', 'date_added': '2020-01-02T03:04:05Z', 'description': '<p>Deep.</p>', 'tags': ['b', 'a'],
    'collections': ['Coast'], 'rating': 4.5, 'size': 12, 'format': 'application/epub+zip', 'cover': None, 'progress': 0.25}


class BooksOfTheDevice(unittest.TestCase):
    def test_a_record_becomes_what_the_view_wants(self):
        book = DeviceBook(FULL, 'a.epub')
        self.assertEqual((book.title, book.authors, book.series, book.series_index), ('The Sea', ['Ann Author'], 'Water', 2))
        self.assertEqual((book.rating, book.size, book.device_collections, book.tags), (9, 12, ['Coast'], ['b', 'a']))
        self.assertEqual(tuple(book.datetime)[:6], (2020, 1, 2, 3, 4, 5))
        self.assertIn('Read to 25%', book.comments)
        self.assertIn('Deep', book.comments)

    def test_a_record_of_a_path_alone_breaks_no_view(self):
        book = DeviceBook({'path': 'x.pdf', 'cover': None}, 'x.pdf')
        self.assertEqual((book.title, book.authors, book.size, book.device_collections, book.tags), ('Unknown', ['Unknown'], 0, [], []))
        self.assertIsInstance(book.datetime, time.struct_time)
        self.assertTrue(book.title_sorter)
        self.assertIsNone(book.application_id)

    def test_times_that_are_none_break_no_view(self):
        for text in ('yesterday', '', None, 5, '99999-01-01'):
            self.assertIsInstance(DeviceBook(dict(FULL, date_added=text), 'a').datetime, time.struct_time)

    def test_books_are_equal_by_place(self):
        self.assertEqual(DeviceBook(FULL, 'a'), DeviceBook({'path': 'b', 'cover': None}, 'a'))
        self.assertNotEqual(DeviceBook(FULL, 'a'), DeviceBook(FULL, 'b'))

    def test_a_list_takes_what_is_new_changed_and_gone(self):
        books = DeviceBookList()
        books += [DeviceBook(record(name, name), name) for name in 'abc']
        books.take({'b': DeviceBook(record('b', 'B'), 'b'), 'd': DeviceBook(record('d', 'D'), 'd')}, {'c'})
        self.assertEqual([book.title for book in books], ['a', 'B', 'D'])

    def test_adding_replaces_a_book_at_the_same_place(self):
        books = DeviceBookList()
        books.append(DeviceBook(record('a', 'old'), 'a'))
        books.add_book(DeviceBook(record('a', 'new'), 'a'), True)
        self.assertEqual([book.title for book in books], ['new'])


class Changes(unittest.TestCase):
    def test_an_untouched_book_has_none(self):
        for entry in (FULL, {'path': 'x', 'cover': None}, record('a', 'A')):
            self.assertEqual(changes(DeviceBook(entry, 'a'), EVERYTHING), {})

    def test_the_library_gives_the_same_back_without_a_change(self):
        book = DeviceBook(FULL, 'a')
        book.smart_update(self.library(), replace_metadata=True)
        self.assertEqual(changes(book, EVERYTHING), {})

    def library(self):
        mi = Metadata('The Sea', ['Ann Author'])
        mi.title_sort, mi.author_sort, mi.series, mi.series_index = 'Sea, The', 'Author, Ann', 'Water', 2.0
        mi.publisher, mi.pubdate, mi.tags, mi.rating = 'Shore', parse_only_date('2001-02-03', assume_utc=True), ['a', 'b'], 9
        mi.comments = '<div><p>Deep.</p></div>'
        return mi

    def test_a_day_stays_the_day_that_it_is(self):
        for text in ('2001-01-01', '2001-02-28', '2001-04-30', '2001-12-31', '0800-01-01', '2001', '2001-05', '2001-02-30', 'soon', '', None):
            book = DeviceBook(dict(FULL, pubdate=text), 'a')
            self.assertEqual(changes(book, EVERYTHING), {}, text)
        self.assertEqual(day(DeviceBook(dict(FULL, pubdate='2001-02-28'), 'a').pubdate), '2001-02-28')
        self.assertEqual(day(DeviceBook(dict(FULL, pubdate='2001-01-01T00:00:00Z'), 'a').pubdate), '2001-01-01')

    def test_a_plugboard_changes_what_the_library_wants(self):
        book = DeviceBook(dict(FULL, title='The Sea!'), 'a')
        book.title = 'The Sea'
        self.assertEqual(changes(book, frozenset(('title',)), [('{title}!', 'title')]), {})
        self.assertEqual(changes(book, frozenset(('title',))), {'title': 'The Sea'})

    def test_what_the_app_cannot_take_is_refused(self):
        book = DeviceBook(FULL, 'a')
        self.assertFalse(edits_refused(book, frozenset()))
        book.title = 'New'
        self.assertTrue(edits_refused(book, frozenset(('authors',))))
        self.assertFalse(edits_refused(book, frozenset(('title',))))
        book.title = ''
        self.assertTrue(edits_refused(book, EVERYTHING))
        self.assertEqual(changes(book, EVERYTHING), {})

    def test_every_member_that_differs_is_a_change(self):
        book, mi = DeviceBook(FULL, 'a'), self.library()
        mi.title, mi.series_index, mi.tags, mi.rating, mi.comments = 'The Lake', 3.0, ['c'], 4, 'Other.'
        mi.title_sort = 'Lake, The'
        book.smart_update(mi, replace_metadata=True)
        self.assertEqual(changes(book, EVERYTHING), {
            'title': 'The Lake', 'title_sort': 'Lake, The', 'series_index': 3.0, 'tags': ['c'], 'rating': 2, 'description': 'Other.'})

    def test_a_library_without_a_rating_leaves_the_one_of_the_app(self):
        book, mi = DeviceBook(FULL, 'a'), self.library()
        mi.rating = None
        book.smart_update(mi, replace_metadata=True)
        self.assertIsNone(book.rating)
        self.assertEqual(changes(book, EVERYTHING), {})

    def test_an_edited_title_gets_a_sort_text(self):
        book = DeviceBook(FULL, 'a')
        book.title = 'A Lake'
        self.assertEqual(changes(book, EVERYTHING), {'title': 'A Lake', 'title_sort': 'Lake, A'})

    def test_what_the_app_cannot_change_is_left_out(self):
        book = DeviceBook(FULL, 'a')
        book.title, book.authors = 'New', ['Other']
        self.assertEqual(changes(book, frozenset(('authors',))), {'authors': ['Other']})

    def test_collections_are_compared_without_order(self):
        book = DeviceBook(dict(FULL, collections=['a', 'b']), 'a')
        self.assertIsNone(collection_change(book, ['b', 'a']))
        self.assertEqual(collection_change(book, ['b', ' c ', '']), ['b', 'c'])

    def test_descriptions_are_compared_by_their_words(self):
        self.assertEqual(words('<p>a &amp;\n <b>b</b></p>'), words('a & b'))


class Uploads(unittest.TestCase):
    def test_the_metadata_of_the_library_is_said_in_the_words_of_the_host(self):
        mi = Changes().library()
        self.assertEqual(described(mi), {
            'title': 'The Sea', 'title_sort': 'Sea, The', 'authors': ['Ann Author'], 'author_sort': 'Author, Ann', 'series': 'Water',
            'series_index': 2.0, 'publisher': 'Shore', 'pubdate': '2001-02-03', 'tags': ['a', 'b'], 'rating': 4.5,
            'description': '<div><p>Deep.</p></div>'})

    def test_what_the_library_does_not_know_is_left_to_the_file(self):
        self.assertLessEqual(set(described(Metadata('Only a Title'))), {'title', 'title_sort'})

    def test_columns_keep_their_kind_and_value(self):
        mi = Metadata('T')
        for label, kind, value in (('#list', 'text', ['a', 'b']), ('#yes', 'bool', True), ('#none', 'int', None)):
            mi.set_user_metadata(label, {
                'name': label[1:].title(), 'datatype': kind, '#value#': value, 'is_multiple': {}, 'label': label[1:], 'table': '',
                'is_custom': True, 'kind': 'field', 'display': {}})
        self.assertEqual(user_columns(mi), {
            '#list': {'heading': 'List', 'type': 'text', 'value': ['a', 'b']}, '#yes': {'heading': 'Yes', 'type': 'bool', 'value': True}})

    def test_a_plugboard_changes_what_is_said(self):
        mi = Changes().library()
        entry = upload_entry('/tmp/x.epub', 'x.epub', mi, [('{title} by {author_sort}', 'title')])
        self.assertEqual(entry['metadata']['title'], 'The Sea by Author, Ann')
        self.assertEqual(mi.title, 'The Sea')

    def test_the_cover_that_calibre_has_is_sent(self):
        mi = Metadata('T')
        with tempfile.NamedTemporaryFile(suffix='.jpg') as cover:
            mi.cover = cover.name
            self.assertEqual(upload_entry('/tmp/x.epub', 'x.epub', mi)['cover'], cover.name)
        self.assertNotIn('cover', upload_entry('/tmp/x.epub', 'x.epub', mi))

    def test_only_a_real_uuid_is_sent(self):
        mi = Metadata('T')
        mi.uuid = 'dummy'
        self.assertNotIn('uuid', upload_entry('/tmp/x.epub', 'x.epub', mi))


class Collections(unittest.TestCase):
    def setUp(self):
        self.books = DeviceBookList(lambda books: None)
        for name in 'ab':
            self.books.append(DeviceBook(dict(FULL, path=name, title=name), name))
        self.manage('manual')
        self.addCleanup(device_prefs.set_overrides)

    def manage(self, how):
        """What calibre's preference for the metadata of devices is."""
        device_prefs.set_overrides(manage_device_metadata=how)

    def test_without_columns_the_view_decides(self):
        self.assertEqual(collections_module.collections_of(self.books, [], None), {})

    def test_a_sent_book_gets_those_of_its_columns(self):
        library = Changes().library()
        library.tags = ['c']
        self.books[0]._new_book, self.books[0].library_metadata = True, library
        found = collections_module.collections_of(self.books, ['series', 'tags'], None)
        self.assertEqual(set(found), {'a'})
        self.assertEqual(set(found['a']), {'Coast', 'Water', 'c'})

    def test_a_sent_book_loses_others_unless_the_person_manages_them(self):
        self.books[0]._new_book, self.books[0].library_metadata = True, Changes().library()
        for how in ('on_send', 'on_connect'):
            self.manage(how)
            self.assertEqual(collections_module.collections_of(self.books, ['series'], None), {'a': ['Water']}, how)

    def test_columns_decide_for_books_of_the_library_if_calibre_manages_them(self):
        self.books[1].in_library = 'UUID'
        for how, expected in (('manual', ['Coast']), ('on_send', ['Coast']), ('on_connect', ['Water', 'b', 'a'])):
            self.manage(how)
            found = collections_module.collections_of(self.books, ['series', 'tags'], None)
            self.assertEqual({path: sorted(names) for path, names in found.items()}, {'b': sorted(expected)}, how)

    def test_the_states_that_marvin_shows_as_collections_stay(self):
        self.manage('on_connect')
        self.books[1].in_library, self.books[1].device_collections = 'UUID', ['NEW', 'Coast']
        self.assertEqual(collections_module.collections_of(self.books, ['series'], 'marvin'), {'b': ['Water', 'NEW']})

    def test_books_outside_the_library_are_left_alone(self):
        for how in ('manual', 'on_send', 'on_connect'):
            self.manage(how)
            self.assertEqual(collections_module.collections_of(self.books, ['series'], None), {})


class Errors(unittest.TestCase):
    def remote(self, code, **more):
        return RemoteError(-32000, 'm', {'code': code, 'message': 'It is <b>so</b>.', 'hint': 'Do this.', **more})

    def test_errors_of_the_host_are_messages_with_their_hint(self):
        error = feedback(self.remote('device_gone', subject='Phone'))
        self.assertIsInstance(error, UserFeedback)
        self.assertEqual(error.level, UserFeedback.ERROR)
        self.assertEqual(error.msg, '<p>Phone: It is &lt;b&gt;so&lt;/b&gt;. Do this.</p>')

    def test_what_only_has_to_be_tried_again_is_a_warning(self):
        self.assertEqual(feedback(self.remote('busy')).level, UserFeedback.WARN)

    def test_mistakes_of_programs_stay_what_they_are(self):
        error = RemoteError(-32602, 'm')
        self.assertIs(feedback(error), error)

    def test_the_end_of_the_program_shows_its_last_words(self):
        self.assertEqual(feedback(ChildGone('Gone.'), ['one', 'two']).details, 'one\ntwo')

    def test_places_without_space_are_named_as_calibre_looks_for_them(self):
        self.assertIn('memory', str(no_space(False, '')))
        self.assertIn('card', str(no_space(True, '')))
        self.assertNotIn('memory', str(no_space(True, '')))

    def test_text_without_tags_stays_as_it_is(self):
        self.assertEqual(shown('a & b'), 'a & b')

    def test_rows_say_how_many_failed_and_why(self):
        rows = Rows([
            {'status': 'added'}, {'status': 'failed', 'message': 'No.', 'code': 'rejected', 'hint': 'Try.'},
            {'status': 'failed', 'message': 'It has highlights.', 'code': 'needs_consent', 'hint': 'Use --yes.', 'hint_code': 'consent'}],
            ['A', 'B', 'C'])
        notice = rows.notice('Send', 'sent')
        self.assertTrue(notice['msg'].startswith('2 of 3 books were not sent. Try.'), notice['msg'])
        self.assertNotIn('--yes', notice['msg'])
        self.assertEqual(notice['det_msg'], 'B: No.\nC: It has highlights.')
        self.assertEqual(set(notice), {'title', 'msg', 'det_msg'})


class Annotations(unittest.TestCase):
    def test_a_highlight_keeps_text_note_colour_and_time(self):
        annotation, moment = converted_annotation({
            'kind': 'highlight', 'text': 'words', 'note': 'mine', 'color': 'Green', 'location': 'Chapter 2',
            'modified': '2020-01-02T03:04:05Z'})
        self.assertEqual((annotation['highlighted_text'], annotation['notes'], annotation['style']['which']), ('words', 'mine', 'green'))
        self.assertEqual((annotation['type'], annotation['toc_family_titles']), ('highlight', ['Chapter 2']))
        self.assertEqual(moment, 1577934245)

    def test_a_place_in_an_epub_can_be_opened(self):
        annotation, _ = converted_annotation({'kind': 'highlight', 'text': 'x', 'location': 'epubcfi(/6/8[c2]!/4/2,/1:0,/1:5)'})
        self.assertEqual((annotation['spine_index'], annotation['start_cfi']), (3, '/4/2'))

    def test_the_same_highlight_has_the_same_identity(self):
        one, two = (converted_annotation({'kind': 'highlight', 'text': 'x', 'note': note})[0] for note in ('a', 'b'))
        self.assertEqual(one['uuid'], two['uuid'])

    def test_highlights_and_notes_of_one_page_are_all_kept(self):
        kinds = ('highlight', 'note', 'highlight', 'note')
        marks = [converted_annotation({'kind': kind, 'location': 'page 3', 'note': kind == 'note' and 'Mine'}) for kind in kinds]
        identities = [annotation['uuid'] for annotation, _ in unique(marks)]
        self.assertEqual(len(set(identities)), 4)
        again = [converted_annotation({'kind': 'note', 'location': 'page 3', 'note': 'Other'}) for _ in kinds]
        self.assertEqual([annotation['uuid'] for annotation, _ in unique(again)], identities)

    def test_bookmarks_of_one_title_are_all_kept(self):
        marks = [converted_annotation({'kind': 'bookmark', 'location': 'p. 3', 'chapter': 'One'}) for _ in range(3)]
        self.assertEqual([annotation['title'] for annotation, _ in unique(marks)], ['One', 'One (2)', 'One (3)'])

    def test_strange_annotations_break_nothing(self):
        for strange in ({}, {'kind': None, 'text': None, 'modified': 'never', 'color': 5}, {'kind': 'bookmark'}):
            converted_annotation(strange)


if __name__ == '__main__':
    run_tests(globals())
