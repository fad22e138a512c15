# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the plugin that need no calibre, against the stand-in for the host. Run by any Python 3: python3 -m unittest."""

import os
import shutil
import stat
import sys
import tempfile
import types
import unittest

import support

support.import_from_sources()

from calibre_plugins.overlayhost import host as host_module, presence as presence_module, wire as wire_module  # noqa: E402
from calibre_plugins.overlayhost.apps import AUTOMATIC, NONE, choose_apps  # noqa: E402
from calibre_plugins.overlayhost.host import Host  # noqa: E402
from calibre_plugins.overlayhost.phones import Phones  # noqa: E402
from calibre_plugins.overlayhost.presence import Found, Presence, Problem  # noqa: E402
from calibre_plugins.overlayhost.program import ProgramProblem, child_environment, find_program  # noqa: E402
from calibre_plugins.overlayhost.wire import ChildGone, ChildSilent, Connection, RemoteError, in_parts  # noqa: E402
from support import BOOKS, KINDLE, PAPERBACK, Control, phone, wait_for  # noqa: E402


class Choices(dict):
    """Settings of the plugin."""

    has_cards = False


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
        wait_for(lambda: ends, 'the end is told')

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
        # The clock goes on by three quarters of the patience at each notification.
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


class WithAStandIn(unittest.TestCase):
    """A presence with the stand-in for the program, and little patience."""

    def setUp(self):
        for name, value in (('LOOK_PATIENCE', 0.5), ('LOOK_AGAIN_AFTER', 0)):
            self.addCleanup(setattr, presence_module, name, getattr(presence_module, name))
            setattr(presence_module, name, value)
        self.control = Control(devices={'A': phone('Ann’s iPhone')})
        self.addCleanup(shutil.rmtree, self.control.folder)
        self.settings = Choices()
        self.host = Host('6.13', lambda: find_program(None, self.control.environment), self.control.environment)
        self.addCleanup(self.host.shut_down)
        self.presence = Presence(self.host, self.settings)

    def connect(self):
        found = self.presence.detect()
        self.assertIsInstance(found, Found)
        self.presence.opened(found)
        return found


class SlowPhones(WithAStandIn):
    """What takes long is asked once, and waited for as long as the program lives; calibre's device thread goes on meanwhile."""

    def setUp(self):
        super().setUp()
        for module, name, value in ((presence_module, 'LOOK_PATIENCE', 2), (presence_module, 'FIRST_PATIENCE', 0.2),
                                    (host_module, 'START_PATIENCE', 2)):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)

    def pings(self):
        return sum('id' in line for line in self.control.requests('$/cancelRequest'))

    def waits(self, holds):
        """calibre asks again and again while the program shows twice that it lives."""
        def asked():
            self.assertTrue(holds(self.presence.detect()))
            return self.pings() >= 2
        wait_for(asked, 'the program is asked whether it lives')

    def test_a_slow_look_is_not_begun_again(self):
        self.control.set(faults={'detect': 'slow'})
        self.waits(lambda answer: answer is None)
        self.assertEqual(len(self.control.requests('detect')), 1)
        self.control.set(faults={})
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
        self.assertEqual(len(self.control.requests('detect')), 1)

    def test_a_program_whose_first_look_is_slow_is_not_taken_for_broken(self):
        self.control.set(faults={'watch': 'slow'})
        self.waits(lambda answer: answer is None)
        self.assertIn('prefs', self.host.request('prefs.list', {}, 20))
        self.control.set(faults={})
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
        self.assertEqual([len(self.control.requests(method)) for method in ('initialize', 'watch')], [1, 1])

    def test_a_connected_phone_stays_while_it_is_asked_whether_its_app_is_there(self):
        found = self.connect_at_last()
        self.control.set(devices={'A': phone(state='offline')}, faults={'detect': 'slow'})
        wait_for(lambda: self.host.phones.attached('A').state == 'offline', 'the state is told')
        self.waits(lambda answer: answer is found)
        self.assertEqual(len(self.control.requests('detect')), 2)
        self.control.set(faults={})
        wait_for(lambda: self.presence.detect() is None, 'the device is gone')

    def connect_at_last(self):
        found = wait_for(self.presence.detect, 'the device is found')
        self.presence.opened(found)
        return found

    def test_a_person_who_waits_long_is_told_why(self):
        presence_module.SLOW_AFTER, before = 0, presence_module.SLOW_AFTER
        self.addCleanup(setattr, presence_module, 'SLOW_AFTER', before)
        self.control.set(faults={'detect': 'slow'})
        problem = wait_for(self.presence.detect, 'the phone is named')
        self.assertIn('Ann’s iPhone takes long to answer', problem.message)
        self.control.set(faults={})
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
        self.assertEqual(len(self.control.requests('detect')), 1)

    def test_a_look_at_a_phone_that_was_unplugged_is_cancelled(self):
        self.control.set(faults={'detect': 'slow'})
        wait_for(lambda: self.presence.detect() or self.control.requests('detect'), 'the look has begun')
        number = self.control.requests('detect')[0]['id']
        self.control.set(devices={})
        wait_for(lambda: self.presence.detect() is None and any(
            line['params']['id'] == number for line in self.control.requests('$/cancelRequest')), 'the look is cancelled')

    def test_another_watch_ends_the_first_without_harm(self):
        found = self.connect_at_last()
        self.host.watch(KINDLE['bundle_id'])
        wait_for(lambda: len(self.control.requests('watch')) == 2, 'the app is watched')
        self.assertIs(self.presence.detect(), found)


