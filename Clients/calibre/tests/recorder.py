# SPDX-License-Identifier: GPL-3.0-or-later
"""Records on which thread the plugin sends requests to the program."""

import threading


class Recorder:
    """Starts recording. Call on the window's thread."""

    def __init__(self):
        from calibre_plugins.overlayhost.wire import Connection
        self._window = threading.get_ident()
        # The waiting requests and the sent-only requests, each with whether the window's thread sent it.
        self.waited, self.sent = [], []
        for name, noted in (('call', self.waited), ('post', self.sent)):
            setattr(Connection, name, self._noting(getattr(Connection, name), noted))

    def _noting(self, original, noted):
        def run(connection, method, *arguments, **options):
            noted.append((method, threading.get_ident() == self._window))
            return original(connection, method, *arguments, **options)
        return run

    def count(self, method):
        """How many requests of a method have been waited for."""
        return sum(asked == method for asked, _ in list(self.waited))

    def check(self):
        """Checks that the window's thread did not wait, and only sent the requests of an eject."""
        asked = {method for method, _ in self.waited}
        assert {'detect', 'apps', 'open', 'books', 'upload', 'update', 'delete', 'get', 'annotations', 'prefs.list'} <= asked, asked
        assert not [method for method, is_window in self.waited if is_window], self.waited
        assert {method for method, is_window in self.sent if is_window} == {'eject', 'close'}, self.sent
