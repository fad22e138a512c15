# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to devices that go on while calibre's device thread does not wait for them. Imports nothing of calibre."""

import threading
import time
import traceback

from calibre_plugins.overlayhost.wire import Abandoned, ChildGone, ChildSilent


class Look:
    """A question to a device, on a thread of its own. `ask(is_wanted)` gives the answer; what it raises counts as None."""

    def __init__(self, news, ask):
        # The last piece of news of the device when the look began.
        self.news = news
        self.answer = None
        self.begun = time.monotonic()
        self.ended = None
        self.is_wanted = True
        # Whether calibre has been given the answer.
        self.is_reported = False
        self._done = threading.Event()
        threading.Thread(target=self._run, args=(ask,), name='OverlayHost look', daemon=True).start()

    @property
    def is_done(self):
        return self._done.is_set()

    def wait_until(self, deadline):
        """Whether it has ended, after waiting for it no longer than until then."""
        return self._done.wait(max(0, deadline - time.monotonic()))

    def _run(self, ask):
        try:
            self.answer = harmless(lambda: ask(lambda: self.is_wanted))
        finally:
            self.ended = time.monotonic()
            self._done.set()


def harmless(work):
    """The result, or None for whatever is raised: calibre's device thread must not see it."""
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
