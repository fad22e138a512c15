# SPDX-License-Identifier: GPL-3.0-or-later
"""Sending books by the class that calibre loads, without a window. Run by tests/run: calibre-debug -e test_sending.py."""

import io
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# calibre's own loader makes the package of the installed plugin.
import calibre.customize.ui  # noqa: E402,F401
from calibre.devices.errors import FreeSpaceError, UserFeedback, WrongDestinationError  # noqa: E402
from calibre.ebooks.metadata.book.base import Metadata  # noqa: E402
from driving import WithTheDriver  # noqa: E402
from support import BOOKS, KINDLE, PAPERBACK, phone, record, run_tests  # noqa: E402


class Sending(WithTheDriver):
    def test_what_the_person_chose_for_books_that_are_there_is_sent(self):
        self.open()
        for settings, expected in (
            ({'on_conflict': 'replace', 'may_lose_marks': False}, {'on_conflict': 'replace', 'may_lose_marks': False}),
            ({'on_conflict': '', 'may_lose_marks': True}, {'may_lose_marks': True}),
        ):
            self.driver.bridge.settings = settings
            self.send()
            sent = self.control.requests('upload')[-1]['params']
            self.assertEqual({key: value for key, value in sent.items() if key not in ('session', 'books')}, expected)

    def test_a_plugboard_for_the_device_counts_before_that_of_a_format(self):
        from calibre.library.save_to_disk import find_plugboard
        self.open()
        boards = {'epub': {'OVERLAYHOST': [('{title} (EPUB)', 'title')]}}
        for expected in ('Sent (EPUB)', 'Sent (device)'):
            self.driver.set_plugboards(boards, find_plugboard)
            self.send()
            self.assertEqual(self.control.requests('upload')[-1]['params']['books'][0]['metadata']['title'], expected)
            boards = dict(boards, device_db={'OVERLAYHOST': [('{title} (device)', 'title')]})

    def test_an_upload_is_complete_in_itself(self):
        self.open()
        sent = self.send()
        self.assertIn('/Documents/sent.epub', repr(sent))
        self.assertIn('Sent', [book.title for book in self.driver.books()])

    def test_a_sent_book_is_shown_once_without_asking_the_device(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        for _ in range(2):
            sent = self.send()
            before = len(self.control.requests())
            self.driver.add_books_to_metadata(sent, [Metadata('Sent')], lists)
            self.assertEqual(len(self.control.requests()), before)
        self.assertEqual(sorted(book.title for book in lists[0]), ['Sent', 'There'])

    def test_a_book_that_was_left_alone_is_not_one_that_was_sent(self):
        self.open()
        lists = [self.driver.books(card) for card in (None, 'carda', 'cardb')]
        self.control.set(faults={'upload': {'rows': {'sent.epub': {'status': 'skipped', 'path': 'same.pdf'}}}})
        self.driver.add_books_to_metadata(self.send(), [Metadata('Sent')], lists)
        self.assertIn('same.pdf', [book.path for book in lists[0]])
        self.assertFalse(any(book._new_book for book in lists[0]))

    def test_no_space_and_a_missing_card_are_calibres_own_errors(self):
        self.open()
        self.control.set(faults={'upload': {'rows': {'sent.epub': {'code': 'no_space', 'message': 'Full.'}}}})
        with self.assertRaisesRegex(FreeSpaceError, 'memory'):
            self.send()
        with self.assertRaisesRegex(FreeSpaceError, 'card'):
            self.send(on_card='carda')
        self.control.set(devices={'A': phone('Phone', apps=(PAPERBACK,))})
        self.driver.bridge.host.restart()
        self.driver.post_yank_cleanup()
        self.open()
        with self.assertRaises(WrongDestinationError):
            self.send(on_card='carda')

    def send_several(self):
        names = ['one.epub', 'two.epub', 'three.epub']
        files = [io.BytesIO(name.encode()) for name in names]
        return self.driver.upload_books(files, names, metadata=[Metadata(name[:-5].title(), ['Me']) for name in names])

    def test_books_that_were_left_alone_are_said_after_the_job(self):
        self.open()
        skipped = {'status': 'skipped', 'message': 'It is on the device already.'}
        for fates, words, details in (
            ({}, None, None),
            ({'one.epub': skipped, 'three.epub': {'status': 'skipped'}}, '2 of 3 books were left alone', 'One: It is on the device already.\nThree'),
            (dict.fromkeys(('one.epub', 'two.epub', 'three.epub'), skipped), '3 of 3 books were left alone', None),
            ({'one.epub': skipped, 'two.epub': {'code': 'device_io', 'message': 'Writing failed.'}}, '1 of 3 books was left alone', None),
        ):
            with self.subTest(fates=fates):
                self.control.set(faults={'upload': {'rows': fates}})
                self.send_several()
                notice = self.driver.user_feedback_after_callback
                if words is None:
                    self.assertIsNone(notice)
                else:
                    self.assertIn(words, notice['msg'])
                    self.assertEqual('were not sent' in notice['msg'], 'two.epub' in fates and fates['two.epub'] is not skipped)
                if details is not None:
                    self.assertEqual(notice['det_msg'], details)
                self.driver.user_feedback_after_callback = None
        self.control.set(faults={'upload': {'rows': {'sent.epub': skipped}}})
        self.send()
        self.assertEqual(self.driver.user_feedback_after_callback['msg'], '“Sent” was left alone. It is on the device already.')

    def test_open_files_are_sent_from_their_beginning(self):
        self.open()
        stream = io.BytesIO(b'a longer book')
        stream.read(5)
        sent = self.driver.upload_books([stream], ['open.epub'], metadata=[Metadata('Open', ['Me'])])
        self.assertEqual(sent.paths, ['/Documents/open.epub'])
        asked = self.control.requests('upload')[0]['params']['books'][0]
        self.assertTrue(asked['file'].endswith('.epub') and not os.path.exists(asked['file']), asked)
        self.assertEqual(self.driver.bridge.device.places[0].records['/Documents/open.epub']['size'], 13)

    def test_only_an_unknown_option_sends_without_columns(self):
        self.open()
        self.control.set(faults={'prefs.get': {'code': 'prefs_unknown_key', 'message': 'No such preference.'}})
        self.assertEqual(self.send().paths, ['/Documents/sent.epub'])
        self.control.set(faults={'prefs.get': {'code': 'prefs_damaged', 'message': 'The file is damaged.'}})
        with self.assertRaisesRegex(UserFeedback, 'The file is damaged'):
            self.send()
        self.assertEqual(len(self.control.requests('upload')), 1)

    def test_formats_of_a_card_count_if_the_person_named_its_app(self):
        self.control.set(formats={KINDLE['bundle_id']: ['mobi', 'pdf'], PAPERBACK['bundle_id']: ['epub', 'pdf', 'txt'], BOOKS['bundle_id']: ['cbz']})
        self.open()
        self.assertEqual(self.driver.settings().format_map, ['mobi', 'pdf'])
        # A card still takes its own formats.
        self.assertEqual(self.send('sent.txt', 'cardb').paths, ['/Documents/sent.txt'])
        settings = self.driver.bridge.settings
        for choice, formats in (
            ({'card_b': PAPERBACK['bundle_id']}, ['mobi', 'pdf', 'epub', 'txt']), ({'card_a': '-', 'card_b': 'org.example.gone'}, ['mobi', 'pdf']),
        ):
            self.addCleanup(settings.set, dict.fromkeys(choice, ''))
            settings.set(choice)
            self.driver.post_yank_cleanup()
            self.driver.bridge.presence.look_anew()
            self.open()
            self.assertEqual(self.driver.settings().format_map, formats)


class SendingAndDeleting(WithTheDriver):
    """What calibre's window deletes from the library after an upload."""

    def setUp(self):
        super().setUp()
        # The module of calibre's window, with what it keeps of uploads.
        self.gui = types.SimpleNamespace(upload_memory={})
        module = types.SimpleNamespace(get_gui=lambda: self.gui)
        before = sys.modules.get('calibre.gui2.ui')
        sys.modules['calibre.gui2.ui'] = module
        self.addCleanup(lambda: sys.modules.__setitem__('calibre.gui2.ui', before) if before else sys.modules.pop('calibre.gui2.ui'))
        self.open()

    def deleted(self, fates, files=None):
        """The ids that calibre would delete after sending three books with these result rows."""
        self.control.set(faults={'upload': {'rows': fates}})
        names = ['one.epub', 'two.epub', 'three.epub'][:files]
        paths = [os.path.join(self.control.folder, name) for name in names]
        for path in paths:
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write('a book')
        metadata = [Metadata(f'Book {number}', ['Me']) for number in (1, 2, 3)]
        for number, mi in enumerate(metadata, 1):
            mi.application_id = number
        # Another upload that waits has metadata that is equal, but not the same.
        other = [9]
        wanted = [1, 2, 3]
        self.gui.upload_memory = {
            'catalog': ([], None, [paths, []], paths), 'plain': ([], None, None, paths),
            'other': (list(metadata), None, (paths, other), paths), 'this': (metadata, None, (paths, wanted), paths)}
        self.driver.upload_books(paths, names, metadata=metadata)
        self.assertEqual(other, [9])
        return wanted

    def test_books_that_were_sent_are_deleted(self):
        self.assertEqual(self.deleted({}), [1, 2, 3])

    def test_books_that_failed_or_were_left_alone_stay_in_the_library(self):
        failed = {'code': 'device_io', 'message': 'Writing failed.'}
        self.assertEqual(self.deleted({'two.epub': failed}), [1, 3])
        self.assertEqual(self.deleted({'one.epub': {'status': 'skipped'}, 'three.epub': failed}), [2])
        self.assertEqual(self.deleted(dict.fromkeys(('one.epub', 'two.epub', 'three.epub'), {'status': 'skipped'})), [])

    def test_an_upload_that_the_window_notes_late_is_waited_for(self):
        from calibre_plugins.overlayhost.deletion import keep_in_library
        metadata, wanted, looks = [Metadata('Book', ['Me'])], [1, 2], []

        class Window:
            @property
            def upload_memory(self):
                looks.append(len(looks))
                return {'this': (metadata, None, ([], wanted), [])} if len(looks) > 2 else {}

        self.gui = Window()
        self.assertTrue(keep_in_library(metadata, {1}))
        self.assertEqual((wanted, len(looks)), ([1], 3))

    def test_an_upload_that_the_window_does_not_know_fails_so_that_nothing_is_deleted(self):
        from calibre_plugins.overlayhost import deletion
        self.addCleanup(setattr, deletion, 'PATIENCE', deletion.PATIENCE)
        deletion.PATIENCE = 0
        self.control.set(faults={'upload': {'rows': {'sent.epub': {'status': 'skipped'}}}})
        with self.assertRaisesRegex(UserFeedback, '0 of 1 books were sent'):
            self.send()
        self.control.set(faults={})
        self.assertEqual(len(self.send().paths), 1)

    def test_files_and_books_of_different_number_delete_nothing(self):
        self.assertEqual(self.deleted({}, files=2), [])

    def test_a_program_of_calibre_without_a_window_sends_all_the_same(self):
        self.gui = None
        self.control.set(faults={'upload': {'rows': {'sent.epub': {'status': 'skipped'}}}})
        self.assertEqual(self.send().paths, [None])


if __name__ == '__main__':
    run_tests(globals(), least=10)
