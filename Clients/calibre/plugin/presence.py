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
LOOK_PATIENCE = 4
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


class Presence:
    """`settings` gives the person's choices: `device`, `card_a` and `card_b`."""

    def __init__(self, host, settings):
        self._host = host
        self._settings = settings
        self._connected = None
        # Guards the next two.
        self._lock = threading.Lock()
        self._looks = {}
        # Grows when the person chooses another app or device, so that a look that began before is not kept.
        self._choices = 0
        self._has_looked = False
        # The news of the connected device that have been understood.
        self._known_news = 0
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
            self._looks = {}
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
        if phone.news != self._known_news:
            self._known_news = phone.news
            if phone.state in (None, 'online'):
                return True
            return self._reader(connected.udid, connected.apps[0]['bundle_id']).get('state') == 'online'
        return True

    def _find(self):
        host = self._host
        if not host.is_ready:
            host.start()
            # Later on a start goes on while calibre looks for other devices.
            if not host.wait_until_ready(0 if self._has_looked else FIRST_PATIENCE):
                problem = host.problem
                return Problem('OverlayHost', problem.message, problem.code) if problem is not None else None
        self._has_looked = True
        phones = [phone for phone in host.phones.all() if self._is_wanted(phone)]
        attached = {phone.udid for phone in phones}
        with self._lock:
            is_anew = host.epoch != self._seen_epoch
            self._seen_epoch = host.epoch
            self._looks = {udid: look for udid, look in self._looks.items() if udid in attached and not is_anew}
        first_problem = None
        for phone in phones:
            if phone.is_ejected:
                continue
            answer = self._seen(phone)
            if isinstance(answer, Found):
                return answer
            first_problem = first_problem or answer
        return first_problem

    def _is_wanted(self, phone):
        wanted = (self._settings.get('device') or '').strip().casefold()
        return not wanted or phone.udid.casefold().startswith(wanted) or (phone.name or '').casefold().startswith(wanted)

    def _seen(self, phone):
        news = phone.news
        with self._lock:
            look, choices = self._looks.get(phone.udid), self._choices
        if look is not None and look.news == news:
            if isinstance(look.answer, Found) or time.monotonic() - look.time < LOOK_AGAIN_AFTER:
                return look.answer
        answer = self._look(phone)
        with self._lock:
            if choices == self._choices:
                self._looks[phone.udid] = Look(answer, news)
        return answer

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
                apps = self._host.request('apps', {'device': phone.udid}, LOOK_PATIENCE).get('apps') or []
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
            return Problem(name, f'{name} does not answer. Unlock it, or plug it in again.', 'silent', phone.udid)
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
        readers = self._host.request('detect', params, LOOK_PATIENCE, epoch=self._host.epoch).get('readers') or []
        return next((reader for reader in readers if reader.get('device') == udid), {})
