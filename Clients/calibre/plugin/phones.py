# SPDX-License-Identifier: GPL-3.0-or-later
"""The devices that are attached, according to the notifications of the host. Imports nothing of calibre; safe to use from any thread."""

import itertools
import threading

STATES = frozenset((
    'online', 'offline', 'not-in-connection-mode', 'app-missing', 'access-refused', 'not-served', 'unreachable', 'yanked'))
# States of an app that the user has left.
LEFT = frozenset(('offline', 'not-in-connection-mode', 'app-missing'))


class Phone:
    """An attached device."""

    def __init__(self, udid):
        self.udid = udid
        self.name = None
        self.ways = set()
        # The last reported state of the reader app; None before the first report.
        self.state = None
        # The number of the last notification. Numbers are never reused, even after the device was unplugged.
        self.news = 0
        # The user has ejected the device. Reset when the device or its app goes away and comes back.
        self.is_ejected = False


class Phones:
    def __init__(self):
        self._lock = threading.Lock()
        self._phones = {}
        self._ejected = set()
        self._numbers = itertools.count(1)

    def clear(self):
        """Removes all devices, because the host has ended. Ejected devices stay ejected."""
        with self._lock:
            self._ejected = {phone.udid for phone in self._phones.values() if phone.is_ejected} | self._ejected
            self._phones = {}

    def keep_only(self, udids):
        """Handles the list of attached devices."""
        with self._lock:
            self._phones = {udid: self._phones.get(udid) or self._new(udid) for udid in udids}
            self._ejected.intersection_update(udids)

    def take(self, event):
        """Handles a notification `device`."""
        udid, kind = event.get('udid'), event.get('event')
        if not isinstance(udid, str) or not isinstance(kind, str):
            return
        with self._lock:
            phone = self._phones.get(udid)
            if kind == 'detached':
                if phone is not None:
                    phone.ways.discard(event.get('connection'))
                    phone.news = next(self._numbers)
                    if not phone.ways:
                        del self._phones[udid]
                        self._ejected.discard(udid)
                return
            if phone is None:
                phone = self._phones[udid] = self._new(udid)
            phone.name = event.get('name') or phone.name
            phone.news = next(self._numbers)
            if kind == 'attached':
                phone.ways.add(event.get('connection'))
            elif kind in STATES:
                if phone.state == 'online' and kind in LEFT:
                    # The ejected app is gone. When it comes back, it is used again.
                    phone.is_ejected = False
                phone.state = kind

    def forget_states(self):
        """Clears the states of the reader app, because another app was chosen."""
        with self._lock:
            for phone in self._phones.values():
                phone.state = None

    def look_again(self, udid):
        with self._lock:
            if udid in self._phones:
                self._phones[udid].news = next(self._numbers)

    def eject(self, udid):
        with self._lock:
            if udid in self._phones:
                self._phones[udid].is_ejected = True
            else:
                self._ejected.add(udid)

    def attached(self, udid):
        """A copy of what is known of an attached device; None if it is not attached."""
        with self._lock:
            phone = self._phones.get(udid)
            return self._copy(phone) if phone is not None else None

    def all(self):
        """Copies of all, in the order in which they were attached."""
        with self._lock:
            return [self._copy(phone) for phone in self._phones.values()]

    def _new(self, udid):
        phone = Phone(udid)
        phone.news = next(self._numbers)
        phone.is_ejected = udid in self._ejected
        self._ejected.discard(udid)
        return phone

    @staticmethod
    def _copy(phone):
        copy = Phone(phone.udid)
        copy.__dict__.update(phone.__dict__, ways=set(phone.ways))
        return copy
