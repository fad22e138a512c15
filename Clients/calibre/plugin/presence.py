# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers calibre's question whether a device is there.

calibre asks on its device thread, every two seconds, and an exception here can end that thread for good. So `detect` never raises,
asks the device only when there is news or a problem that may have gone, and takes every failure for “nothing there”.
Imports nothing of calibre.
"""

import threading
import time
import traceback

from calibre_plugins.overlayhost.apps import choose_apps
from calibre_plugins.overlayhost.host import said
from calibre_plugins.overlayhost.program import ProgramProblem
from calibre_plugins.overlayhost.wire import ChildGone, ChildSilent, RemoteError

# The first question is answered after one real look: some programs of calibre ask only once.
FIRST_PATIENCE = 12
# How long calibre's device thread waits for an answer that comes on another thread.
LOOK_PATIENCE = 4
# How long a device may take for an answer.
LONGEST_LOOK = 60
# After so many seconds a problem is looked at again, even if nothing was told of it.
LOOK_AGAIN_AFTER = 6
# What the host says if the preferences choose no app that is on the device.
UNCLEAR = frozenset(('app_not_chosen', 'app_not_installed', 'no_overlay'))


class Found:
    """A device that can be served now."""

    def __init__(self, udid, name, apps, epoch, is_app_ours=False):
        self.udid = udid
        self.name = name
        # The reader apps as `apps` of the host describes them: main memory, card A, card B; None where there is none.
        self.apps = apps
        self.epoch = epoch
        # Whether the host alone would not know which app is meant, and so tells nothing of it unless it is named.
        self.is_app_ours = is_app_ours

    def __repr__(self):
        return f'<OverlayHost: {self.name}>'


class Problem:
    """Why nothing can be served, for a person. Each is shown once."""

    def __init__(self, name, message, code, subject=''):
        self.name = name
        self.message = message
        self.identity = ('OverlayHost', subject, code)

    def __repr__(self):
        return f'<OverlayHost: {self.message}>'


class Look:
    """What was seen of a device, and when."""

    def __init__(self, answer, news):
        self.answer = answer
        self.news = news
        self.time = time.monotonic()


class Question:
    """What is asked on a thread of its own, so that calibre's device thread waits only a moment for a slow device."""

    def __init__(self, ask, news, choices=0):
        self.news = news
        self.choices = choices
        self._ask = ask
        self._result = self._error = None
        self._done = threading.Event()
        threading.Thread(target=self._run, name='OverlayHost look', daemon=True).start()

    def _run(self):
        try:
            self._result = self._ask()
        except Exception as error:  # It is raised where the answer is wanted.
            self._error = error
        self._done.set()

    def is_answered(self, patience):
        return self._done.wait(patience)

    @property
    def answer(self):
        if self._error is not None:
            raise self._error
        return self._result


