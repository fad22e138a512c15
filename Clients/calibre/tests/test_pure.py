# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding and driving the program, and what is known of devices, without calibre. Run by any Python 3: python3 -m unittest."""

import os
import shutil
import stat
import sys
import tempfile
import types
import unittest

import support

support.import_from_sources()

from calibre_plugins.overlayhost import wire as wire_module  # noqa: E402
from calibre_plugins.overlayhost.apps import AUTOMATIC, NONE, choose_apps, unasked  # noqa: E402
from calibre_plugins.overlayhost.hints import for_calibre  # noqa: E402
from calibre_plugins.overlayhost.host import said  # noqa: E402
from calibre_plugins.overlayhost.phones import Phones  # noqa: E402
from calibre_plugins.overlayhost.program import ProgramProblem, child_environment, find_program  # noqa: E402
from calibre_plugins.overlayhost.wire import ChildGone, ChildSilent, Connection, RemoteError, in_parts  # noqa: E402
from support import BOOKS, KINDLE, PAPERBACK, wait_for  # noqa: E402


class FindingTheProgram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = os.path.join(self.folder, 'overlayhost')
        with open(self.program, 'w', encoding='utf-8'):
            pass
        os.chmod(self.program, 0o755)

    def test_setting_counts_before_variable_and_path(self):
        other = os.path.join(self.folder, 'other')
        shutil.copy(self.program, other)
        os.chmod(other, 0o755)
        environment = {'OVERLAYHOST': self.program, 'PATH': '/nowhere'}
        self.assertEqual(find_program(other, environment), other)
        self.assertEqual(find_program('', environment), self.program)
        self.assertEqual(find_program(None, {'PATH': self.folder}), self.program)

    def test_a_folder_means_the_program_in_it(self):
        self.assertEqual(find_program(self.folder, {}), self.program)

    def test_a_wrong_setting_is_an_error_and_not_another_program(self):
        with self.assertRaises(ProgramProblem) as caught:
            find_program('/nowhere/overlayhost', {'PATH': self.folder})
        self.assertEqual(caught.exception.code, 'missing')
        self.assertIn('/nowhere/overlayhost', caught.exception.message)

    def test_a_file_that_cannot_be_started_is_no_program(self):
        os.chmod(self.program, stat.S_IRUSR)
        with self.assertRaises(ProgramProblem):
            find_program(None, {'PATH': self.folder})

    def test_libraries_of_frozen_builds_stay_with_calibre(self):
        environment = {'LD_LIBRARY_PATH': '/opt/calibre/lib', 'HOME': '/h'}
        self.assertEqual(child_environment(environment, frozen=True), {'HOME': '/h'})
        self.assertEqual(child_environment(environment, frozen=False), environment)


def echo(script):
    """A child that runs a few lines of Python."""
    return [sys.executable, '-c', script]


