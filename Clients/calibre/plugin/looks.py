# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to devices that continue while calibre's device thread does not wait for them. Does not import calibre."""

import threading
import time
import traceback

from calibre_plugins.overlayhost.wire import Abandoned, ChildGone, ChildSilent


class Look:
    """A request to a device on its own thread. `ask(is_wanted)` returns the answer; an exception counts as None."""

    def __init__(self, news, ask):
        # The device's last notification when the request began.
        self.news = news
        self.answer = None
        self.begun = time.monotonic()
        self.ended = None
        self.is_wanted = True
        # Whether calibre has received the answer.
        self.is_reported = False
        self._done = threading.Event()
        threading.Thread(target=self._run, args=(ask,), name='OverlayHost look', daemon=True).start()

    @property
    def is_done(self):
        return self._done.is_set()

    def wait_until(self, deadline):
        """Waits until the given time at most. Returns whether the request has ended."""
        return self._done.wait(max(0, deadline - time.monotonic()))

    def _run(self, ask):
        try:
            self.answer = harmless(lambda: ask(lambda: self.is_wanted))
        finally:
            self.ended = time.monotonic()
            self._done.set()


def harmless(work):
    """The result, or None after an exception, which must not reach calibre's device thread."""
    try:
        return work()
    except (Abandoned, ChildGone, ChildSilent):
        return None
    except Exception:
        try:
            traceback.print_exc()
        except OSError:
            pass  # There is no standard error to write to.
        return None
