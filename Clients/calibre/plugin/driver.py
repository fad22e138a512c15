# SPDX-License-Identifier: GPL-3.0-or-later
"""Implements the methods that calibre calls, with one Bridge for the life of calibre.

Each method says in __init__.py on which thread calibre calls it.
"""

import os
import traceback

from calibre.constants import numeric_version
from calibre.devices.errors import OpenActionNeeded, UserFeedback
from calibre.ebooks.metadata.book.base import Metadata
from calibre.ptempfile import PersistentTemporaryDirectory
from calibre.utils.config_base import prefs

from calibre_plugins.overlayhost import annotations
from calibre_plugins.overlayhost.books import DeviceBook, DeviceBookList
from calibre_plugins.overlayhost.collections_of import collections_of
from calibre_plugins.overlayhost.deletion import keep_in_library
from calibre_plugins.overlayhost.device import CHANGE_TITLE, OpenDevice
from calibre_plugins.overlayhost.failures import Notices, UserMessage, feedback, guarded, shown
from calibre_plugins.overlayhost.files import local_paths
from calibre_plugins.overlayhost.from_apps import write_known
from calibre_plugins.overlayhost.host import Host
from calibre_plugins.overlayhost.metadata import changes, collection_change, edits_refused, upload_entry
from calibre_plugins.overlayhost.presence import Found, Presence, Problem
from calibre_plugins.overlayhost.program import ProgramProblem, find_program
from calibre_plugins.overlayhost.settings import Settings
from calibre_plugins.overlayhost.wire import ChildGone, ChildSilent, RemoteError

PLUGBOARD_NAME = 'OVERLAYHOST'
PREFS_PATIENCE = 5


