# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plugin answers to calibre's device thread, without calibre, against the stand-in for the host. Run by any Python 3: python3 -m unittest."""

import os
import re
import shutil
import types
import unittest

import support

support.import_from_sources()

from calibre_plugins.overlayhost import (  # noqa: E402
    host as host_module, looks as looks_module, presence as presence_module, wire as wire_module)
from calibre_plugins.overlayhost.host import Host  # noqa: E402
from calibre_plugins.overlayhost.presence import Found, Presence, Problem  # noqa: E402
from calibre_plugins.overlayhost.program import find_program  # noqa: E402
from support import BOOKS, KINDLE, PAPERBACK, Control, phone, wait_for  # noqa: E402


class Choices(dict):
    """Settings of the plugin."""

    has_cards = False


class WithAStandIn(unittest.TestCase):
    """A presence with the stand-in for the program, and little patience."""

    def setUp(self):
        # Long enough for any machine. Tests of a timeout set a shorter one.
        self.patience(presence_module, LOOK_PATIENCE=20, LOOK_AGAIN_AFTER=0, SILENT_AFTER=20)
        self.control = Control(devices={'A': phone('Ann’s iPhone')})
        self.addCleanup(shutil.rmtree, self.control.folder)
        self.settings = Choices()
        self.host = Host('6.13', lambda: find_program(None, self.control.environment), self.control.environment)
        self.addCleanup(self.host.shut_down)
        self.presence = Presence(self.host, self.settings)

    def patience(self, module, **values):
        for name, value in values.items():
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)

    def connect(self):
        found = self.presence.detect()
        self.assertIsInstance(found, Found)
        self.presence.opened(found)
        return found


def problem_of(answer):
    return answer if isinstance(answer, Problem) else None


class SlowPhones(WithAStandIn):
    """What takes long is asked once, and waited for as long as the program lives; calibre's device thread goes on meanwhile."""

    def setUp(self):
        super().setUp()
        self.patience(presence_module, LOOK_PATIENCE=0.1, FIRST_PATIENCE=0.2)
        self.patience(host_module, START_PATIENCE=20)
        self.patience(wire_module, PING_AFTER=0.1)

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
        wait_for(lambda: self.host.phones.attached('A').state == 'offline', 'the state is reported')
        self.waits(lambda answer: answer is found)
        self.assertEqual(len(self.control.requests('detect')), 2)
        self.control.set(faults={})
        wait_for(lambda: self.presence.detect() is None, 'the device is gone')

    def connect_at_last(self):
        found = wait_for(self.presence.detect, 'the device is found')
        self.presence.opened(found)
        return found

    def test_the_first_question_has_one_deadline_for_the_start_and_the_look(self):
        clock, deadlines = [1000.0], []
        for module in (presence_module, looks_module):
            self.patience(module, time=types.SimpleNamespace(monotonic=lambda: clock[0]))
        self.patience(presence_module, FIRST_PATIENCE=10, LOOK_PATIENCE=4)
        self.patience(looks_module.Look, wait_until=lambda look, deadline: deadlines.append(deadline))
        self.control.set(faults={'detect': 'slow'})
        wait_until_ready = self.host.wait_until_ready

        def slowly(patience, **more):
            clock[0] += 9
            return wait_until_ready(20, **more)
        self.host.wait_until_ready = slowly
        self.assertIsNone(self.presence.detect())
        self.assertEqual(deadlines, [1010.0, 1010.0])

    def test_a_person_who_waits_long_is_reported_why(self):
        self.patience(presence_module, SLOW_AFTER=0)
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
        """calibre drops the device after the first “nothing”, and finds it again later."""
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

    def test_a_problem_that_comes_again_after_the_device_was_opened_is_said_again(self):
        identities = []
        for _ in range(3):
            self.control.set(devices={'A': phone(state='unreachable', code='device_locked', message='The device is locked.')})
            problems = [wait_for(lambda: problem_of(self.presence.detect()), 'the device is locked') for _ in range(2)]
            self.assertEqual(problems[0].identity, problems[1].identity)
            identities.append(problems[0].identity)
            self.control.set(devices={'A': phone()})
            wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
            if len(identities) > 1:
                self.connect()
                self.presence.left()
        # The device was opened only between the last two.
        self.assertEqual(identities[0], identities[1])
        self.assertNotEqual(identities[1], identities[2])

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
        self.patience(presence_module, LOOK_PATIENCE=0.5, SILENT_AFTER=0.5)
        self.assertEqual(wait_for(self.presence.detect, 'the other phone is found').name, 'Open')
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

    def test_without_a_preferred_app_one_that_takes_epub_is_the_main_memory(self):
        self.control.set(devices={'A': phone(apps=(KINDLE, PAPERBACK))}, overlays=[
            {'id': 'kindle', 'formats': ['mobi', 'pdf']}, {'id': 'documents', 'formats': ['epub', 'pdf']}])
        self.assertEqual([app and app['name'] for app in self.presence.detect().apps], ['Paperback', 'Kindle', None])

    def no_answer(self):
        """What the host says of the apps if an overlay did not answer it."""
        problem = {'code': 'overlay_broke', 'message': 'It did not start.', 'subject': None, 'hint': 'Try again.'}
        lacks = [{'ability': ability, 'reason': 'Any words.', 'hint': None} for ability in ('books', 'upload')]
        return {'result': {'device': 'A', 'apps': [dict(KINDLE, missing=lacks, problem=problem), BOOKS]}}

    def test_an_overlay_that_did_not_answer_is_asked_once_more(self):
        self.control.set(devices={'A': phone(apps=(KINDLE, BOOKS))}, faults={'apps': [self.no_answer()]})
        found = self.presence.detect()
        self.assertEqual([app and app['name'] for app in found.apps], ['Kindle', 'Books', None])
        self.assertEqual(found.left_out, [])

    def test_an_app_that_is_left_out_because_its_overlay_does_not_answer_is_named(self):
        self.control.set(devices={'A': phone(apps=(KINDLE, BOOKS))}, faults={'apps': self.no_answer()})
        found = self.presence.detect()
        self.assertEqual([app and app['name'] for app in found.apps], ['Books', None, None])
        self.assertEqual(found.left_out, ['Kindle could not be asked. It did not start. Try again.'])
        self.assertEqual(len(self.control.requests('apps')), 2)

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
        self.patience(presence_module, SILENT_AFTER=0.5)
        for fault in ('crash', 'garbage', 'wrong', 'silent', {'code': 'failed', 'message': 'No.'}, {'number': -32602}):
            with self.subTest(fault=fault):
                self.control.set(faults={}, devices={'A': phone()})
                self.host.restart()
                wait_for(lambda: isinstance(self.presence.detect(), Found), 'the device is found')
                self.connect()
                # Notifications that cause a request.
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

    def test_a_program_needs_every_method_that_the_plugin_calls(self):
        calls = set()
        folder = os.path.dirname(presence_module.__file__)
        for name in os.listdir(folder):
            if name.endswith('.py'):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    calls.update(re.findall(
                        r"(?:request|ask|post|call|in_parts|_rows)\((?:\s*place,)?\s*'([\w.]+)'", file.read()))
        self.assertLessEqual({'prefs.get', 'prefs.unset', 'upload', 'watch'}, calls)
        self.assertLessEqual(calls - {'initialize', 'shutdown'}, host_module.NEEDED_METHODS)

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
