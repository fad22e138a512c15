# SPDX-License-Identifier: GPL-3.0-or-later
"""A device that calibre has opened: its reader apps as places, and the jobs for their books.

Methods that ask the device wait, and run on calibre's device thread; the others answer at once, on any thread. Errors of the host come
out as calibre's (see failures.py).
"""

import os
import shutil
import tempfile

from calibre.devices.errors import UserFeedback, WrongDestinationError

from calibre_plugins.overlayhost.books import DeviceBook, DeviceBookList
from calibre_plugins.overlayhost.failures import Rows, UserMessage, failed_row, feedback, no_space
from calibre_plugins.overlayhost.hints import for_calibre
from calibre_plugins.overlayhost.program import ProgramProblem
from calibre_plugins.overlayhost.wire import TOO_LONG, ChildGone, ChildSilent, RemoteError, in_parts

# Seconds without an answer or progress. A job has no other time limit, because a hundred books may take minutes.
JOB_PATIENCE = 120
OPEN_PATIENCE = 20
CARDS = ('carda', 'cardb')
# Errors after which every further request to the device would fail in the same way.
GONE = frozenset(('no_device', 'device_gone', 'device_locked', 'not_paired', 'timed_out', 'silent', 'gone'))
# Errors after which every further request to the same app would fail in the same way. Other apps may still answer.
APP_GONE = frozenset(('app_unavailable', 'session_unknown'))
# In this order, for an app that takes any format.
ANY_FORMATS = ('epub', 'azw3', 'mobi', 'pdf', 'cbz', 'fb2', 'docx', 'txt')
CHANGE_TITLE = 'Send metadata to device'
# The part of a job's progress that belongs to a request: its start and its size.
WHOLE = (0.0, 1.0)


class Place:
    """One reader app of the device: calibre's main memory or one of its cards."""

    def __init__(self, code, session):
        # 'main', 'carda' or 'cardb'
        self.code = code
        self.take(session)
        self.mark = None
        # The host's last record of each book, by path.
        self.records = {}

    def take(self, session):
        self.session = session['session']
        self.app = session['app']['name']
        self.bundle_id = session['app'].get('bundle_id')
        self.overlay = (session.get('overlay') or {}).get('id')
        self.device = session.get('device') or {}
        self.formats = [extension.lower() for extension in session.get('formats') or ANY_FORMATS]
        self.settable = frozenset(session.get('settable_metadata') or ())
        self.abilities = frozenset(session.get('abilities') or ())
        self.notes = session.get('notes') or []
        # The missing abilities of the app, and the reasons.
        self.missing = session.get('missing') or []
        self.take_space(session.get('space'))

    def take_space(self, space):
        if isinstance(space, dict):
            self.free, self.total = int(space.get('free') or 0), int(space.get('total') or 0)
        elif not hasattr(self, 'free'):
            self.free = self.total = 0

    def calibre_path(self, path):
        """Paths of different apps may be equal, and calibre deletes by path alone."""
        is_plain = self.code == 'main' and path.partition(':')[0] not in ('main',) + CARDS
        return path if is_plain else f'{self.code}:{path}'