class TheWire(unittest.TestCase):
    def connect(self, script, **more):
        connection = Connection(echo(script), **more)
        self.addCleanup(connection.close)
        return connection

    def test_answers_find_their_requests_in_any_order(self):
        connection = self.connect('''
import json, sys
first = json.loads(sys.stdin.readline()); second = json.loads(sys.stdin.readline())
for message in (second, first):
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': message['method']}), flush=True)
sys.stdin.readline()
''')
        import threading
        answers = {}
        threads = [threading.Thread(target=lambda name=name: answers.update({name: connection.call(name, {}, 20)})) for name in 'ab']
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, {'a': 'a', 'b': 'b'})

    def test_a_long_line_arrives_whole(self):
        connection = self.connect('''
import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({'id': message['id'], 'result': 'x' * 5000000}), flush=True)
sys.stdin.readline()
''')
        self.assertEqual(len(connection.call('books', {}, 20)), 5000000)

    def test_an_error_keeps_its_number_and_data(self):
        connection = self.connect('''
import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({'id': message['id'], 'error': {'code': -32000, 'message': 'm', 'data': {'code': 'no_space'}}}), flush=True)
sys.stdin.readline()
''')
        with self.assertRaises(RemoteError) as caught:
            connection.call('upload', {}, 20)
        self.assertEqual((caught.exception.number, caught.exception.data), (-32000, {'code': 'no_space'}))

    def test_the_end_of_the_child_fails_what_waits_and_what_comes(self):
        ends = []
        connection = self.connect('import sys; sys.stdin.readline(); sys.exit(3)', on_end=lambda: ends.append(1))
        with self.assertRaises(ChildGone) as caught:
            connection.call('books', {}, 60)
        self.assertEqual(caught.exception.status, 3)
        self.assertFalse(connection.is_open)
        with self.assertRaises(ChildGone):
            connection.call('books', {}, 60)
        wait_for(lambda: ends, 'the end is reported')

    def test_a_line_that_is_no_json_ends_the_child(self):
        connection = self.connect('import sys; sys.stdin.readline(); print("nonsense", flush=True); sys.stdin.readline()')
        with self.assertRaises(ChildGone):
            connection.call('books', {}, 60)

    def test_half_a_line_is_no_answer(self):
        connection = self.connect('''
import json, sys
message = json.loads(sys.stdin.readline())
sys.stdout.write('{"id": %d, "result": 1' % message['id']); sys.stdout.flush()
''')
        with self.assertRaises(ChildGone):
            connection.call('books', {}, 60)

    def test_a_request_that_is_too_long_fails_before_it_is_sent(self):
        connection = self.connect('''
import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({'id': message['id'], 'result': message['method']}), flush=True)
sys.stdin.readline()
''')
        connection.longest_request = 2 << 20
        with self.assertRaises(RemoteError) as caught:
            connection.call('upload', {'text': 'ä' * (1 << 20)}, 600)
        self.assertEqual(caught.exception.data['code'], wire_module.TOO_LONG)
        self.assertIn('2 MiB', caught.exception.message)
        self.assertEqual(connection.call('books', {}, 20), 'books')

    def test_a_line_that_the_program_could_not_read_fails_what_waits(self):
        connection = self.connect('''
import json, sys
sys.stdin.readline()
print(json.dumps({'id': None, 'error': {'code': -32700, 'message': 'The line is longer than 32 MiB.'}}), flush=True)
sys.stdin.readline()
''')
        with self.assertRaisesRegex(RemoteError, '32 MiB'):
            connection.call('update', {}, 600)

    def test_many_entries_are_asked_about_in_requests_that_fit(self):
        entries = [{'name': 'é' * length} for length in (10, 500, 10, 400, 2000, 1, 1)]
        parts = list(in_parts({'session': 's'}, entries, 2200))
        self.assertEqual([entry for part in parts for entry in part], entries)
        self.assertIn([entries[4]], parts)
        for part in parts:
            line = wire_module.encoded({'jsonrpc': '2.0', 'id': 10 ** 9, 'method': 'x', 'params': {'session': 's', 'books': part}})
            self.assertTrue(len(line) <= 2200 or len(part) == 1)
        self.assertLess(len(parts), len(entries))
        self.assertEqual(list(in_parts({}, [], 2000)), [])

    def test_silence_ends_a_call_and_cancels_it(self):
        connection = self.connect('''
import json, sys
first = json.loads(sys.stdin.readline()); cancel = json.loads(sys.stdin.readline()); second = json.loads(sys.stdin.readline())
print(json.dumps({'id': first['id'], 'result': 'too late'}), flush=True)
print(json.dumps({'id': second['id'], 'result': [cancel['method'], cancel['params']['id'] == first['id']]}), flush=True)
sys.stdin.readline()
''')
        with self.assertRaises(ChildSilent):
            connection.call('open', {}, 0.1)
        self.assertEqual(connection.call('x', {}, 20), ['$/cancelRequest', True])

    def test_progress_keeps_a_call_alive(self):
        # The clock advances by three quarters of the timeout at each notification.
        connection = self.connect('''
import json, sys
message = json.loads(sys.stdin.readline())
for _ in range(4):
    print(json.dumps({'method': 'progress', 'params': {'request': message['id']}}), flush=True)
    sys.stdin.readline()
print(json.dumps({'id': message['id'], 'result': 'done'}), flush=True)
sys.stdin.readline()
''')
        clock = [0]
        self.addCleanup(setattr, wire_module, 'time', wire_module.time)
        wire_module.time = types.SimpleNamespace(monotonic=lambda: clock[0])

        def take(method, params):
            clock[0] += 15
            connection.post('go', {})
        self.assertEqual(connection.call('upload', {}, 20, take), 'done')
        self.assertEqual(clock, [60])

    def test_a_child_that_reads_nothing_blocks_no_caller(self):
        connection = self.connect('import time; time.sleep(600)')
        for _ in range(100):
            connection.post('eject', {'text': 'x' * 10000})
        with self.assertRaises(ChildSilent):
            connection.call('eject', {}, 0.1)


