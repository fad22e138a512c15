# SPDX-License-Identifier: GPL-3.0-or-later
"""The class that calibre loads, without a window. Run by tests/run: calibre-debug -e test_driver.py."""

import io
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# calibre's own loader makes the package of the installed plugin.
import calibre.customize.ui  # noqa: E402,F401
from calibre.devices.errors import FreeSpaceError, OpenActionNeeded, UserFeedback, WrongDestinationError  # noqa: E402
from calibre.ebooks.metadata.book.base import Metadata  # noqa: E402
from calibre.utils.config import prefs  # noqa: E402
from calibre_plugins.overlayhost.presence import Problem  # noqa: E402
from driving import WithTheDriver  # noqa: E402
from support import BOOKS, KINDLE, PAPERBACK, phone, record, run_tests, wait_for  # noqa: E402


class TheDriver(WithTheDriver):
    def test_nothing_runs_before_calibre_asks(self):
        self.driver.initialize()
        self.assertIsNone(self.driver._bridge)
        self.assertIsNone(self.driver.user_feedback_after_callback)

    def test_apps_are_main_memory_and_cards(self):
        self.open()
        self.assertEqual([sorted(book.title for book in self.driver.books(card)) for card in (None, 'carda', 'cardb')], [
            ['There'], [], ['Here', 'One']])
        self.assertEqual(self.driver.card_prefix(), ('carda:', 'cardb:'))
        self.assertEqual(self.driver.get_device_information()[0], 'Phone: Kindle, Books (card A), Paperback (card B)')

    def test_each_place_has_a_drive_of_its_own(self):
        self.open()
        name, model, version, kind, drives = self.driver.get_device_information()
        self.assertEqual((model, version, kind), ('iPhone', '18.6', 'application/octet-stream'))
        self.assertEqual(drives, {
            code: {'device_name': shown, 'device_store_uuid': f'A-{app["bundle_id"]}', 'location_code': code, 'prefix': app['name']}
            for code, app, shown in (('main', KINDLE, 'Phone'), ('carda', BOOKS, 'Books'), ('cardb', PAPERBACK, 'Paperback'))})

    def test_a_sync_on_connecting_that_changes_nothing_sends_nothing(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        prefs['manage_device_metadata'] = 'on_connect'
        self.addCleanup(prefs.__setitem__, 'manage_device_metadata', 'manual')
        library = Metadata('There', ['An Author'])
        # The app keeps what it is sent in another form.
        self.control.set(keeps={'title': 'Elsewhere (kept)'})
        for title, expected in (('There', 0), ('Elsewhere', 1), ('Elsewhere', 1)):
            library.title = title
            lists[0][0].in_library = 'UUID'
            lists[0][0].smart_update(library, replace_metadata=True)
            self.driver.sync_booklists(lists)
            self.assertEqual(len(self.control.requests('update')), expected)

    def merged(self, title):
        """The lists after calibre has given the library's metadata to the book of the main memory, with manual management."""
        library = Metadata(title, ['An Author'])
        self.lists[0][0].in_library = 'UUID'
        self.lists[0][0].smart_update(library, replace_metadata=True)
        return self.lists

    def updates(self):
        return [line['params']['books'][0]['changes'] for line in self.control.requests('update')]

    def test_updating_the_metadata_by_hand_keeps_what_plugboards_made(self):
        from calibre.library.save_to_disk import find_plugboard
        self.control.set(books={KINDLE['bundle_id']: [record('same.pdf', 'Sea (board)')]})
        self.open()
        self.lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        book = self.lists[0][0]
        self.driver.set_plugboards({'pdf': {'OVERLAYHOST': [('{title} (board)', 'title')]}}, find_plugboard)
        self.driver.sync_booklists(self.merged('Sea'))
        self.assertEqual((self.updates(), book.title), ([], 'Sea (board)'))
        self.driver.sync_booklists(self.lists)
        self.assertEqual(self.updates(), [])
        self.driver.sync_booklists(self.merged('Lake'))
        self.assertEqual(([change['title'] for change in self.updates()], book.title), (['Lake (board)'], 'Lake (board)'))
        book.title = 'Mine'
        self.driver.sync_booklists(self.lists)
        self.assertEqual(([change['title'] for change in self.updates()][1:], book.title), (['Mine'], 'Mine'))

    def test_a_title_of_the_library_that_the_app_cannot_store_is_no_edit(self):
        self.open()
        self.lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        book = self.lists[0][0]
        self.driver.bridge.device.places[0].settable = frozenset()
        for lists in (self.merged('Elsewhere'), self.lists):
            self.driver.sync_booklists(lists)
            self.assertEqual((self.updates(), book.title), ([], 'There'))
            self.assertIsNone(self.driver.user_feedback_after_callback)
        book.title = 'Edited'
        self.driver.sync_booklists(self.lists)
        self.assertIn('cannot take', self.driver.user_feedback_after_callback['msg'])

    def test_library_metadata_that_failed_is_given_again(self):
        self.open()
        self.lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        self.control.set(faults={'update': {'rows': {'same.pdf': {'code': 'device_io', 'message': 'Writing failed.'}}}})
        lists = self.merged('Elsewhere')
        lists[0][0].last_modified = 'any time'
        self.driver.sync_booklists(lists)
        # calibre compares the time with that of the library.
        self.assertEqual((lists[0][0].title, lists[0][0].last_modified), ('There', None))

    def test_the_main_memory_has_the_most_space(self):
        self.open()
        main, first, second = self.driver.free_space()
        self.assertTrue(main > first > second > 0)
        self.control.set(free=10 ** 6)
        self.send()
        self.assertEqual(self.driver.free_space(), [10 ** 6, 10 ** 6 - 1, 10 ** 6 - 2])

    def test_an_app_that_could_not_be_asked_is_named_after_the_next_job(self):
        lack = {'ability': 'books', 'reason': 'Any words.', 'hint': None}
        problem = {'code': 'timed_out', 'message': 'It did not start.', 'subject': None, 'hint': None}
        self.control.set(faults={'apps': {'result': {'apps': [dict(KINDLE, missing=[lack], problem=problem), PAPERBACK]}}})
        self.open()
        self.assertEqual(self.driver.get_device_information()[0], 'Phone: Paperback')
        self.assertIn('Kindle could not be asked. It did not start.', self.driver.user_feedback_after_callback['msg'])

    def test_an_eject_lets_go_of_no_device_that_was_opened_meanwhile(self):
        self.open()
        bridge = self.driver.bridge
        first, ejected = bridge.device, bridge.presence.ejected

        def opened_meanwhile():
            ejected()
            bridge.left()
            bridge.device = object()
        bridge.presence.ejected = opened_meanwhile
        self.driver.eject()
        wait_for(lambda: self.control.requests('eject'), 'the device is ejected')
        self.assertEqual(self.control.requests('eject')[0]['params']['session'], first.places[0].session)

    def test_equal_paths_of_two_apps_are_two_books(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        there = lists[2][[book.title for book in lists[2]].index('Here')]
        self.driver.delete_books([there.path])
        self.driver.remove_books_from_metadata([there.path], lists)
        self.assertEqual([[book.title for book in books] for books in lists], [['There'], [], ['One']])
        self.assertEqual([line['params']['books'] for line in self.control.requests('delete')], [['same.pdf']])
        self.assertIn(PAPERBACK['bundle_id'], self.control.requests('delete')[0]['params']['session'])

    def test_a_path_that_looks_like_a_card_is_a_path(self):
        self.control.set(books={KINDLE['bundle_id']: [record('carda:same.pdf', 'Mine')], BOOKS['bundle_id']: [record('same.pdf', 'Other')]})
        self.open()
        path = self.driver.books()[0].path
        self.driver.delete_books([path])
        asked = self.control.requests('delete')[0]['params']
        self.assertEqual(asked['books'], ['carda:same.pdf'])
        self.assertIn(KINDLE['bundle_id'], asked['session'])

    def test_an_edit_that_a_card_cannot_take_shows_again_as_it_was(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        book = lists[2][0]
        title, book.title = book.title, 'Edited'
        self.driver.bridge.device.places[2].settable = frozenset()
        self.driver.sync_booklists(lists)
        self.assertEqual(book.title, title)
        self.assertIn('cannot take', self.driver.user_feedback_after_callback['msg'])

    def test_a_device_that_cannot_be_asked_ends_a_copy_of_many_books_at_once(self):
        self.open()
        for count, code in enumerate(('device_gone', 'device_locked', 'timed_out'), 1):
            self.control.set(faults={'get': {'code': code, 'message': 'Not now.'}})
            results = self.driver.prepare_addable_books(['cardb:x.epub', 'cardb:same.pdf', 'cardb:x.epub'])
            self.assertEqual(len(results), 3)
            self.assertEqual(len(self.control.requests('get')), count, code)

    def test_a_card_that_cannot_be_asked_ends_only_the_copies_of_its_own_books(self):
        self.open()
        for code in ('app_unavailable', 'session_unknown'):
            with self.subTest(code=code):
                before = len(self.control.requests('get'))
                self.control.set(faults={f'get A/{PAPERBACK["bundle_id"]}': {'code': code, 'message': 'Not now.'}})
                results = self.driver.prepare_addable_books(['cardb:x.epub', 'same.pdf', 'cardb:same.pdf'])
                self.assertEqual([isinstance(result, str) for result in results], [False, True, False])
                self.assertEqual([str(result[1]) for result in results[::2]], ['Not now.'] * 2)
                self.assertEqual(len(self.control.requests('get')) - before, 2)

    def test_a_card_that_cannot_be_opened_is_named_after_the_next_job(self):
        self.control.set(faults={'open': [None, {'code': 'app_unavailable', 'message': 'It does not <listen>.'}]})
        self.open()
        self.assertEqual(self.driver.get_device_information()[0], 'Phone: Kindle, Paperback (card B)')
        self.assertIn('Books could not be opened. It does not &lt;listen&gt;.', self.driver.user_feedback_after_callback['msg'])

    def test_a_card_that_cannot_be_listed_leaves_the_other_lists_alone(self):
        self.open()
        self.control.set(faults={f'books A/{PAPERBACK["bundle_id"]}': {'code': 'device_gone', 'message': 'It was unplugged.'}})
        with self.assertRaisesRegex(UserFeedback, 'was unplugged'):
            self.driver.books('cardb')
        for code in ('damaged', 'app_unavailable', 'session_unknown'):
            with self.subTest(code=code):
                self.control.set(faults={f'books A/{PAPERBACK["bundle_id"]}': {'code': code, 'message': 'It does not answer.'}})
                titles = [[book.title for book in self.driver.books(card)] for card in (None, 'carda', 'cardb')]
                self.assertEqual(titles, [['There'], [], []])
                notice = self.driver.user_feedback_after_callback['msg']
                self.assertEqual(notice, 'The books of Paperback could not be listed. It does not answer.')
                self.driver.user_feedback_after_callback = None
        self.control.set(faults={f'books A/{KINDLE["bundle_id"]}': {'code': 'damaged', 'message': 'Its database is damaged.'}})
        with self.assertRaisesRegex(UserFeedback, 'database is damaged'):
            self.driver.books()

    def test_what_one_app_has_deleted_is_gone_although_another_app_fails(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        self.control.set(faults={f'delete A/{PAPERBACK["bundle_id"]}': {'code': 'device_io', 'message': 'Reading failed.'}})
        paths = ['same.pdf', 'cardb:x.epub']
        self.driver.delete_books(paths)
        self.driver.remove_books_from_metadata(paths, lists)
        self.assertEqual([sorted(book.title for book in books) for books in lists], [[], [], ['Here', 'One']])
        self.assertIn('“One” was not deleted. Reading failed.', self.driver.user_feedback_after_callback['msg'])
        with self.assertRaisesRegex(UserFeedback, 'Reading failed'):
            self.driver.delete_books(paths[1:])

    def test_each_app_is_asked_to_delete_whichever_fails(self):
        self.control.set(books={
            app['bundle_id']: [record(f'{number}.pdf', f'{app["name"]} {number}') for number in range(4)] for app in (KINDLE, PAPERBACK)})
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        cases = [(failing, is_reversed) for failing in (KINDLE, PAPERBACK) for is_reversed in (False, True)]
        for number, (failing, is_reversed) in enumerate(cases):
            with self.subTest(failing=failing['name'], is_reversed=is_reversed):
                self.control.set(faults={f'delete A/{failing["bundle_id"]}': {'code': 'app_unavailable', 'message': 'Not now.'}})
                paths = [f'{number}.pdf', f'cardb:{number}.pdf']
                paths = paths[::-1] if is_reversed else paths
                self.driver.delete_books(paths)
                self.driver.remove_books_from_metadata(paths, lists)
                left = [book.title for books in lists for book in books if book.title.endswith(str(number))]
                self.assertEqual(left, [f'{failing["name"]} {number}'])
                notice = self.driver.user_feedback_after_callback['msg']
                self.assertIn(f'“{failing["name"]} {number}” was not deleted. Not now.', notice)
                self.driver.user_feedback_after_callback = None

    def test_if_nothing_is_deleted_the_reasons_of_all_apps_are_told(self):
        self.open()
        for card in (None, 'carda', 'cardb'):
            self.driver.books(card)
        self.control.set(faults={
            f'delete A/{KINDLE["bundle_id"]}': {'rows': {'same.pdf': {'code': 'device_io', 'message': 'Writing failed.'}}},
            f'delete A/{PAPERBACK["bundle_id"]}': {'code': 'app_unavailable', 'message': 'Not now.'}})
        for paths in (['same.pdf', 'cardb:x.epub'], ['cardb:x.epub', 'same.pdf']):
            with self.subTest(paths=paths), self.assertRaisesRegex(UserFeedback, '2 books were not deleted') as caught:
                self.driver.delete_books(paths)
            self.assertEqual(
                sorted(caught.exception.details.splitlines()), ['One: Not now.', 'There: Writing failed.'])

    def test_a_device_that_is_gone_is_asked_to_delete_once(self):
        self.open()
        self.control.set(faults={'delete': {'code': 'timed_out', 'message': 'No answer.'}})
        for count, paths in enumerate((['same.pdf', 'cardb:x.epub'], ['cardb:x.epub', 'same.pdf']), 1):
            with self.assertRaisesRegex(UserFeedback, '^No answer[.]$'):
                self.driver.delete_books(paths)
            self.assertEqual(len(self.control.requests('delete')), count)

    def test_a_device_that_is_gone_is_asked_to_change_metadata_once(self):
        self.open()
        for code, count in (('timed_out', 1), ('app_unavailable', 2)):
            with self.subTest(code=code):
                self.control.set(faults={'update': {'code': code, 'message': 'No answer.'}})
                lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
                for book in lists[0] + lists[2]:
                    book.title = f'New {book.title}'
                before = len(self.control.requests('update'))
                self.driver.sync_booklists(lists)
                self.assertEqual(len(self.control.requests('update')) - before, count)
                titles = sorted(book.title for book in lists[0] + lists[2])
                self.assertEqual(titles, ['Here', 'One', 'There'])
                self.assertIn('No answer.', self.driver.user_feedback_after_callback['msg'])
                self.driver.user_feedback_after_callback = None

    def test_annotations_of_all_apps_that_have_a_book_are_fetched(self):
        self.control.set(
            books={
                KINDLE['bundle_id']: [record('sea.pdf', 'Sea', uuid='u1'), record('hill.pdf', 'Hill')],
                PAPERBACK['bundle_id']: [record('sea.epub', 'Sea', uuid='u1'), record('lake.epub', 'Lake', uuid='u2'), record('hill.epub', 'Hill')],
            },
            annotations=[
                {'path': path, 'annotations': [{'kind': 'highlight', 'text': path}]}
                for path in ('sea.pdf', 'sea.epub', 'lake.epub', 'hill.pdf', 'hill.epub')])
        self.open()
        for card in (None, 'carda', 'cardb'):
            self.driver.books(card)
        found = self.driver.get_annotations({7: {'path': 'sea.pdf'}, 8: {'path': 'hill.pdf'}, 9: {'path': None}})
        parts = {book_id: [(app, entries[0]['text']) for app, _, entries in value.parts] for book_id, (_, value) in found.items()}
        self.assertEqual(parts, {7: [('Kindle', 'sea.pdf'), ('Paperback', 'sea.epub')], 8: [('Kindle', 'hill.pdf')]})
        self.assertEqual(
            [sorted(line['params']['books']) for line in self.control.requests('annotations')], [['hill.pdf', 'sea.pdf'], ['sea.epub']])

    def test_annotations_of_one_app_are_fetched_although_another_app_fails(self):
        self.open()
        self.control.set(annotations=[{'path': 'same.pdf', 'annotations': [{'kind': 'highlight', 'text': 'x'}]}])
        bridge, paths = self.driver.bridge, {1: {'path': 'cardb:x.epub'}, 2: {'path': 'same.pdf'}}
        for code, found, asked in (('app_unavailable', [2], 2), ('device_gone', [], 1)):
            with self.subTest(code=code):
                self.control.set(faults={f'annotations A/{PAPERBACK["bundle_id"]}': {'code': code, 'message': 'Not now.'}})
                before = len(self.control.requests('annotations'))
                self.assertEqual(list(bridge.annotations(paths)), found)
                self.assertEqual(len(self.control.requests('annotations')) - before, asked)
                self.assertIn('Not now.', self.driver.user_feedback_after_callback['msg'])
                self.driver.user_feedback_after_callback = None

    def test_a_device_that_is_gone_is_not_asked_for_another_card(self):
        self.control.set(faults={'open': [None, {'code': 'timed_out', 'message': 'No answer.'}]})
        self.open()
        self.assertEqual(self.driver.get_device_information()[0], 'Phone: Kindle')
        self.assertEqual(len(self.control.requests('open')), 2)
        for app in (BOOKS, PAPERBACK):
            self.assertIn(f'{app["name"]} could not be opened. No answer.', self.driver.user_feedback_after_callback['msg'])

    def test_a_device_too_busy_to_name_its_apps_leaves_the_options(self):
        from calibre_plugins.overlayhost import dialog
        self.control.set(
            faults={'apps': 'slow'}, overlays=[{'id': 'kindle', 'app': 'Kindle', 'name': 'Kindle', 'state': 'ready', 'help': 'Helps.'}],
            prefs=[{'key': 'some_text'}])
        self.addCleanup(setattr, dialog, 'APPS_PATIENCE', dialog.APPS_PATIENCE)
        dialog.APPS_PATIENCE = 0.1
        self.driver.startup()
        loaded = dialog.load(self.driver.bridge.host, 'A')
        self.assertIsNone(loaded.problem)
        self.assertEqual((loaded.preferences, loaded.helps, loaded.apps), ([{'key': 'some_text'}], {'kindle': 'Helps.'}, []))
        self.assertEqual(loaded.apps_problem, 'The device did not answer in time.')

    def test_a_notice_that_comes_while_another_is_shown_waits_for_the_next_job(self):
        bridge = self.driver.bridge
        bridge.add_notice({'title': 'One', 'msg': 'First.', 'det_msg': ''})
        bridge.add_notice({'title': 'Two', 'msg': 'Second.', 'det_msg': 'More.'})
        self.assertEqual(self.driver.user_feedback_after_callback, {
            'title': 'One, Two', 'msg': 'First.\n\nSecond.', 'det_msg': 'More.'})
        bridge.add_notice({'title': 'Two', 'msg': 'Third.', 'det_msg': ''})
        self.driver.user_feedback_after_callback = None
        self.assertEqual(self.driver.user_feedback_after_callback['msg'], 'Third.')
        self.driver.user_feedback_after_callback = None
        self.assertIsNone(self.driver.user_feedback_after_callback)

    def test_a_full_disk_of_this_computer_is_no_mistake_of_the_plugin(self):
        self.open()

        class Full(io.BytesIO):
            def write(self, data):
                raise OSError(28, 'No space left on device')
        with self.assertRaisesRegex(UserFeedback, 'could not be finished: No space left on device[.]$'):
            self.driver.get_file('cardb:x.epub', Full())

    def test_a_program_that_was_replaced_by_an_old_one_is_said_when_sending(self):
        self.open()
        old = os.path.join(self.control.folder, 'overlayhost')
        with open(old, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\nexit 64\n')
        os.chmod(old, 0o755)
        os.environ['OVERLAYHOST'] = old
        self.driver.bridge.host.restart()
        with self.assertRaisesRegex(UserFeedback, f'^The program {old} does not fit this plugin'):
            self.send()

    def test_two_things_to_say_after_a_job_are_both_said(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        self.control.set(faults={'update': {'rows': {'same.pdf': {'code': 'device_io', 'message': 'Writing failed.'}}}})
        lists[0][0].title = lists[2][0].title = 'Edited'
        self.driver.bridge.device.places[2].settable = frozenset()
        self.driver.sync_booklists(lists)
        notice = self.driver.user_feedback_after_callback
        self.assertEqual(set(notice), {'title', 'msg', 'det_msg'})
        self.assertIn('Writing failed', notice['msg'])
        self.assertIn('Paperback cannot take', notice['msg'])

    def test_a_file_is_written_to_any_kind_of_stream(self):
        self.open()
        self.driver.books('cardb')
        binary, text = io.BytesIO(), io.TextIOWrapper(io.BytesIO(), encoding='utf-8')
        self.driver.get_file('cardb:x.epub', binary)
        self.driver.get_file('cardb:x.epub', text)
        self.assertEqual((binary.getvalue(), text.buffer.getvalue()), (b'content of One', b'content of One'))

    def test_files_to_add_keep_their_extension_and_failures_their_place(self):
        self.open()
        self.control.set(faults={'get': {'rows': {'same.pdf': {'code': 'device_io', 'message': 'Broken.'}}}})
        good, bad = self.driver.prepare_addable_books(['cardb:x.epub', 'cardb:same.pdf'])
        self.assertTrue(good.endswith('.epub') and os.path.getsize(good) > 0)
        self.assertEqual(bad[0], 'cardb:same.pdf')
        self.assertIsInstance(bad[1], UserFeedback)

    def test_a_job_without_a_device_says_why(self):
        self.control.set(devices={'A': phone('Phone', state='unreachable', code='device_locked', message='It is locked.')})
        self.driver.startup()
        problem = self.driver.detect_managed_devices(set())
        self.assertIsInstance(problem, Problem)
        with self.assertRaises(OpenActionNeeded):
            self.driver.open(problem, None)
        with self.assertRaisesRegex(UserFeedback, 'It is locked'):
            self.driver.books()

    def test_methods_of_the_window_ask_nothing(self):
        self.open()
        before = len(self.control.requests())
        for _ in range(3):
            self.driver.settings().format_map
            self.driver.card_prefix()
            self.driver.get_gui_name()
        self.assertEqual(len(self.control.requests()), before)

    def edited(self, count, text):
        """A Paperback with so many books, whose titles in the view are changed to this text and a number."""
        self.control.set(line=1 << 20, devices={'A': phone('Phone', apps=(PAPERBACK,))}, books={
            PAPERBACK['bundle_id']: [record(f'{number}.epub', f'Book {number}') for number in range(count)]})
        self.open()
        books = self.driver.books()
        for number, book in enumerate(books):
            book.title = f'{text} {number}'
        return books

    def test_metadata_of_many_books_travels_in_requests_that_the_program_takes(self):
        books = self.edited(60, 'x' * 30000)
        shares = []
        self.driver.set_progress_reporter(lambda share, text='': shares.append(share))
        self.driver.sync_booklists((books, [], []))
        requests = self.control.requests('update')
        self.assertEqual([len(line['params']['books']) for line in requests], [34, 26])
        # Of all the books, regardless of the request.
        self.assertEqual([round(share * 60) for share in shares], list(range(1, 61)))
        self.assertIsNone(self.driver.user_feedback_after_callback)
        self.assertTrue(all(book.title.startswith('xxx') and book.record['title'] == book.title for book in books))
        self.driver.sync_booklists((books, [], []))
        self.assertEqual(len(self.control.requests('update')), len(requests))

    def test_a_book_whose_metadata_is_too_long_is_named_and_the_others_are_changed(self):
        books = self.edited(3, 'New')
        books[1].title = 'y' * (1 << 20)
        self.driver.sync_booklists((books, [], []))
        self.assertEqual([book.title for book in books], ['New 0', 'Book 1', 'New 2'])
        notice = self.driver.user_feedback_after_callback
        self.assertIn('1 of 3 books were not changed', notice['msg'])
        self.assertIn('1 MiB', notice['det_msg'])

    def test_what_a_failing_request_leaves_out_is_said(self):
        books = self.edited(60, 'x' * 30000)
        self.control.set(faults={'update': [None, {'code': 'device_gone', 'message': 'Gone.'}]})
        self.driver.sync_booklists((books, [], []))
        self.assertEqual(len(self.control.requests('update')), 2)
        self.assertIn('26 of 60 books were not changed', self.driver.user_feedback_after_callback['msg'])
        self.assertEqual(sum(book.title.startswith('xxx') for book in books), 34)

    def test_a_send_that_is_too_long_fails_at_once_with_a_message(self):
        self.edited(0, '')
        file = os.path.join(self.control.folder, 'long.epub')
        with open(file, 'w', encoding='utf-8') as stream:
            stream.write('a book')
        long = Metadata('Long', ['Me'])
        long.comments = 'z' * (1 << 20)
        with self.assertRaisesRegex(UserFeedback, '“Long” was not sent.*longer than 1 MiB'):
            self.driver.upload_books([file], ['long.epub'], metadata=[long])
        sent = self.driver.upload_books([file, file], ['long.epub', 'short.epub'], metadata=[long, Metadata('Short', ['Me'])])
        self.assertEqual([path and os.path.basename(path) for path in sent.paths], [None, 'short.epub'])

    def test_a_mistake_of_the_plugin_is_reported_and_the_device_goes_on(self):
        self.open()
        self.driver.bridge.device.list = lambda *arguments: {}['gone']
        with self.assertRaisesRegex(UserFeedback, "mistake in OverlayHost: 'gone'") as caught:
            self.driver.books()
        self.assertIn('Traceback', caught.exception.details)
        del self.driver.bridge.device.list
        self.assertEqual(len(self.driver.books()), 1)

    def test_many_books_cost_one_request(self):
        self.control.set(books={KINDLE['bundle_id']: [record(f'{number}.pdf', f'Book {number}') for number in range(2000)]})
        self.open()
        before = len(self.control.requests())
        self.assertEqual(len(self.driver.books()), 2000)
        self.assertEqual(len(self.control.requests()), before + 1)


if __name__ == '__main__':
    run_tests(globals())
