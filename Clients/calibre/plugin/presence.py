# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers calibre's question whether a device is there.

calibre asks on its device thread, every two seconds, and an exception here can end that thread for good. So `detect` never raises,
asks the device only when there is news or a problem that may have gone, and takes every failure for “nothing there”.
A device that takes long to answer is asked once: calibre hears “nothing there” until the answer comes.
Imports nothing of calibre.
"""

import threading
import time

from calibre_plugins.overlayhost.apps import choose_apps, named_cards, unasked
from calibre_plugins.overlayhost.hints import for_calibre, text_of
from calibre_plugins.overlayhost.host import said
from calibre_plugins.overlayhost.looks import Look, harmless
from calibre_plugins.overlayhost.program import ProgramProblem
from calibre_plugins.overlayhost.wire import ChildSilent, RemoteError

# The first answer waits for a complete check, because some programs of calibre ask only once. Seconds to start the program and to
# check.
FIRST_PATIENCE = 10
# Seconds that calibre's device thread waits for a check.
LOOK_PATIENCE = 4
# Seconds without a message from the program after which a check has failed.
SILENT_AFTER = 8
# Seconds after which a device with a problem is checked again, even without a notification from the host.
LOOK_AGAIN_AFTER = 6
# Seconds after which calibre tells the user that it waits for a device.
SLOW_AFTER = 30
# The host's error if none of the preferred apps are on the device.
UNCLEAR = frozenset(('app_not_chosen', 'app_not_installed', 'no_overlay'))
DEVICE = 'iPhone or iPad'


class Found:
    """A device that can be used now."""

    def __init__(self, udid, name, apps, epoch, is_app_ours=False, left_out=(), named=()):
        self.udid = udid
        self.name = name
        # The reader apps as `apps` of the host describes them: main memory, card A, card B; None where there is none.
        self.apps = apps
        self.epoch = epoch
        # Whether the host cannot choose an app without the plugin, and so reports an app only if it is named.
        self.is_app_ours = is_app_ours
        # Why some apps are not shown: sentences.
        self.left_out = list(left_out)
        # The bundle ids that the user chose for cards.
        self.named = frozenset(named)

    def __repr__(self):
        return f'<OverlayHost: {self.name}>'


class Problem:
    """Why no device can be used, as text for the user. calibre shows a problem with the same identity only once per run."""

    def __init__(self, name, message, code, subject=()):
        self.name = name
        self.message = message
        self.identity = ('OverlayHost', code, *subject)

    def __repr__(self):
        return f'<OverlayHost: {self.message}>'


def program_problem(problem):
    """The identity includes path and version, but not the last output of a crashed program, which may vary."""
    return Problem('OverlayHost', problem.message, problem.code, (problem.message,) if problem.code in ('missing', 'too-old') else ())


def left_out(apps, main):
    """Why apps whose overlays could not be asked are not shown: sentences."""
    return [
        f'{app.get("name")} could not be asked. {text_of(error)}' for app, error in unasked(apps)
        if app.get('bundle_id') != main.get('bundle_id')]


class Presence:
    """`settings` gives the user's choices: `device`, `card_a` and `card_b`."""

    def __init__(self, host, settings):
        self._host = host
        self._settings = settings
        self._connected = None
        # Guards the checks of devices, by UDID.
        self._lock = threading.Lock()
        self._looks = {}
        # The check that the app of the connected device still exists.
        self._check = None
        self._has_asked = False
        # The number of the connected device's last handled notification.
        self._known_news = 0
        self._seen_epoch = 0
        # How often each device was opened, by UDID.
        self._openings = {}

    # For the driver

    def detect(self):
        """A Found, a Problem, or None. Never raises; waits a few seconds at most."""
        return harmless(self._detect)

    def opened(self, found):
        """Marks the device as opened by calibre."""
        phone = self._host.phones.attached(found.udid)
        self._known_news = phone.news if phone is not None else 0
        self._connected = found
        self._openings[found.udid] = self._openings.get(found.udid, 0) + 1

    def subject(self, udid):
        """What a problem of a device is about. Any thread.

        After the device was opened once more, the same problem is another one, and worth a message.
        """
        return udid, self._openings.get(udid, 0)

    def ejected(self):
        """Handles an eject by the user. Any thread; returns at once."""
        connected = self._connected
        if connected is not None:
            self._host.phones.eject(connected.udid)

    def left(self):
        """Marks the device as closed by calibre."""
        self._connected = None
        self._end_check()

    def look_anew(self):
        """Clears earlier results, because the user chose another app or device. Any thread."""
        with self._lock:
            for look in self._looks.values():
                look.is_wanted = False
            self._looks = {}

    # On the device thread

    def _detect(self):
        connected = self._connected
        if connected is None:
            return self._find()
        return connected if self._is_still_there(connected) else None

    def _is_still_there(self, connected):
        host = self._host
        if not host.is_ready or host.epoch != connected.epoch:
            # The program crashed. calibre must open the device again, because the new child does not know the session.
            host.start()
            return False
        phone = host.phones.attached(connected.udid)
        if phone is None or phone.is_ejected:
            return False
        check, patience = self._check, 0
        if check is None:
            if phone.news == self._known_news:
                return True
            self._known_news = phone.news
            if phone.state in (None, 'online'):
                return True
            udid, app = connected.udid, connected.apps[0]['bundle_id']
            check = self._check = Look(phone.news, lambda is_wanted: self._reader(udid, is_wanted, app).get('state'))
            patience = LOOK_PATIENCE
        if not check.wait_until(time.monotonic() + patience):
            return True  # As far as is known.
        self._end_check()
        return check.answer == 'online'

    def _end_check(self):
        check, self._check = self._check, None
        if check is not None:
            check.is_wanted = False

    def _find(self):
        host = self._host
        is_first, self._has_asked = not self._has_asked, True
        first_deadline = time.monotonic() + FIRST_PATIENCE
        # After the first check, a start continues while calibre looks for other devices.
        if not host.wait_until_ready(FIRST_PATIENCE if is_first else 0, has_looked=True):
            problem = host.problem
            return program_problem(problem) if problem is not None else None
        phones = [phone for phone in host.phones.all() if self._is_wanted(phone)]
        attached = {phone.udid for phone in phones}
        with self._lock:
            is_anew = host.epoch != self._seen_epoch
            self._seen_epoch = host.epoch
            for udid in [udid for udid in self._looks if udid not in attached or is_anew]:
                self._looks.pop(udid).is_wanted = False
        # Check all of them at the same time, so that a slow device does not delay the others for long.
        looks = [(phone, self._look_at(phone)) for phone in phones if not phone.is_ejected]
        begun = time.monotonic()
        # A usable device does not wait long for the others. Without one, the first check may take longer.
        for is_longer in (False, True) if is_first else (False,):
            first_problem = None
            for phone, look in looks:
                deadline = min(begun, look.begun) + LOOK_PATIENCE
                look.wait_until(first_deadline if is_longer else min(deadline, first_deadline) if is_first else deadline)
                answer = self._report_of(phone, look)
                if isinstance(answer, Found):
                    return answer
                first_problem = first_problem or answer
        return first_problem

    def _is_wanted(self, phone):
        wanted = (self._settings.get('device') or '').strip().casefold()
        return not wanted or phone.udid.casefold().startswith(wanted) or (phone.name or '').casefold().startswith(wanted)

    def _look_at(self, phone):
        """The current check of a device, which may have just begun."""
        with self._lock:
            look = self._looks.get(phone.udid)
            if look is not None:
                # Use the result of a long check even if there are newer notifications, or frequent ones could restart it forever.
                if not look.is_done or not look.is_reported:
                    return look
                is_lasting = isinstance(look.answer, Found) or time.monotonic() - look.ended < LOOK_AGAIN_AFTER
                if look.news == phone.news and is_lasting:
                    return look
            look = self._looks[phone.udid] = Look(phone.news, lambda is_wanted: self._look(phone, is_wanted))
            return look

    def _report_of(self, phone, look):
        if not look.is_wanted:
            return None  # The person has chosen another app meanwhile.
        if look.is_done:
            look.is_reported = True
            return look.answer
        if time.monotonic() - look.begun < SLOW_AFTER:
            return None
        name = phone.name or DEVICE
        return Problem(
            name, f'{name} takes long to answer. It will appear when it does. If it does not, unlock it, or plug it in again.', 'slow',
            self.subject(phone.udid))

    # On the thread of a look

    def _look(self, phone, is_wanted):
        epoch = self._host.epoch
        name = phone.name or DEVICE
        try:
            reader = self._reader(phone.udid, is_wanted)
            # Any other app is better than none.
            is_unclear = reader.get('code') in UNCLEAR
            if reader.get('state') != 'online' and not is_unclear:
                return self._problem(name, reader, phone.udid)
            preferred = None if is_unclear else {'bundle_id': reader.get('bundle_id'), 'name': reader.get('app')}
            apps, formats = [], {}
            if is_unclear or self._settings.has_cards:
                apps, formats = self._apps(phone.udid, is_wanted), self._formats(is_wanted)
            chosen = choose_apps(apps, self._settings, preferred, formats)
            if chosen[0] is None:
                return self._problem(name, reader, phone.udid)
            if is_unclear:
                reader = self._reader(phone.udid, is_wanted, chosen[0]['bundle_id'])
        except RemoteError as error:
            if error.data.get('code') in ('no_device', 'device_gone'):
                return None
            return Problem(name, said(error), error.data.get('code'), self.subject(phone.udid))
        except ProgramProblem as problem:
            return program_problem(problem)
        except ChildSilent:
            # Looked at again later.
            return Problem(name, f'{name} does not answer. Unlock it, or plug it in again.', 'silent', self.subject(phone.udid))
        if reader.get('state') == 'online':
            return Found(
                phone.udid, reader.get('name') or name, chosen, epoch, is_unclear, left_out(apps, chosen[0]), named_cards(self._settings))
        return self._problem(name, reader, phone.udid)

    def _problem(self, name, reader, udid):
        if reader.get('state') in (None, 'absent'):
            return None  # It was unplugged during the check.
        text = ' '.join(part for part in (reader.get('message'), for_calibre(reader)) if part)
        if not text:
            text = f'{reader.get("app") or "The reader app"} is not ready ({reader.get("state")}).'
        return Problem(reader.get('name') or name, text, reader.get('code') or reader.get('state'), self.subject(udid))

    def _apps(self, udid, is_wanted):
        """The reader apps on a device. Asks once more if an app's overlay did not answer, as on a computer with much to do:
        otherwise another app would be the main memory for as long as the device is connected."""
        apps = []
        for _ in range(2):
            apps = self._host.request('apps', {'device': udid}, SILENT_AFTER, is_wanted=is_wanted).get('apps') or []
            if not unasked(apps):
                break
        return apps

    def _formats(self, is_wanted):
        """The extensions that each overlay takes, by its id."""
        answer = self._host.request('overlays', {}, SILENT_AFTER, is_wanted=is_wanted)
        return {overlay.get('id'): overlay.get('formats') or [] for overlay in answer.get('overlays') or []}

    def _reader(self, udid, is_wanted, app=None):
        """The host's description of a reader app on a device. Raises the same errors as `request`."""
        params = {'device': udid}
        if app:
            params['app'] = app
        answer = self._host.request('detect', params, SILENT_AFTER, epoch=self._host.epoch, is_wanted=is_wanted)
        return next((reader for reader in answer.get('readers') or [] if reader.get('device') == udid), {})