class ChoosingApps(unittest.TestCase):
    def names(self, apps, choice=None, preferred=None):
        return [app and app['name'] for app in choose_apps(apps, choice or {}, preferred)]

    def test_apps_that_take_books_come_before_those_that_only_show_them(self):
        self.assertEqual(self.names([BOOKS, PAPERBACK, KINDLE]), ['Kindle', 'Books', 'Paperback'])

    def test_the_preferred_app_is_the_main_memory(self):
        self.assertEqual(self.names([BOOKS, PAPERBACK, KINDLE], preferred=PAPERBACK), ['Paperback', 'Kindle', 'Books'])

    def test_an_app_that_takes_epub_comes_first(self):
        formats = {'kindle': ['mobi', 'pdf'], 'ibooks': ['epub', 'pdf'], 'documents': [], 'marvin': ['epub']}
        marvin = dict(KINDLE, bundle_id='com.appstafarian.Marvin', name='Marvin', overlay='marvin')
        other = dict(PAPERBACK, bundle_id='org.example.other', name='Other')
        for apps, preferred, expected in (
            ([BOOKS, PAPERBACK, KINDLE], None, ['Paperback', 'Kindle', 'Books']),
            ([BOOKS, PAPERBACK, KINDLE, marvin], None, ['Marvin', 'Paperback', 'Kindle']),
            ([BOOKS, PAPERBACK, KINDLE, marvin], KINDLE, ['Kindle', 'Marvin', 'Paperback']),
            # Neither of the two is chosen.
            ([PAPERBACK, other, KINDLE], None, ['Kindle', None, None]),
        ):
            found = choose_apps(apps, {}, preferred, formats)
            self.assertEqual([app and app['name'] for app in found], expected)

    def test_an_app_that_cannot_be_listed_is_the_last_choice_and_no_card(self):
        lack = {'ability': 'books', 'reason': 'iOS does not allow access to its documents.', 'hint': None}
        kindle = dict(KINDLE, missing=[lack])
        self.assertEqual(self.names([kindle, PAPERBACK]), ['Paperback', None, None])
        self.assertEqual(self.names([kindle]), ['Kindle', None, None])
        self.assertEqual(unasked([kindle, PAPERBACK]), [])

    def test_cards_are_what_the_person_chose(self):
        choice = {'card_a': BOOKS['bundle_id'], 'card_b': NONE}
        self.assertEqual(self.names([BOOKS, PAPERBACK, KINDLE], choice), ['Kindle', 'Books', None])
        choice = {'card_a': AUTOMATIC, 'card_b': BOOKS['bundle_id']}
        self.assertEqual(self.names([BOOKS, PAPERBACK, KINDLE], choice), ['Kindle', 'Paperback', 'Books'])

    def test_an_app_has_one_place_only(self):
        choice = {'card_a': KINDLE['bundle_id'], 'card_b': KINDLE['bundle_id']}
        self.assertEqual(self.names([KINDLE], choice), ['Kindle', None, None])

    def test_of_several_apps_that_only_share_files_none_is_guessed(self):
        other = dict(PAPERBACK, bundle_id='org.example.other', name='Other')
        self.assertEqual(self.names([KINDLE, PAPERBACK, other]), ['Kindle', None, None])

    def test_apps_out_of_reach_are_left_out(self):
        self.assertEqual(self.names([dict(KINDLE, access=[]), dict(BOOKS, overlay=None)]), [None, None, None])


