# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns errors into those that calibre shows as a message."""

import functools
import html
import threading
import traceback

from calibre.devices.errors import FreeSpaceError, ProtocolError, UserFeedback

from calibre_plugins.overlayhost.hints import for_calibre
from calibre_plugins.overlayhost.host import said
from calibre_plugins.overlayhost.program import ProgramProblem
from calibre_plugins.overlayhost.wire import ChildGone, ChildSilent, RemoteError

# Errors of JSON-RPC that only a mistake in this plugin or in the host can cause. They keep their class and traceback.
MISTAKES = frozenset((-32700, -32600, -32601, -32602, -32603, -32002))
GENTLE = {'cancelled': UserFeedback.INFO, 'busy': UserFeedback.WARN, 'timed_out': UserFeedback.WARN, 'needs_consent': UserFeedback.WARN}


def shown(text):
    """Escapes text for calibre's message boxes, which interpret tags."""
    return '<p>' + html.escape(text).replace('\n', '<br>') + '</p>' if '<' in text else text


class UserMessage(UserFeedback):
    """An error that calibre shows as a message. `code` is the host's code of the error, None if it has none."""

    def __init__(self, text, level=UserFeedback.ERROR, code=None, details=''):
        UserFeedback.__init__(self, shown(text), details, level)
        self.code = code
        # Kept as it is, because `msg` may have markup.
        self.text = text


def feedback(error, log=()):
    """Converts an error of the host for calibre. Returns programming errors unchanged."""
    if isinstance(error, RemoteError):
        if error.number in MISTAKES:
            return error
        code = error.data.get('code')
        return UserMessage(said(error), GENTLE.get(code, UserFeedback.ERROR), code)
    if isinstance(error, ProgramProblem):
        return UserMessage(error.message, code=error.code)
    if isinstance(error, ChildGone):
        text = f'{error.message} Books that were on the device are still there. Try again in a moment.'
        return UserMessage(text, code='gone', details='\n'.join(log))
    if isinstance(error, ChildSilent):
        return UserMessage(f'{error} Check that the device is awake and the reader app is open, and try again.', code='silent')
    return error


def guarded(title, becomes_notice=False):
    """For the methods of the Bridge: turns an unexpected exception into a message with the traceback in its details.

    `becomes_notice`: for methods whose errors calibre ignores. The message appears after the next job of the device, and the method returns None.
    """
    def guard(method):
        @functools.wraps(method)
        def run(bridge, *arguments):
            try:
                return method(bridge, *arguments)
            except ProtocolError:
                raise
            except Exception as error:
                text = unfinished(error)
                if not becomes_notice:
                    raise UserMessage(text, details=traceback.format_exc()) from error
                bridge.add_notice({'title': title, 'msg': shown(text), 'det_msg': traceback.format_exc()})
                return None
        return run
    return guard


def unfinished(error):
    """The message for an unexpected exception: a system error, such as one of writing a file, or a programming error."""
    if isinstance(error, OSError) and error.strerror:
        names = ', '.join(str(name) for name in (error.filename, error.filename2) if name)
        return 'This could not be finished: ' + (f'{error.strerror} ({names}).' if names else f'{error.strerror}.')
    return f'This could not be finished, because of a mistake in OverlayHost: {error or repr(error)}'


def joined(notices):
    """Joins notices, because calibre shows only one after a job; None if there are none."""
    if not notices:
        return None
    texts = [notice['msg'] for notice in notices]
    return {
        'title': ', '.join(dict.fromkeys(notice['title'] for notice in notices)),
        'msg': ('<br><br>' if any('<' in text for text in texts) else '\n\n').join(texts),
        'det_msg': '\n\n'.join(notice['det_msg'] for notice in notices if notice.get('det_msg'))}


class Notices:
    """The notices to show after a job. The device thread and the window's thread add to them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._waiting = []
        self._read = 0

    def add(self, notice):
        """Adds a notice. Does nothing for None."""
        if notice is not None:
            with self._lock:
                self._waiting.append(notice)

    def read(self):
        """Joins all pending notices; None if there are none."""
        with self._lock:
            self._read = len(self._waiting)
            return joined(self._waiting)

    def drop_read(self):
        """Removes the notices that were shown. Newer ones wait for the next job."""
        with self._lock:
            del self._waiting[:self._read]
            self._read = 0


def failed_row(error):
    """The row of a book whose request ended with this UserMessage."""
    return {'status': 'failed', 'code': error.code, 'message': error.text}


def no_space(on_card, message):
    """calibre recognises the place by the words “card” or “memory” in the text."""
    where = 'the storage card' if on_card else 'the main memory'
    return FreeSpaceError(f'There is not enough space in {where} of the device. {message}')


class Rows:
    """The result rows of the books."""

    def __init__(self, rows, titles):
        self._pairs = list(zip(rows or [], titles))
        self.failed = [(row, title) for row, title in self._pairs if row.get('status') == 'failed']
        self.done = [row for row, _ in self._pairs if row.get('status') != 'failed']
        self.skipped = [(row, title) for row, title in self._pairs if row.get('status') == 'skipped']

    @property
    def lacks_space(self):
        return bool(self.failed) and all(row.get('code') == 'no_space' for row, _ in self.failed)

    def details(self):
        """A line for each book that failed."""
        return '\n'.join(f'{title}: {row.get("message") or row.get("code")}' for row, title in self.failed)

    def notice_of_skipped(self, title):
        """The message after a job that skipped books; None if it did not."""
        if not self.skipped:
            return None
        if len(self._pairs) == 1:
            row, name = self.skipped[0]
            return {'title': title, 'msg': shown(f'“{name}” was left alone. {row.get("message") or ""}'.rstrip()), 'det_msg': ''}
        lines = [': '.join(part for part in (name, row.get('message')) if part) for row, name in self.skipped]
        return {
            'title': title, 'det_msg': '\n'.join(lines),
            'msg': f'{len(self.skipped)} of {len(self._pairs)} books {"was" if len(self.skipped) == 1 else "were"} left alone. '
                   'The details name them.'}

    def hints(self):
        hints = dict.fromkeys(for_calibre(row) for row, _ in self.failed)
        # A hint that ends with a command has no full stop.
        return ' '.join(hint if hint.endswith('.') else hint + '.' for hint in hints if hint)

    def error(self, what):
        """The message if no book could be `what` (such as “sent”)."""
        if len(self.failed) == 1:
            row, title = self.failed[0]
            text = ' '.join(part for part in (f'“{title}” was not {what}. {row.get("message") or ""}', self.hints()) if part)
            return UserMessage(text, GENTLE.get(row.get('code'), UserFeedback.ERROR), row.get('code'))
        text = ' '.join(part for part in (f'{len(self.failed)} books were not {what}.', self.hints()) if part)
        return UserMessage(text, details=self.details())

    def notice(self, title, what):
        """The message after a job in which some books could not be `what`."""
        count = len(self._pairs)
        if count == 1:
            error = self.error(what)
            return {'title': title, 'msg': error.msg, 'det_msg': error.details}
        text = ' '.join(part for part in (f'{len(self.failed)} of {count} books were not {what}.', self.hints()) if part)
        return {'title': title, 'msg': shown(text), 'det_msg': self.details()}
