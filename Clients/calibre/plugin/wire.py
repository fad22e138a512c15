# SPDX-License-Identifier: GPL-3.0-or-later
"""A child process that speaks JSON-RPC 2.0, one object per line, on its standard input and output.

Imports nothing of calibre. Every method may be called from any thread. Only `call` waits, and never longer than the time it is
given without a sign of life; writing happens on a thread of its own, so that a child that reads nothing blocks no caller.
"""

import collections
import json
import queue
import subprocess
import sys
import threading
import time

LONGEST_LINE = 512 << 20
# The largest line that the child reads, unless it says otherwise.
LONGEST_REQUEST = 32 << 20
LONGEST_LOG_LINE = 64 << 10
KEPT_LOG_LINES = 50
END = object()
# Seconds without a message after which the child is pinged, for requests that may take long.
PING_AFTER = 2
# The error code for a request that is too long.
TOO_LONG = 'request_too_long'
# A number that is not used for requests.
NO_REQUEST = 0


def encoded(message):
    """A message as a line."""
    return json.dumps(message, ensure_ascii=False, separators=(',', ':')).encode('utf-8', 'replace') + b'\n'


def in_parts(params, entries, longest):
    """The entries of a request in lists that fit into lines of `longest` bytes, with its other parameters.

    An entry that is too long for any line has a list of its own.
    """
    # The longest text around the parameters.
    room = longest - len(encoded(params)) - 1024
    part, size = [], 0
    for entry in entries:
        # An encoded line ends with a line feed, which stands for the comma in the list.
        length = len(encoded(entry))
        if part and size + length > room:
            yield part
            part, size = [], 0
        part.append(entry)
        size += length
    if part:
        yield part


def megabytes(count):
    return f'{count / (1 << 20):.1f} MiB'.replace('.0 ', ' ')


class RemoteError(Exception):
    """The child answered a request with an error."""

    def __init__(self, number, message, data=None):
        Exception.__init__(self, message)
        self.number = number
        self.message = message
        self.data = data if isinstance(data, dict) else {}


class ChildGone(Exception):
    """The child ended, or its output cannot be read. `status` is its exit status, if known."""

    def __init__(self, message, status=None):
        Exception.__init__(self, message)
        self.message = message
        self.status = status


class ChildSilent(Exception):
    """The child did not send anything about a request for too long."""


class Abandoned(Exception):
    """The caller has cancelled the request."""


class PendingCall:
    """A request without an answer yet. Its fields are guarded by the lock of the connection."""

    def __init__(self, on_progress):
        self.on_progress = on_progress
        # The number of the pending ping for this request.
        self.ping = None
        self.is_done = False
        self.result = None
        self.error = None
        self.last_sign = time.monotonic()