class Hints(unittest.TestCase):
    def test_kinds_of_help_become_what_calibre_has_for_them(self):
        for code in ('consent', 'protect', 'replace', 'collections', 'preference', 'choose_app'):
            found = for_calibre({'hint': 'Use --this, or: overlayhost that.', 'hint_code': code})
            self.assertNotRegex(found, '--|overlayhost', code)
            self.assertTrue(found.endswith('.'), code)

    def test_what_there_is_to_choose_from_stays_without_the_command(self):
        choices = 'Did you mean Dr. Reader? Supported apps on this device: Dr. Reader, Kindle.'
        for code, words in (('choose_app', 'Choose the app in'), ('preference', 'Change the option in')):
            found = for_calibre({'hint_code': code, 'hint': f'{choices} Choose one with --app NAME or: overlayhost prefs set some_app NAME.'})
            self.assertEqual(found, f'{choices} {words} Preferences → Plugins → OverlayHost.')

    def test_copies_to_delete_are_called_extra(self):
        self.assertIn('Delete the extra copies on the device', for_calibre({'hint_code': 'protect'}))

    def test_what_the_window_shows_anyway_is_left_out(self):
        self.assertEqual(for_calibre({'hint': 'List the books with: overlayhost books.', 'hint_code': 'list'}), '')

    def test_other_advice_stays_as_it_is(self):
        for hint in ('Unlock it. Then tap Trust.', "Run 'overlayhost doctor', and tap Trust when it asks.", 'Use --yes and --app.', ''):
            self.assertEqual(for_calibre({'hint': hint}), hint)
            self.assertEqual(for_calibre({'hint': hint, 'hint_code': 'of_a_later_version'}), hint)
        self.assertEqual(for_calibre({'hint': None}), '')

    def test_advice_fits_what_a_person_does_in_calibre(self):
        self.assertEqual(for_calibre({'hint': 'Unlock it, tap Trust, and run the command again.'}), 'Unlock it, tap Trust, and try again.')
        self.assertIn('Send specific format to', for_calibre({'code': 'unsupported_format', 'hint': 'Convert the book first.'}))

    def test_errors_of_the_program_say_them(self):
        error = RemoteError(-32000, 'm', {
            'message': 'Two apps.', 'hint': 'Choose one by bundle id with --app: a, b.', 'hint_code': 'choose_app'})
        self.assertEqual(said(error), 'Two apps. Choose the app in Preferences → Plugins → OverlayHost.')


class KnowingPhones(unittest.TestCase):
    def event(self, kind, udid='A', way='usb', name='Phone'):
        return {'event': kind, 'udid': udid, 'connection': way, 'name': name}

    def test_a_phone_is_there_until_its_last_way_is_gone(self):
        phones = Phones()
        for event in (self.event('attached'), self.event('attached', way='network'), self.event('detached')):
            phones.take(event)
        self.assertIsNotNone(phones.attached('A'))
        phones.take(self.event('detached', way='network'))
        self.assertIsNone(phones.attached('A'))

    def test_an_ejected_phone_is_wanted_again_after_it_was_unplugged(self):
        phones = Phones()
        phones.take(self.event('attached'))
        phones.eject('A')
        self.assertTrue(phones.attached('A').is_ejected)
        phones.take(self.event('detached'))
        phones.take(self.event('attached'))
        self.assertFalse(phones.attached('A').is_ejected)

    def test_an_ejected_phone_is_wanted_again_after_its_app_went_away(self):
        phones = Phones()
        phones.take(self.event('attached'))
        phones.take(self.event('online'))
        phones.eject('A')
        phones.take(self.event('online'))
        self.assertTrue(phones.attached('A').is_ejected)
        phones.take(self.event('not-in-connection-mode'))
        self.assertFalse(phones.attached('A').is_ejected)

    def test_states_of_another_app_do_not_undo_an_eject(self):
        phones = Phones()
        phones.take(self.event('attached'))
        phones.take(self.event('online'))
        phones.eject('A')
        phones.forget_states()
        phones.take(self.event('app-missing'))
        self.assertTrue(phones.attached('A').is_ejected)

    def test_a_crash_of_the_host_keeps_what_was_ejected(self):
        phones = Phones()
        phones.take(self.event('attached'))
        phones.eject('A')
        phones.clear()
        phones.take(self.event('attached'))
        phones.keep_only(['A'])
        self.assertTrue(phones.attached('A').is_ejected)


if __name__ == '__main__':
    unittest.main()