class Bridge:
    def __init__(self):
        self.settings = Settings()
        self.host = Host('.'.join(map(str, numeric_version)), lambda: find_program(self.settings.get('program')))
        self.presence = Presence(self.host, self.settings)
        self.device = None
        self.notices = Notices()
        self._library_name = None
        # The preference cc_mappings: the columns of each library, by the library's name.
        self._mappings = {}
        self._plugboards = self._find_plugboard = None
        self._report = None
        # Values that an app stores in another form: (UDID, app, path, member) → the value that was sent and the stored value.
        self._unkept = {}

    # Presence

    def open(self, found):
        """Opens a device, or raises OpenActionNeeded, which calibre shows once and then tries again quietly."""
        if isinstance(found, Problem):
            raise OpenActionNeeded(found.name, shown(found.message), found.identity)
        try:
            self.device = OpenDevice(self.host, found)
            if found.is_app_ours:
                self.host.watch(found.apps[0]['bundle_id'])
            self.presence.opened(found)
            left_out = self.device.left_out
            if left_out:
                self.add_notice({
                    'title': found.name, 'det_msg': '\n'.join(left_out),
                    'msg': shown('Not all reader apps are shown. To try again, eject the device, and plug it in again. ' +
                                 ' '.join(left_out))})
        except UserFeedback as error:
            raise self._not_opened(found, error.msg)
        except Exception as error:
            traceback.print_exc()
            raise self._not_opened(found, shown(str(error) or repr(error)))

    def _not_opened(self, found, message):
        self.device = None
        self.presence.look_anew()
        return OpenActionNeeded(found.name, message, ('OverlayHost', message, *self.presence.subject(found.udid)))

    def eject(self):
        # As soon as a device is ejected, the device thread may close it and open another one.
        device = self.device
        self.presence.ejected()
        if device is not None:
            device.eject()

    def left(self):
        device, self.device = self.device, None
        self.presence.left()
        if device is not None:
            device.close()

    def opened(self):
        """The open device, for a job; a clear error if there is none, as when a program of calibre goes on after a failed `open`."""
        if self.device is None:
            problem = self.presence.detect()
            raise UserMessage(problem.message if isinstance(problem, Problem) else 'No device is connected.')
        return self.device

    def add_notice(self, notice):
        """Shows a notice after the job, together with earlier ones. Does nothing for None."""
        self.notices.add(notice)

    def set_reporter(self, report):
        self._report = report
        if self.device is not None:
            self.device.report_progress = report

    # Listing

    @guarded('List of books')
    def books(self, oncard):
        device = self.opened()
        device.report_progress = self._report
        try:
            return device.list(oncard, self.rebuild_collections)
        except UserFeedback as error:
            # calibre shows no lists at all if one of the three fails.
            if oncard is None or device.is_gone(error.code):
                raise
            self.add_notice({
                'title': 'List of books', 'det_msg': error.details or '',
                'msg': shown(f'The books of {device.place(oncard).app} could not be listed. ') + error.msg})
            return DeviceBookList()

    # Sending

    @guarded('Send to device')
    def upload(self, files, names, on_card, metadata):
        device = self.opened()
        place = device.place(on_card)
        given, metadata = metadata, metadata or [Metadata(os.path.splitext(name)[0]) for name in names]
        titles = [mi.title for mi in metadata]
        with local_paths(files, names) as local:
            entries = [upload_entry(file, name, mi, self._plugboard(name)) for file, name, mi in zip(local, names, metadata)]
            paths, rows, changed, gone = device.upload(
                place, entries, titles, self.settings.get('on_conflict'), self.settings.get('may_lose_marks'), self._library())
        if rows.failed:
            self.add_notice(rows.notice('Send to device', 'sent'))
        self.add_notice(rows.notice_of_skipped('Send to device'))
        # If a book has no file, calibre sends different numbers of files and books, which then cannot be matched.
        fits = len(files) == len(metadata)
        sent = [mi for mi, path in zip(metadata, paths) if fits and path]
        if len(sent) < len(metadata) and not keep_in_library(given, {mi.application_id for mi in sent}):
            # calibre does not delete books after an error.
            raise UserMessage(
                f'{len(sent)} of {len(metadata)} books were sent. Whether calibre would delete the others from the '
                'library is not known, so that this counts as failed. The sent books show when the phone is connected again.')
        return Sent(place, paths, changed, gone)

    def _library(self):
        """The name of calibre's library if its columns are mapped, because the host refuses other libraries."""
        self.read_mappings()
        return self._library_name if self._library_name in self._mappings else None

    def read_mappings(self):
        """Asks the host for the columns of each library."""
        try:
            mappings = self.host.request('prefs.get', {'key': 'cc_mappings'}, PREFS_PATIENCE).get('value') or {}
        except (RemoteError, ChildGone, ChildSilent, ProgramProblem) as error:
            if isinstance(error, RemoteError) and error.data.get('code') == 'prefs_unknown_key':
                mappings = {}  # No overlay has this option.
            else:
                raise feedback(error, self.host.log) from None
        self._mappings = mappings if isinstance(mappings, dict) else {}

    def _plugboard(self, name):
        if self._find_plugboard is None:
            return None
        extension = os.path.splitext(name)[1][1:].lower()
        for form in ('device_db', extension):
            template = self._find_plugboard(PLUGBOARD_NAME, form, self._plugboards)
            if template:
                return template
        return None

    def set_library(self, name):
        """Also reads the columns of the libraries, because `synchronize` must not wait for the program."""
        self._library_name = name
        if self.device is None:
            return
        try:
            self.read_mappings()
        except UserFeedback as error:
            self._mappings = {}
            self.add_notice({'title': 'Custom columns', 'msg': error.msg, 'det_msg': error.details or ''})

    def set_plugboards(self, plugboards, find):
        self._plugboards, self._find_plugboard = plugboards, find

    @guarded('Send to device', becomes_notice=True)
    def add_to_lists(self, sent, metadata, booklists):
        """Shows the sent books. Sends no request to the device."""
        place = sent.place
        books = booklists[('main', 'carda', 'cardb').index(place.code)]
        if not isinstance(books, DeviceBookList):
            return  # The device was pulled meanwhile.
        changed = {}
        for path in sent.changed:
            record = place.records.get(path)
            if record is not None:
                book = DeviceBook(record, place.calibre_path(path))
                changed[book.path] = book
        books.take(changed, {place.calibre_path(path) for path in sent.gone})
        by_path = {book.path: book for book in books}
        for path, mi in zip(sent.paths, metadata):
            book = by_path.get(place.calibre_path(path)) if path else None
            if book is not None:
                book._new_book, book.library_metadata = True, mi

    # Deleting

    @guarded('Delete from device')
    def delete(self, paths):
        gone, notice = self.opened().delete(paths)
        self.add_notice(notice)
        self._deleted = frozenset(gone)

    @guarded('Delete from device', becomes_notice=True)
    def remove_from_lists(self, paths, booklists):
        gone = self._deleted.intersection(paths)
        for books in booklists:
            books[:] = [book for book in books if book.path not in gone]

    _deleted = frozenset()

    # Changes in the device view and in the library

    @guarded(CHANGE_TITLE, becomes_notice=True)
    def sync(self, booklists):
        device = self.opened()
        try:
            self._sync(device, booklists)
        except Exception:
            # Changes that failed must not be shown as done.
            for _, books in self._lists(device, booklists):
                for book in books:
                    book.take(book.record)
            raise

    def _sync(self, device, booklists):
        is_managed = prefs['manage_device_metadata'] == 'on_connect'
        answers = True
        for place, books in self._lists(device, booklists):
            edits, refused, merged = [], [], []
            wanted = collections_of(books, self.settings.get('collection_columns'), place.overlay)
            for book in books:
                # When a device connects, or when the user asks for it, the library's metadata replaces the metadata of its books.
                # Otherwise only edits in the device view count.
                is_librarys = book.is_merged or (is_managed and book.in_library)
                if not is_librarys and edits_refused(book, place.settable):
                    refused.append(book.title or book.path)
                    book.take(book.record)
                template = self._plugboard(book.path) if is_librarys else None
                change = self._worth_asking(device, place, book, changes(book, place.settable, template))
                if books.supports_collections():
                    names = collection_change(book, wanted.get(book.path, book.device_collections))
                    if names is not None:
                        change['collections'] = names
                book._new_book, book.library_metadata = False, None
                if change:
                    edits.append((book, change))
                if book.is_merged and not is_managed:
                    merged.append(book)
            if answers:
                answers = self._update(device, place, edits)
            else:
                # The device would not answer for this app either. Try again at the next connection.
                for book, _ in edits:
                    book.take(book.record)
            for book in merged:
                # A change that plugboards or the app made to the library's metadata is not an edit in the next sync.
                book.take(book.record)
            if refused:
                self.add_notice({
                    'title': CHANGE_TITLE, 'det_msg': '\n'.join(refused),
                    'msg': shown(f'{place.app} cannot take the new title or authors. They show again as they were.')})

    @guarded(CHANGE_TITLE, becomes_notice=True)
    def rebuild_collections(self, place, books):
        device = self.opened()
        edits = []
        for book in books:
            names = collection_change(book, book.device_collections)
            if names is not None:
                edits.append((book, {'collections': names}))
        self._update(device, place, edits)

    def _lists(self, device, booklists):
        by_code = dict(zip(('main', 'carda', 'cardb'), booklists))
        for place in device.places:
            books = by_code[place.code]
            if isinstance(books, DeviceBookList):
                yield place, books

    def _worth_asking(self, device, place, book, change):
        return {
            member: value for member, value in change.items()
            if self._unkept.get((device.udid, place.bundle_id, book.path, member)) != (value, book.record.get(member))
        }

    def _update(self, device, place, edits):
        """Whether the device may answer another request."""
        notice, done, answers = device.update(place, edits)
        self.add_notice(notice)
        # A failed change must be tried again, so do not record it.
        for book, change in done:
            for member, value in change.items():
                kept = book.record.get(member)
                if kept != value:
                    self._unkept[(device.udid, place.bundle_id, book.path, member)] = (value, kept)
        return answers

    # What the apps know, into the library

    @guarded('Columns of the library', becomes_notice=True)
    def synchronize(self, db, is_first):
        """Writes values from the apps into the user's columns. Returns the ids of changed books, or None.

        calibre calls it for each book; the first call writes for all.
        """
        device = self.device
        if not is_first or device is None:
            return None
        records = [(place.overlay, record) for place in device.places for record in list(place.records.values())]
        # After a change of library, calibre calls this before `set_library`.
        mapping = self._mappings.get(os.path.basename(db.library_path))
        return write_known(db, records, self.settings, mapping if isinstance(mapping, dict) else {}) or None

    # Fetching

    @guarded('Add books to library')
    def addable(self, paths):
        device = self.opened()
        folder = PersistentTemporaryDirectory('_overlayhost')
        return [
            result if isinstance(result, str) else (path, result, f'{result}\n')
            for path, result in zip(paths, device.fetch(paths, folder))
        ]

    @guarded('View or save')
    def copy_to(self, path, stream):
        self.opened().write_to(path, stream)

    @guarded('Fetch annotations', becomes_notice=True)
    def annotations(self, path_map):
        """The annotations of these books: {id: (type, Fetched)}. Errors become a notice, because calibre would ignore them."""
        try:
            found = self._annotations(path_map)
        except UserFeedback as error:
            self.add_notice({'title': 'Fetch annotations', 'msg': error.msg, 'det_msg': error.details or ''})
            return {}
        if not found:
            self.add_notice({
                'title': 'Fetch annotations', 'det_msg': '',
                'msg': 'No highlights, notes or bookmarks were found in the books on the device that are in the library.'})
        return found

    def _annotations(self, path_map):
        device = self.opened()
        wanted = {}
        # calibre names only one copy of a book, even if several apps have one.
        paths = {entry['path']: book_id for book_id, entry in path_map.items() if entry.get('path')}
        for path, copies in device.copies(paths).items():
            for place, there in copies:
                wanted.setdefault(place.code, (place, {}))[1].setdefault(there, paths[path])
        found, failed = {}, []
        for place, ids in wanted.values():
            books = []
            for _, answer, error in device.ask_in_parts(
                    'annotations', {'session': place.session, 'paths_only': True}, list(ids)):
                if error is not None and error.code != 'not_supported':
                    failed.append(error)
                    break
                books += answer.get('books') or []
            for book in books:
                book_id = ids.get(book.get('path'))
                # Keep earlier annotations of a book that has none now. They may be unreadable for the moment.
                if book_id is not None and book.get('annotations'):
                    if book_id not in found:
                        found[book_id] = ('overlayhost', annotations.Fetched(device.name))
                    extension = os.path.splitext(book['path'])[1][1:]
                    found[book_id][1].add(place.app, extension, book['annotations'])
            if failed and device.is_gone(failed[-1].code):
                break
        if failed and not found:
            raise failed[0]
        for error in failed:
            # Fetch from the other apps.
            self.add_notice({'title': 'Fetch annotations', 'msg': error.msg, 'det_msg': error.details or ''})
        return found

    # Diagnosis

    def describe(self, output):
        """Writes the output of `calibre-debug -d`. Returns whether a device can be used."""
        found = self.presence.detect()
        host = self.host
        print('OverlayHost:', host.path or 'no program', host.version or '', file=output)
        for phone in host.phones.all():
            print(' ', phone.udid, phone.name, ' '.join(sorted(filter(None, phone.ways))), phone.state or '', file=output)
        if isinstance(found, Found):
            print('  serves', found.name, [app['name'] for app in found.apps if app], file=output)
            return True
        print(' ', found.message if isinstance(found, Problem) else 'No device is attached.', file=output)
        return False


class Sent:
    """The result of an upload, as it passes through calibre."""

    def __init__(self, place, paths, changed, gone):
        self.place = place
        self.paths = paths
        self.changed = changed
        self.gone = gone

    def __repr__(self):
        return ', '.join(path for path in self.paths if path) or 'nothing'