class Connection:
    """A running child. Once `is_open` is false, it stays false; start another child."""

    def __init__(self, command, environment=None, on_notification=None, on_end=None):
        """Starts the child.

        `on_notification(method, params)` and `on_end()` are called on the reader's thread and must return soon; `on_end` once, after
        all waiting calls have failed. Raises OSError if the program cannot be started.
        """
        self._lock = threading.Condition()
        self._pending = {}
        # The requests that were pinged for, by the number of the ping.
        self._pings = {}
        self._next_id = 1
        # The largest size of a request in bytes.
        self.longest_request = LONGEST_REQUEST
        self._is_open = True
        self._reason = None
        self._on_notification = on_notification
        self._on_end = on_end
        self._log = collections.deque(maxlen=KEPT_LOG_LINES)
        options = {}
        if sys.platform == 'win32':
            options['creationflags'] = subprocess.CREATE_NO_WINDOW
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            close_fds=True, **options)
        self._outgoing = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=target, name='OverlayHost ' + name, daemon=True)
            for name, target in (('writer', self._write), ('reader', self._read), ('log', self._read_log))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_open(self):
        return self._is_open

    @property
    def process_id(self):
        return self._process.pid

    @property
    def log(self):
        """The last lines that the child wrote to its standard error."""
        return list(self._log)

    def call(self, method, params, patience, on_progress=None, is_wanted=None):
        """The result of a request.

        `patience`: seconds without an answer or a notification about it after which the request is cancelled and ChildSilent raised.
        `on_progress(method, params)` is called on the reader's thread for each notification that names this request.
        `is_wanted()`: if given, answers to pings count, too, so that it is waited for as long as the child lives and this is true;
        else Abandoned is raised.
        Raises RemoteError, ChildGone, ChildSilent.
        """
        if is_wanted is not None and not is_wanted():
            raise Abandoned()
        pending = PendingCall(on_progress)
        with self._lock:
            number, self._next_id = self._next_id, self._next_id + 1
        # Encode without the lock, because a large request takes a moment.
        line = encoded({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params})
        if len(line) > self.longest_request:
            text = (
                f'The message to the program overlayhost would be longer than {megabytes(self.longest_request)}, the most that '
                'it takes at once.')
            raise RemoteError(None, text, {'code': TOO_LONG, 'message': text})
        with self._lock:
            if not self._is_open:
                raise ChildGone(self._reason, self._process.poll())
            self._pending[number] = pending
            self._outgoing.put(line)
            while not pending.is_done:
                if is_wanted is not None and not is_wanted():
                    self._give_up(number)
                    raise Abandoned()
                rest = pending.last_sign + patience - time.monotonic()
                if rest <= 0:
                    self._give_up(number)
                    raise ChildSilent(f'OverlayHost gave no answer to "{method}" for {patience:g} seconds.')
                if is_wanted is not None and pending.ping is None:
                    rest -= max(patience - PING_AFTER, patience / 2)
                    if rest <= 0:
                        self._ping(pending)
                        continue
                self._lock.wait(rest)
        if pending.error is not None:
            raise pending.error
        return pending.result

    def _give_up(self, number):
        """Needs the lock."""
        self._pings.pop(self._pending.pop(number).ping, None)
        self._send({'jsonrpc': '2.0', 'method': '$/cancelRequest', 'params': {'id': number}})

    def _ping(self, pending):
        """Sends a ping, which is answered at once even while requests wait for devices. Needs the lock."""
        pending.ping, self._next_id = self._next_id, self._next_id + 1
        self._pings[pending.ping] = pending
        self._send({'jsonrpc': '2.0', 'id': pending.ping, 'method': '$/cancelRequest', 'params': {'id': NO_REQUEST}})

    def post(self, method, params):
        """Sends a request whose answer does not matter, and returns at once. Does nothing if the child is gone."""
        with self._lock:
            if self._is_open:
                self._send({'jsonrpc': '2.0', 'id': self._next_id, 'method': method, 'params': params})
                self._next_id += 1

    def close(self, patience=1.5):
        """Ends the child: by the end of its input, and by force if it has not ended after `patience` seconds."""
        self._outgoing.put(END)
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                pass
        self._fail_all('The program overlayhost was ended.')

    # The threads

    def _send(self, message):
        self._outgoing.put(encoded(message))

    def _write(self):
        stream = self._process.stdin
        try:
            while True:
                line = self._outgoing.get()
                if line is END:
                    break
                stream.write(line)
                stream.flush()
        except (OSError, ValueError):
            pass  # The reader notices the end as well, and reports it.
        finally:
            try:
                stream.close()
            except OSError:
                pass

    def _read(self):
        reason = None
        try:
            while True:
                line = self._process.stdout.readline(LONGEST_LINE)
                if not line:
                    break
                if not line.endswith(b'\n'):
                    reason = 'The program overlayhost ended in the middle of an answer.'
                    break
                line = line.strip()
                if line:
                    self._take(json.loads(line))
        except (OSError, ValueError) as error:
            reason = f'The program overlayhost sent an answer that cannot be read: {error}.'
        except Exception as error:  # If the reader ended without a report, its callers would wait forever.
            reason = f'An answer of the program overlayhost could not be used: {error!r}.'
        if reason is not None and self._process.poll() is None:
            self._process.kill()
        try:
            status = self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._process.stdout.close()
        self._fail_all(reason or self._end_text(status))
        self._outgoing.put(END)
        if self._on_end is not None:
            self._on_end()

    def _read_log(self):
        with self._process.stderr as stream:
            while line := stream.readline(LONGEST_LOG_LINE):
                self._log.append(line.decode('utf-8', 'replace').rstrip())

    @staticmethod
    def _end_text(status):
        if status is not None and status < 0:
            return f'The program overlayhost crashed or was killed (signal {-status}).'
        return f'The program overlayhost ended unexpectedly (exit status {status}).'

    def _take(self, message):
        if not isinstance(message, dict):
            raise ValueError('it is not an object')
        if 'method' in message:
            params = message.get('params')
            self._take_notification(message['method'], params if isinstance(params, dict) else {})
            return
        number, error = message.get('id'), message.get('error')
        with self._lock:
            pinged = self._pings.pop(number, None)
            if pinged is not None:
                pinged.ping, pinged.last_sign = None, time.monotonic()
            if number is None and isinstance(error, dict):
                # The child could not read a line, and cannot name it, so any pending request may stay without an answer.
                answered = list(self._pending.values())
                self._pending.clear()
            else:
                # None: the answer to a cancelled request.
                answered = [pending for pending in (self._pending.pop(number, None),) if pending is not None]
            for pending in answered:
                if isinstance(error, dict):
                    pending.error = RemoteError(error.get('code'), str(error.get('message') or ''), error.get('data'))
                else:
                    pending.result = message.get('result')
                pending.is_done = True
            self._lock.notify_all()

    def _take_notification(self, method, params):
        number = params.get('request')
        pending = None
        if number is not None:
            with self._lock:
                pending = self._pending.get(number)
                if pending is not None:
                    pending.last_sign = time.monotonic()
                    self._lock.notify_all()
        if pending is not None and pending.on_progress is not None:
            try:
                pending.on_progress(method, params)
            except Exception:  # Such as a closed standard output: the request continues without progress.
                pending.on_progress = None
        if self._on_notification is not None:
            self._on_notification(method, params)

    def _fail_all(self, reason):
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._reason = reason
            for pending in self._pending.values():
                pending.error = ChildGone(self._reason, self._process.poll())
                pending.is_done = True
            self._pending.clear()
            self._pings.clear()
            self._lock.notify_all()