class OpenDevice:
    """`found` is the result of the detection. Raises calibre's errors."""

    def __init__(self, host, found):
        self._host = host
        self._epoch = found.epoch
        self.udid = found.udid
        self._named = found.named
        self.report_progress = None
        self._share = WHOLE
        self.places = []
        # Why some apps are not shown: sentences.
        self.left_out = list(found.left_out)
        last = None
        for code, app in zip(('main',) + CARDS, found.apps):
            if app is None:
                continue
            if last is not None:
                # The device would not answer for this app either.
                self.left_out.append(f'{app["name"]} could not be opened. {last.text}')
                continue
            params = {'device': found.udid, 'app': app['bundle_id']}
            if code != 'main':
                params['wait'] = 0  # The app of a card that does not answer must not block the main memory.
            try:
                session = self.ask('open', params, OPEN_PATIENCE)
            except UserMessage as error:
                if code == 'main':
                    raise
                # A card that cannot be read is left out.
                self.left_out.append(f'{app["name"]} could not be opened. {error.text}')
                last = error if self.is_gone(error.code) else None
                continue
            self.places.append(Place(code, session))
        self.name = self.places[0].device.get('name') or found.name

    # What is known

    def place(self, oncard):
        """The place that calibre means; WrongDestinationError if there is none."""
        for place in self.places:
            if place.code == (oncard or 'main'):
                return place
        raise WrongDestinationError('No reader app of the device is shown as this storage card.')

    def has(self, oncard):
        return any(place.code == oncard for place in self.places)

    def located(self, path):
        """The place of calibre's path, and the path there."""
        code, colon, rest = path.partition(':')
        if colon and (code == 'main' or code in CARDS):
            return self.place(code), rest
        return self.place(None), path

    def copies(self, paths):
        """The copies of the book for each of calibre's paths: first the book itself, then those with its uuid in any app."""
        by_uuid = {}
        for place in self.places:
            for there, record in list(place.records.items()):
                by_uuid.setdefault(record.get('uuid'), []).append((place, there))
        found = {}
        for path in paths:
            place, there = self.located(path)
            uuid = (place.records.get(there) or {}).get('uuid')
            found[path] = list(dict.fromkeys([(place, there)] + (by_uuid.get(uuid, []) if uuid else [])))
        return found

    @property
    def formats(self):
        """The formats that calibre may send, preferred ones first: those of the main memory, then those of the chosen cards.

        calibre has one list for all. A format accepted only by a card that was added automatically would keep calibre from offering
        to convert a book for the main memory.
        """
        asked = [place for place in self.places if place.code == 'main' or place.bundle_id in self._named]
        return list(dict.fromkeys(extension for place in asked for extension in place.formats))

    @property
    def title(self):
        """The device with its apps, as text for the user."""
        names = {'main': '', 'carda': ' (card A)', 'cardb': ' (card B)'}
        return f'{self.name}: ' + ', '.join(place.app + names[place.code] for place in self.places)

    # Requests

    def ask(self, method, params, patience=None):
        try:
            return self._host.request(method, params, patience or JOB_PATIENCE, self._take_progress, self._epoch)
        except (RemoteError, ChildGone, ChildSilent, ProgramProblem) as error:
            raise feedback(error, self._host.log) from None

    def ask_in_parts(self, method, params, books):
        """Sends as many requests as many books need. Yields the books of each request, and its answer or error."""
        done = 0
        try:
            for part in in_parts(params, books, self._host.longest_request):
                # Its share of the progress.
                self._share = (done / len(books), len(part) / len(books))
                done += len(part)
                try:
                    yield part, self.ask(method, dict(params, books=part)), None
                except UserFeedback as error:
                    yield part, {}, error
        finally:
            self._share = WHOLE

    def _ask_rows(self, place, method, params, books):
        """The result rows of all books. Raises the error of the first request; later errors become rows."""
        rows = []
        for part, answer, error in self.ask_in_parts(method, params, books):
            if error is None:
                found = (answer.get('results') or [])[:len(part)]
                # A request that ended early has no rows for the remaining books.
                rows += found + [dict(answer.get('error') or {}, status='failed')] * (len(part) - len(found))
                for sharing in self.places:  # All apps share the space of the device.
                    sharing.take_space(answer.get('space'))
                continue
            if not rows and error.code != TOO_LONG:
                raise error
            rows += [failed_row(error)] * len(part)
            if error.code != TOO_LONG:
                rows += rows[-1:] * (len(books) - len(rows))
                break
        return rows

    def _take_progress(self, method, params):
        report = self.report_progress
        if method != 'progress' or report is None:
            return
        for unit in ('bytes', 'items'):
            done, total = params.get(unit + '_done'), params.get(unit + '_total')
            if done is not None and total:
                before, share = self._share
                report(before + share * min(1.0, max(0.0, done / total)), str(params.get('phase') or ''))
                return

    # Listing

    def list(self, oncard, rebuild):
        """All books of a place, as a list for calibre. `rebuild(place, list)` sends the collections of its books."""
        if oncard is not None and not self.has(oncard):
            return DeviceBookList()
        place = self.place(oncard)
        books = DeviceBookList((lambda booklist: rebuild(place, booklist)) if 'collections' in place.settable else None)
        self.refresh(place)
        for path, record in place.records.items():
            books.append(DeviceBook(record, place.calibre_path(path)))
        return books

    def refresh(self, place):
        """Asks for changes. Returns the paths of new, changed and removed books."""
        params = {'session': place.session, 'covers': True}
        if place.mark is not None:
            params['since'] = place.mark
        answer = self.ask('books', params)
        changed = {record['path']: record for record in answer.get('books') or [] if isinstance(record.get('path'), str)}
        if answer.get('complete', True):
            gone = set(place.records).difference(changed)
            place.records = changed
        else:
            gone = set(answer.get('removed') or []).difference(changed)
            for path in gone:
                place.records.pop(path, None)
            place.records.update(changed)
        place.mark = answer.get('mark')
        return set(changed), gone

    # Changes

    def upload(self, place, entries, titles, on_conflict, may_lose_marks, library):
        """Sends books. Returns the path of each, or None if it was not sent; a Rows; and the paths of changed and of removed books."""
        if 'upload' not in place.abilities:
            raise UserMessage(self.reason(place, 'upload', f'Books cannot be sent to {place.app}.'))
        params = {'session': place.session, 'may_lose_marks': may_lose_marks}
        if on_conflict:
            params['on_conflict'] = on_conflict
        if library:
            params['library'] = library
        rows = self._ask_rows(place, 'upload', params, entries)
        result = Rows(rows, titles)
        if result.failed and not result.done:
            if result.lacks_space:
                raise no_space(place.code != 'main', result.failed[0][0].get('message') or '')
            raise result.error('sent')
        try:
            changed, gone = self.refresh(place)
        except UserFeedback:
            # Sent books exist even if the device does not answer any more: the rows list them.
            place.mark, changed, gone = None, set(), set()
            for row in result.done:
                if isinstance(row.get('book'), dict):
                    place.records[row['book']['path']] = row['book']
                    changed.add(row['book']['path'])
        # calibre has not sent a book that was skipped.
        sent = [row.get('path') if row.get('status') in ('added', 'replaced', 'updated') else None for row in rows]
        return sent, result, changed, gone

    def delete(self, paths):
        """Deletes books. Returns the calibre paths of deleted books, and a notice about the others, or None."""
        by_place = {}
        for path in paths:
            place, there = self.located(path)
            by_place.setdefault(place.code, (place, []))[1].append((path, there))
        gone, failed, errors, last = [], [], [], None
        for place, pairs in by_place.values():
            if last is not None:
                # The device would not answer for this app either.
                rows = [last] * len(pairs)
            else:
                try:
                    rows = self._ask_rows(
                        place, 'delete', {'session': place.session, 'paths_only': True}, [there for _, there in pairs])
                except UserMessage as error:
                    # Books that other apps have deleted are removed.
                    errors.append(error)
                    rows = [failed_row(error)] * len(pairs)
                if rows[-1].get('status') == 'failed' and self.is_gone(rows[-1].get('code')):
                    last = rows[-1]
            for (path, there), row in zip(pairs, rows):
                # A book that does not exist any more counts as deleted.
                if row.get('status') != 'failed' or row.get('code') == 'not_found':
                    gone.append(path)
                    place.records.pop(there, None)
                else:
                    title = (place.records.get(there) or {}).get('title') or there
                    failed.append((row, title))
        if failed:
            rows = Rows([row for row, _ in failed], [title for _, title in failed])
            if not gone:
                # One error for all is clearest.
                if errors and all(row.get('message') == errors[0].text for row, _ in failed):
                    raise errors[0]
                raise rows.error('deleted')
            return gone, rows.notice('Delete from device', 'deleted')
        return gone, None

    def update(self, place, edits):
        """Changes metadata. `edits`: pairs of book and changes.

        Returns a notice about books that could not be changed, or None, the edits that were made, and whether the device may
        answer another request. The other books show again what the device has. No UserFeedback is raised, because calibre
        swallows errors of edits in its device view.
        """
        if not edits:
            return None, [], True
        titles = [book.title for book, _ in edits]
        try:
            rows = self._ask_rows(place, 'update', {'session': place.session, 'paths_only': True}, [
                {'book': book.record['path'], 'changes': changes} for book, changes in edits])
        except Exception as error:
            for book, _ in edits:
                book.take(book.record)
            if not isinstance(error, UserFeedback):
                raise
            notice = {'title': CHANGE_TITLE, 'msg': error.msg, 'det_msg': error.details or ''}
            return notice, [], not self.is_gone(error.code)
        for (book, _), row in zip(edits, rows):
            record = row.get('book')
            if isinstance(record, dict):
                self._take_record(place, book, record)
            elif row.get('status') == 'failed':
                book.take(book.record)
        result = Rows(rows, titles)
        done = [edit for edit, row in zip(edits, rows) if row.get('status') != 'failed']
        notice = result.notice(CHANGE_TITLE, 'changed') if result.failed else None
        return notice, done, not (rows[-1].get('status') == 'failed' and self.is_gone(rows[-1].get('code')))

    def _take_record(self, place, book, record):
        old = book.record
        # Records of changes come without the local file of the cover.
        if record.get('cover') and not record['cover'].get('path') and (old.get('cover') or {}).get('path'):
            record = dict(record, cover=dict(record['cover'], path=old['cover']['path']))
        place.records.pop(old['path'], None)
        place.records[record['path']] = record
        book.take(record)
        book.path = book.lpath = place.calibre_path(record['path'])

    # Fetching

    def fetch(self, paths, folder):
        """Copies books to local files. Returns for each path the local file or an exception."""
        results, silenced = [], {}
        for number, path in enumerate(paths):
            place, there = self.located(path)
            if place.code in silenced:
                results.append(silenced[place.code])
                continue
            # Each book gets its own folder, because books with the same title have the same name.
            target = os.path.join(folder, str(number))
            try:
                answer = self.ask('get', {
                    'session': place.session, 'books': [there], 'folder': target, 'paths_only': True})
                rows = Rows(answer.get('results'), [os.path.basename(there)])
                if rows.failed or not rows.done:
                    raise rows.error('copied')
                results.append(rows.done[0]['path'])
            except UserFeedback as error:
                results.append(error)
                if self.is_gone(error.code):
                    results += [error] * (len(paths) - len(results))
                    break
                if error.code in APP_GONE:
                    silenced[place.code] = error
            if self.report_progress is not None:
                self.report_progress((number + 1) / len(paths), '')
        return results

    def is_gone(self, code):
        """Whether every further request to the device would fail with this error code."""
        return not self._host.is_ready or code in GONE

    def write_to(self, path, stream):
        """Writes a book into an open file, in binary also where calibre gives a text stream."""
        stream = getattr(stream, 'buffer', stream)
        folder = tempfile.mkdtemp(prefix='overlayhost-')
        try:
            file = self.fetch([path], folder)[0]
            if isinstance(file, Exception):
                raise file
            with open(file, 'rb') as source:
                shutil.copyfileobj(source, stream)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    # The end

    def eject(self):
        """Notifies the host without waiting."""
        for place in self.places:
            self._host.post('eject' if place.code == 'main' else 'close', {'session': place.session}, self._epoch)

    def close(self):
        for place in self.places:
            self._host.post('close', {'session': place.session}, self._epoch)

    @staticmethod
    def reason(place, ability, otherwise):
        """The host's message why an app cannot do something."""
        for lack in place.missing:
            if lack.get('ability') == ability:
                return ' '.join(part for part in (lack.get('reason'), for_calibre(lack)) if part)
        return otherwise
