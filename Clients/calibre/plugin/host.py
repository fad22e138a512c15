# SPDX-License-Identifier: GPL-3.0-or-later
"""The child process `overlayhost serve`: starts it, restarts it after it ended, and tracks the attached devices.

Imports nothing of calibre. All methods may be called from any thread.
"""

import sys
import threading
import time

from calibre_plugins.overlayhost.hints import text_of
from calibre_plugins.overlayhost.phones import Phones
from calibre_plugins.overlayhost.program import ProgramProblem, child_environment, find_program
from calibre_plugins.overlayhost.wire import LONGEST_REQUEST, ChildGone, ChildSilent, Connection, RemoteError

PROTOCOL_VERSION = 1
NEEDED_METHODS = frozenset((
    'apps', 'annotations', 'books', 'close', 'delete', 'detect', 'eject', 'get', 'open', 'overlays', 'prefs.get', 'prefs.list',
    'prefs.set', 'prefs.unset', 'update', 'upload', 'watch'))
START_PATIENCE = 10
LONGEST_PAUSE = 30
# A program that ran this long is not in a crash loop.
STEADY_AFTER = 60
EXIT_USAGE = 64


class Host:
    """One child per calibre process. `find` returns the path of the program or raises ProgramProblem."""

    def __init__(self, client_version, find=None, environment=None, arguments=('serve',)):
        self._client_version = client_version
        self._find = find or (lambda: find_program(None))
        self._environment = environment
        self._arguments = list(arguments)
        self._lock = threading.Condition()
        self._connection = None
        self._is_ready = False
        # From the start until the first check of all devices has ended; `_is_ready` covers only the beginning of that.
        self._is_starting = False
        self._is_shut_down = False
        # The connection that ended because the user changed a setting, which is not an error.
        self._replaced = None
        self._watches = 0
        self._problem = None
        self._failures = 0
        self._next_start = 0
        self._started = 0
        self.epoch = 0
        self.path = None
        self.version = None
        self.phones = Phones()
        self.on_log = None

    # The child's life

    def start(self):
        """Begins to start the child on another thread, if it does not run and its pause after a failure is over."""
        with self._lock:
            if self._is_ready or self._is_starting or self._is_shut_down or time.monotonic() < self._next_start:
                return
            self._is_starting = True
        threading.Thread(target=self._start, name='OverlayHost start', daemon=True).start()

    def wait_until_ready(self, patience, has_looked=False):
        """Whether the child is ready, after waiting at most `patience` seconds for a pending start.

        `has_looked`: until it has also looked at all devices once, which may take long.
        """
        self.start()
        deadline = time.monotonic() + patience
        with self._lock:
            while self._is_starting and (has_looked or not self._is_ready):
                rest = deadline - time.monotonic()
                if rest <= 0:
                    break
                self._lock.wait(rest)
            return self._is_ready

    @property
    def is_ready(self):
        with self._lock:
            return self._is_ready

    @property
    def problem(self):
        """The ProgramProblem why the child does not run; None if it runs or was not started yet."""
        with self._lock:
            return self._problem

    @property
    def process_id(self):
        with self._lock:
            return self._connection.process_id if self._is_ready else None

    def restart(self):
        """Ends the child, so that the next start looks for the program again, for example at a new path."""
        with self._lock:
            connection, self._connection, self._is_ready = self._connection, None, False
            self._failures, self._next_start = 0, 0
            self._replaced = connection
        if connection is not None:
            threading.Thread(target=connection.close, name='OverlayHost end', daemon=True).start()

    def shut_down(self):
        """Ends the child for good, within about a second."""
        with self._lock:
            self._is_shut_down = True
            connection, self._connection, self._is_ready = self._connection, None, False
        if connection is not None:
            connection.close()

    # Requests

    def request(self, method, params, patience, on_progress=None, epoch=None, is_wanted=None):
        """The result of a request.

        `epoch`: the value of `self.epoch` that a session in `params` belongs to; a child started since then does not know it.
        `patience`, `is_wanted`: see `Connection.call`.
        Raises RemoteError, ChildGone or ChildSilent, and ProgramProblem if the program cannot be used.
        """
        if epoch is None and not self.is_ready:
            self.wait_until_ready(START_PATIENCE)
        with self._lock:
            connection, problem = self._connection, self._problem
            if not self._is_ready:
                raise problem or ChildGone('The program overlayhost is not running.')
            if epoch is not None and epoch != self.epoch:
                raise ChildGone('The program overlayhost was started again. The device connects anew in a moment.')
        answer = connection.call(method, params, patience, on_progress, is_wanted)
        if not isinstance(answer, dict):
            raise RemoteError(None, f'The program overlayhost gave an answer to “{method}” that this plugin does not understand.')
        return answer

    def post(self, method, params, epoch):
        """Sends a request whose answer does not matter, and returns at once."""
        with self._lock:
            connection = self._connection if self._is_ready and epoch == self.epoch else None
        if connection is not None:
            connection.post(method, params)

    def watch(self, app):
        """Has the child report this app on each device instead of the preferred one. Returns at once."""
        with self._lock:
            connection = self._connection
            self._watches += 1
            number = self._watches
        self.phones.forget_states()
        if connection is not None:
            threading.Thread(
                target=self._watch_again, args=(connection, {'app': app}, number), name='OverlayHost watch', daemon=True).start()

    @property
    def longest_request(self):
        """The largest size of a request in bytes."""
        with self._lock:
            return self._connection.longest_request if self._connection is not None else LONGEST_REQUEST

    @property
    def log(self):
        with self._lock:
            connection = self._connection
        return connection.log if connection is not None else []

    # On the thread that starts the child

    def _start(self):
        problem, connection, is_used = None, None, False
        self.phones.clear()
        try:
            path = self._find()
            connection = Connection(
                [path] + self._arguments, child_environment(self._environment),
                on_notification=self._take_notification, on_end=lambda: self._ended(connection))
            answer = self._initialize(connection, path)
            with self._lock:
                self.path = path
                self.version = str((answer.get('server') or {}).get('version') or '')
                self._watches += 1
                number = self._watches
                if connection.is_open and not self._is_shut_down:
                    self._connection, self._is_ready, self._problem, is_used = connection, True, None, True
                    self._started = time.monotonic()
                    self.epoch += 1
                    self._lock.notify_all()
            if not is_used:
                raise ChildGone('The program overlayhost was ended.')
            self._watch(connection, {}, number)
        except ProgramProblem as error:
            problem = error
        except OSError as error:
            problem = ProgramProblem('failed', f'The program {path} cannot be started: {error.strerror or error}.')
        except RemoteError as error:
            problem = ProgramProblem(error.data.get('code') or 'failed', said(error))
        except (ChildGone, ChildSilent) as error:
            log = connection.log[-1:] if connection is not None else []
            problem = ProgramProblem('failed', ' '.join([str(error)] + log))
        except Exception as error:  # This thread must wake the waiting threads before it ends.
            problem = ProgramProblem('failed', f'The program overlayhost cannot be used: {error!r}.')
        with self._lock:
            self._is_starting = False
            if problem is not None and (connection is None or connection is not self._replaced):
                self._problem = problem
                if not is_used:
                    self._pause()
                elif self._connection is connection:
                    self._drop()
            self._lock.notify_all()
        if problem is not None and connection is not None:
            connection.close()

    def _watch(self, connection, params, number):
        """Waits until all devices have been checked once, without a time limit, as long as the child runs."""
        try:
            answer = connection.call('watch', params, START_PATIENCE, is_wanted=lambda: True)
        except RemoteError:
            if number != self._watches:
                return  # Another request to watch has ended this one.
            raise
        if number == self._watches:
            self.phones.keep_only(answer.get('devices') or [])

    def _watch_again(self, connection, params, number):
        try:
            self._watch(connection, params, number)
        except Exception as error:
            # A child that does not report devices is useless. calibre connects again when another child runs.
            print(f'OverlayHost: {error}', file=sys.stderr)
            connection.close()

    def _initialize(self, connection, path):
        def too_old(why):
            return ProgramProblem(
                'too-old', f'The program {path} does not fit this plugin: {why}. Install the same version of both.')
        try:
            answer = connection.call('initialize', {
                'protocol_version': PROTOCOL_VERSION,
                'client': {'name': 'calibre', 'version': self._client_version},
            }, START_PATIENCE)
        except ChildGone as error:
            if error.status == EXIT_USAGE:
                raise too_old('it is too old and has no “serve”')
            raise
        except RemoteError as error:
            if error.number == -32001:
                raise too_old(f'it speaks another version of the protocol ({error.message})')
            raise
        longest = (answer.get('limits') or {}).get('line_bytes')
        if isinstance(longest, int):
            connection.longest_request = longest
        capabilities = answer.get('capabilities') or {}
        missing = sorted(NEEDED_METHODS.difference(capabilities.get('methods') or NEEDED_METHODS))
        if missing:
            raise too_old('it is too old and lacks ' + ', '.join(missing))
        return answer

    def _ended(self, connection):
        with self._lock:
            if self._connection is connection and connection is not None:
                self._drop()
                self._lock.notify_all()

    def _drop(self):
        """Handles the end of the child. Needs the lock."""
        self._connection, self._is_ready = None, False
        if time.monotonic() - self._started > STEADY_AFTER:
            self._failures = 0
        self._pause()
        self.phones.clear()

    def _pause(self):
        """The delay before a restart: none after the first failure, then longer with each failure. Needs the lock."""
        pause = min(LONGEST_PAUSE, 2 ** self._failures) if self._failures else 0
        self._next_start = time.monotonic() + pause
        self._failures += 1

    def _take_notification(self, method, params):
        if method == 'device':
            self.phones.take(params)
        elif method == 'connection':
            if params.get('state') in ('lost', 'closed'):
                self.phones.look_again(params.get('device'))
        elif method == 'log' and self.on_log is not None:
            self.on_log(str(params.get('level')), str(params.get('message')))


def said(error):
    """The text of an error of the child: subject, message and hint."""
    return text_of({'message': error.message, **{name: value for name, value in error.data.items() if value}})