class Presence:
    """`settings` gives the person's choices: `device`, `card_a` and `card_b`."""

    def __init__(self, host, settings):
        self._host = host
        self._settings = settings
        self._connected = None
        # Guards the next three.
        self._lock = threading.Lock()
        self._looks = {}
        # Looks that have not ended yet.
        self._questions = {}
        # Grows when the person chooses another app or device, so that a look that began before is not kept.
        self._choices = 0
        self._has_looked = False
        # The news of the connected device that have been understood.
        self._known_news = 0
        # Whether it is still there, as far as that is being asked.
        self._still_there = None
        self._seen_epoch = 0

    # For the driver

    def detect(self):
        """A Found, a Problem, or None. Never raises; waits a few seconds at most."""
        try:
            connected = self._connected
            if connected is not None:
                return connected if self._is_still_there(connected) else None
            return self._find()
        except (ChildGone, ChildSilent):
            return None
        except ProgramProblem as problem:
            return Problem('OverlayHost', problem.message, problem.code)
        except Exception:
            try:
                traceback.print_exc()
            except OSError:
                pass  # There is no standard error to write to.
            return None

    def opened(self, found):
        """The device is calibre's device from now on."""
        phone = self._host.phones.attached(found.udid)
        self._known_news = phone.news if phone is not None else 0
        self._still_there = None
        self._connected = found

    def ejected(self):
        """The person ejected the device. Any thread; returns at once."""
        connected = self._connected
        if connected is not None:
            self._host.phones.eject(connected.udid)

    def left(self):
        """calibre has let go of the device."""
        self._connected = None

    def look_anew(self):
        """Forgets what was seen, because the person chose another app or device. Any thread."""
        with self._lock:
            self._looks, self._questions = {}, {}
            self._choices += 1

    # On the device thread

    def _is_still_there(self, connected):
        host = self._host
        if not host.is_ready or host.epoch != connected.epoch:
            # It crashed. calibre has to open the device anew, because the new child knows no session.
            host.start()
            return False
        phone = host.phones.attached(connected.udid)
        if phone is None or phone.is_ejected:
            return False
        question, self._still_there = self._still_there, None
        if question is not None:
            is_answered = question.is_answered(0)
        elif phone.news == self._known_news:
            return True
        elif phone.state in (None, 'online'):
            self._known_news = phone.news
            return True
        else:
            question = Question(lambda: self._reader(connected.udid, connected.apps[0]['bundle_id']), phone.news)
            is_answered = question.is_answered(LOOK_PATIENCE)
        if not is_answered:
            self._still_there = question
            return True
        self._known_news = question.news
        return question.answer.get('state') == 'online'

    def _find(self):
        host = self._host
        patience = LOOK_PATIENCE if self._has_looked else FIRST_PATIENCE
        # Later on a start goes on while calibre looks for other devices.
        if not host.wait_until_watching(0 if self._has_looked else FIRST_PATIENCE):
            problem = host.problem
            return Problem('OverlayHost', problem.message, problem.code) if problem is not None else None
        self._has_looked = True
        phones = [phone for phone in host.phones.all() if self._is_wanted(phone)]
        attached = {phone.udid for phone in phones}
        with self._lock:
            is_anew = host.epoch != self._seen_epoch
            self._seen_epoch = host.epoch
            for kept in (self._looks, self._questions):
                for udid in [udid for udid in kept if is_anew or udid not in attached]:
                    del kept[udid]
        first_problem = None
        for phone in phones:
            if phone.is_ejected:
                continue
            answer = self._seen(phone, patience)
            if isinstance(answer, Found):
                return answer
            first_problem = first_problem or answer
        return first_problem

    def _is_wanted(self, phone):
        wanted = (self._settings.get('device') or '').strip().casefold()
        return not wanted or phone.udid.casefold().startswith(wanted) or (phone.name or '').casefold().startswith(wanted)

    def _seen(self, phone, patience):
        news = phone.news
        with self._lock:
            look, question = self._looks.get(phone.udid), self._questions.get(phone.udid)
            if question is not None:
                patience = 0  # It has been waited for.
            elif look is not None and look.news == news and (
                    isinstance(look.answer, Found) or time.monotonic() - look.time < LOOK_AGAIN_AFTER):
                return look.answer
            else:
                question = self._questions[phone.udid] = Question(lambda: self._look(phone), news, self._choices)
        if not question.is_answered(patience):
            return self._silent(phone)
        with self._lock:
            if self._questions.get(phone.udid) is question:
                del self._questions[phone.udid]
            if question.choices == self._choices:
                self._looks[phone.udid] = Look(question.answer, question.news)
        return question.answer

    @staticmethod
    def _silent(phone):
        name = phone.name or 'iPhone or iPad'
        return Problem(name, f'{name} does not answer. Unlock it, or plug it in again.', 'silent', phone.udid)

    def _look(self, phone):
        epoch = self._host.epoch
        name = phone.name or 'iPhone or iPad'
        try:
            reader = self._reader(phone.udid)
            # Any other app is better than none.
            is_unclear = reader.get('code') in UNCLEAR
            if reader.get('state') != 'online' and not is_unclear:
                return self._problem(name, reader, phone.udid)
            preferred = None if is_unclear else {'bundle_id': reader.get('bundle_id'), 'name': reader.get('app')}
            apps = []
            if is_unclear or self._settings.has_cards:
                apps = self._host.request('apps', {'device': phone.udid}, LONGEST_LOOK).get('apps') or []
            chosen = choose_apps(apps, self._settings, preferred)
            if chosen[0] is None:
                return self._problem(name, reader, phone.udid)
            if is_unclear:
                reader = self._reader(phone.udid, chosen[0]['bundle_id'])
        except RemoteError as error:
            if error.data.get('code') in ('no_device', 'device_gone'):
                return None
            return Problem(name, said(error), error.data.get('code'), phone.udid)
        except ChildSilent:
            # The other devices are looked at; this one again later.
            return self._silent(phone)
        if reader.get('state') == 'online':
            return Found(phone.udid, reader.get('name') or name, chosen, epoch, is_unclear)
        return self._problem(name, reader, phone.udid)

    @staticmethod
    def _problem(name, reader, udid):
        if reader.get('state') in (None, 'absent'):
            return None  # It was unplugged while it was looked at.
        text = ' '.join(part for part in (reader.get('message'), reader.get('hint')) if part)
        if not text:
            text = f'{reader.get("app") or "The reader app"} is not ready ({reader.get("state")}).'
        return Problem(reader.get('name') or name, text, reader.get('code') or reader.get('state'), udid)

    def _reader(self, udid, app=None):
        """What the host says of a reader app on a device. Raises as `request`."""
        params = {'device': udid}
        if app:
            params['app'] = app
        readers = self._host.request('detect', params, LONGEST_LOOK, epoch=self._host.epoch).get('readers') or []
        return next((reader for reader in readers if reader.get('device') == udid), {})
