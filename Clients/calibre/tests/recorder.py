# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on which thread the plugin asks the program."""

import threading


class Recorder:
    """Begins to note. Made on the window's thread."""

    def __init__(self):
        from calibre_plugins.overlayhost.wire import Connection
        self._window = threading.get_ident()
        # Requests that were waited for, and those that were only sent, with whether the window's thread asked.
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
        """The window's thread has waited for nothing, and sent nothing but what an eject lets go of."""
        asked = {method for method, _ in self.waited}
        assert {'detect', 'apps', 'open', 'books', 'upload', 'update', 'delete', 'get', 'annotations', 'prefs.list'} <= asked, asked
        assert not [method for method, is_window in self.waited if is_window], self.waited
        assert {method for method, is_window in self.sent if is_window} == {'eject', 'close'}, self.sent