class Detection(WithAStandIn):
    """Every way in which a host can fail ends in “nothing” or a message, never in an exception or a long wait."""

    def reconnects(self):
        """calibre drops the device after the first “nothing”, and finds it again by itself."""
        wait_for(lambda: self.presence.detect() is None, 'the device is gone for a moment')
        self.presence.left()
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is back')

    def test_the_first_question_is_answered_after_a_real_look(self):
        found = self.presence.detect()
        self.assertEqual((found.udid, found.name), ('A', 'Ann’s iPhone'))

    def test_nothing_attached_is_nothing(self):
        self.control.set(devices={})
        self.assertIsNone(self.presence.detect())

    def test_a_device_that_is_known_costs_no_request(self):
        self.connect()
        before = len(self.control.requests())
        for _ in range(5):
            self.assertIsInstance(self.presence.detect(), Found)
        self.assertEqual(len(self.control.requests()), before)

    def test_a_pulled_cable_is_nothing(self):
        self.connect()
        self.control.set(devices={})
        wait_for(lambda: self.presence.detect() is None, 'the device is gone')

    def test_an_app_that_leaves_connection_mode_is_nothing_and_then_a_message(self):
        self.connect()
        self.control.set(devices={'A': phone(
            state='not-in-connection-mode', code='app_unavailable', message='Marvin is not in connection mode.', hint='Turn it on.')})
        wait_for(lambda: self.presence.detect() is None, 'the device is gone')
        self.presence.left()
        problem = self.presence.detect()
        self.assertIsInstance(problem, Problem)
        self.assertEqual(problem.message, 'Marvin is not in connection mode. Turn it on.')

    def test_a_locked_phone_is_a_message_and_found_when_unlocked(self):
        self.control.set(devices={'A': phone(state='unreachable', code='device_locked', message='The device is locked.')})
        self.assertIsInstance(self.presence.detect(), Problem)
        self.control.set(devices={'A': phone()})
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')

    def test_a_phone_that_comes_back_locked_is_looked_at_again(self):
        self.connect()
        self.control.set(devices={})
        wait_for(lambda: self.presence.detect() is None, 'the device is gone')
        self.presence.left()
        self.control.set(devices={'A': phone(state='unreachable', code='device_locked', message='The device is locked.')})
        wait_for(lambda: isinstance(self.presence.detect(), Problem), 'the device is locked')

    def test_a_phone_that_leaves_during_the_look_is_nothing(self):
        self.control.set(devices={'A': phone(state='absent')})
        self.assertIsNone(self.presence.detect())

    def test_of_two_phones_the_first_that_can_be_served_is_taken(self):
        self.control.set(devices={
            'A': phone('Locked', state='unreachable', code='device_locked', message='Locked.'), 'B': phone('Open')})
        self.assertEqual(self.presence.detect().name, 'Open')

    def test_a_phone_that_does_not_answer_hides_no_other(self):
        self.control.set(devices={'A': phone('Hung'), 'B': phone('Open')}, faults={'detect A': 'slow'})
        self.assertEqual(self.presence.detect().name, 'Open')
        self.control.set(devices={'A': phone('Hung')}, faults={'detect': 'silent'})
        wait_for(lambda: isinstance(self.presence.detect(), Problem), 'the phone that does not answer is named')

    def test_a_choice_made_during_a_look_counts(self):
        self.presence.detect()
        look = self.presence._look

        def chosen_meanwhile(phone, is_wanted):
            self.presence.look_anew()
            return look(phone, is_wanted)
        self.presence._look = chosen_meanwhile
        self.presence.look_anew()
        self.assertIsNone(self.presence.detect())
        self.presence._look = look
        before = len(self.control.requests('detect'))
        self.assertIsInstance(self.presence.detect(), Found)
        self.assertEqual(len(self.control.requests('detect')), before + 1)

    def test_the_person_can_name_the_phone(self):
        self.control.set(devices={'A': phone('First'), 'B': phone('Second')})
        self.settings['device'] = 'sec'
        self.assertEqual(self.presence.detect().name, 'Second')

    def test_eject_is_nothing_until_the_phone_comes_back(self):
        self.connect()
        self.presence.ejected()
        self.assertIsNone(self.presence.detect())
        self.presence.left()
        for _ in range(3):
            self.assertIsNone(self.presence.detect())
        self.control.set(devices={})
        wait_for(lambda: not self.host.phones.all(), 'the cable is pulled')
        self.control.set(devices={'A': phone()})
        wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')

    def test_after_an_eject_the_other_phone_is_served(self):
        self.control.set(devices={'A': phone('First'), 'B': phone('Second')})
        self.connect()
        self.presence.ejected()
        self.assertIsNone(self.presence.detect())
        self.presence.left()
        self.assertEqual(self.presence.detect().name, 'Second')

    def test_a_crash_is_nothing_once_and_heals_by_itself(self):
        found = self.connect()
        os.kill(self.host.process_id, 9)
        self.reconnects()
        self.assertNotEqual(self.presence.detect().epoch, found.epoch)

    def test_a_crash_between_two_questions_is_nothing_once_too(self):
        found = self.connect()
        os.kill(self.host.process_id, 9)
        wait_for(lambda: self.host.start() or (self.host.is_ready and self.host.epoch > found.epoch), 'the program runs again')
        self.assertIsNone(self.presence.detect())

    def test_several_apps_become_main_memory_and_cards(self):
        self.settings.has_cards = True
        self.control.set(devices={'A': phone(apps=(BOOKS, PAPERBACK, KINDLE))})
        found = self.presence.detect()
        self.assertEqual([app['name'] for app in found.apps], ['Kindle', 'Books', 'Paperback'])
        self.assertTrue(found.is_app_ours)

    def test_every_fault_while_nothing_is_connected_is_harmless(self):
        for method in ('initialize', 'watch', 'detect'):
            for fault in ('crash', 'garbage', 'wrong', {'code': 'failed', 'message': 'No.'}, {'number': -32602}):
                with self.subTest(method=method, fault=fault):
                    self.host.restart()
                    self.presence.look_anew()
                    self.control.set(faults={method: fault})
                    for _ in range(3):
                        self.assertNotIsInstance(self.presence.detect(), Found)
                    self.control.set(faults={})
                    self.host.restart()
                    self.presence.look_anew()
                    wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')

    def test_every_fault_while_a_device_is_connected_is_harmless(self):
        for fault in ('crash', 'garbage', 'wrong', 'silent', {'code': 'failed', 'message': 'No.'}, {'number': -32602}):
            with self.subTest(fault=fault):
                self.control.set(faults={}, devices={'A': phone()})
                self.host.restart()
                wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
                self.connect()
                # News that make it ask.
                self.control.set(faults={'detect': fault}, devices={'A': phone(state='offline')})
                wait_for(lambda: self.presence.detect() is None, 'the device is gone')
                self.presence.left()

    def test_a_missing_program_is_a_message(self):
        self.control.environment['OVERLAYHOST'] = '/nowhere/overlayhost'
        problem = self.presence.detect()
        self.assertIsInstance(problem, Problem)
        self.assertIn('/nowhere/overlayhost', problem.message)

    def test_a_program_that_is_too_old_is_a_message(self):
        folder = self.control.folder
        old = os.path.join(folder, 'overlayhost')
        with open(old, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\necho "Error: Unexpected argument serve" >&2\nexit 64\n')
        os.chmod(old, 0o755)
        self.control.environment['OVERLAYHOST'] = old
        self.assertIn('too old', self.presence.detect().message)

    def test_a_program_that_lacks_a_method_is_too_old(self):
        self.control.set(methods=['initialize', 'detect'])
        self.assertIn('too old', self.presence.detect().message)

    def test_another_protocol_is_a_message(self):
        self.control.set(faults={'initialize': {'number': -32001}})
        self.assertIn('another version of the protocol', self.presence.detect().message)

    def test_a_program_that_crashes_again_and_again_is_not_started_at_each_question(self):
        self.control.set(faults={'initialize': 'crash'})
        for _ in range(20):
            self.presence.detect()
            wait_for(lambda: not self.host._is_starting, 'the start ends')
        self.assertLess(len(self.control.requests('initialize')), 5)


if __name__ == '__main__':
    unittest.main()
