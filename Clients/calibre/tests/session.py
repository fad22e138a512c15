# SPDX-License-Identifier: GPL-3.0-or-later
"""A person at calibre's window, with the program and simulated devices: every step is seen in calibre and in the device's folder.

Run by tests/run inside calibre: calibre-debug -e session.py LIBRARY.
"""

import hashlib
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import library  # noqa: E402
import window  # noqa: E402
from recorder import Recorder  # noqa: E402
from session_configuration import ConfigurationSteps  # noqa: E402
from session_marvin import MarvinSteps  # noqa: E402
from simulation import Simulation  # noqa: E402

FOLDER = os.environ['LABORATORY']
PICTURES = os.environ.get('SCREENSHOTS')
PAPERBACK, KINDLE = 'org.example.paperback', 'com.amazon.Lassen'
PHONE, IPAD = os.path.join(FOLDER, 'session-phone'), os.path.join(FOLDER, 'session-ipad')


def prepare():
    """Two devices at one socket: a current iPhone, and an old iPad with Marvin whose cable is not plugged in."""
    # Its own books, because the sample library exists only where Debian's documentation is installed.
    Simulation(IPAD, '--profile', 'marvin', '--name', 'Old iPad', '--book', library.epub(
        os.path.join(FOLDER, 'books', 'Ulysses.epub'), 'Ulysses', 'James Joyce')).close()
    books = []
    for number, (title, author) in enumerate((
        ('Moby Dick', 'Herman Melville'), ('Middlemarch', 'George Eliot'), ('Walden', 'Henry David Thoreau'))):
        books += ['--book', library.epub(
            os.path.join(FOLDER, 'books', f'{title}.epub'), title, author, color=(60 + 60 * number, 110, 160 - 50 * number))]
    Simulation(PHONE, '--name', 'Ann’s iPhone', *books).close()
    Simulation.configure(IPAD, attached=False)
    simulation = Simulation(PHONE, IPAD)
    os.environ['USBMUXD_SOCKET_ADDRESS'] = simulation.address
    simulation.overlayhost('prefs', 'set', 'preferred_reader_app', 'Paperback')
    return simulation


def passed(text):
    print(f'  ok: {text}', flush=True)


class Session(ConfigurationSteps, MarvinSteps):
    def __init__(self, calibre):
        self.calibre = calibre
        self.phone, self.ipad, self.library, self.pictures = simulation, IPAD, LIBRARY, PICTURES
        self.recorder = calibre.do(Recorder)
        self.api = calibre.do(lambda: calibre.gui.current_db.new_api)

    def run(self):
        self.calibre.do(lambda: setattr(self.calibre.manager, 'sleep_time', 0.2))
        for step in (
            self.connects, self.shows_what_the_apps_have, self.sends_two_formats, self.knows_them_after_a_restart, self.sends_again,
            self.edits_title_and_collections, self.adds_to_the_library, self.saves_and_shows, self.deletes, self.sends_to_a_card,
            self.configures, self.configures_without_a_device, self.is_never_blocked, self.is_pulled_during_a_job,
            self.is_killed_during_a_job, self.is_locked, self.serves_two_phones, self.sends_columns_to_marvin, self.changes_marvins_books, self.fetches_annotations,
            self.synchronizes_on_connect, self.leaves_connection_mode, self.applies_plugboards, self.ejects,
            self.asks_nothing_on_the_windows_thread,
        ):
            if step.__name__ in os.environ.get('SKIP', '').split():
                continue
            try:
                step()
            except AssertionError:
                print(f'In {step.__name__}: {self.state()}', flush=True)
                raise
            assert self.calibre.is_alive(), step.__name__
            assert self.calibre.messages() == [], (step.__name__, self.calibre.messages())
            passed(step.__doc__.strip().rstrip('.'))
        self.host_process = self.calibre.plugin.bridge.host.process_id

    def state(self):
        """The state of the plugin, shown when a step fails."""
        bridge = self.calibre.plugin.bridge
        device, phones = bridge.device, [(phone.name, phone.state, phone.is_ejected) for phone in bridge.host.phones.all()]
        places = [(place.code, place.app, len(place.records), place.abilities, place.missing) for place in device.places] if device else None
        shown = [len(self.calibre.books(card)) for card in (None, 'carda', 'cardb')]
        return '\n'.join(map(str, [
            f'{device and device.title}, connected: {self.calibre.manager.is_device_connected}', f'phones {phones}', f'places {places}',
            f'books shown {shown}', f'notice {bridge.notices.read()}', f'looks {[look.answer for look in bridge.presence._looks.values()]}',
            *bridge.host.log[-20:]]))

    # What the device has, by the command line

    def on_device(self, app='Paperback', device='Ann'):
        books = json.loads(simulation.overlayhost('books', '--json', '--app', app, '--device', device))['books']
        return {book['title']: book for book in books}

    def files(self, app=PAPERBACK):
        return simulation.files(app)

    def reconnect(self, device=PHONE):
        simulation.set(device, attached=False)
        self.calibre.wait_until_gone()
        # If the device was gone before, the simulated cable may not count as unplugged yet.
        with open(os.path.join(device, 'device.json'), encoding='utf-8') as file:
            udid = json.load(file)['udid']
        self.calibre.wait_for(lambda: udid not in simulation.overlayhost('devices', '--json'), 'the cable is pulled')
        simulation.set(device, attached=True)
        self.wait()

    def wait(self):
        self.calibre.wait_until_connected()
        self.calibre.wait_for(lambda: len(self.calibre.view().model().db) > 0, 'the books are listed')
        self.calibre.wait_until_idle()

    # The steps

    def connects(self):
        """The phone is detected and named with its apps."""
        self.wait()
        title = self.calibre.do(lambda: self.calibre.manager.get_current_device_information()['info'][0])
        assert title == 'Ann’s iPhone: Paperback, Kindle (card A), Books (card B)', title

    def shows_what_the_apps_have(self):
        """Titles, authors, covers, sizes and collections are shown, each app in its place."""
        for card, app in ((None, 'Paperback'), ('carda', 'Kindle'), ('cardb', 'Books')):
            expected = self.on_device(app)
            titles = self.calibre.titles(card)
            assert (expected or app == 'Books') and titles == sorted(expected), (titles, sorted(expected))
            for book in self.calibre.books(card):
                record = expected[book.title]
                assert list(book.authors) == (record.get('authors') or ['Unknown']), book.authors
                assert book.size == record.get('size', 0) and book.device_collections == record.get('collections', []), book
                if record['cover'] is not None:
                    assert os.path.getsize(book.thumbnail.image_path) > 0
                else:
                    assert book.thumbnail is None
        assert self.calibre.do(lambda: all(
            not view.model().cover(0).isNull() for view in (self.calibre.view(), self.calibre.view('carda'))))

    def takes_a_picture(self):
        def select():
            view = self.calibre.view()
            self.calibre.gui.resize(1000, 520)
            view.select_rows([self.calibre.row_of('The Sea')], using_ids=False)
            view.setCurrentIndex(view.model().index(self.calibre.row_of('The Sea'), 1))
            view.resizeColumnsToContents()
        self.calibre.show_device()
        self.calibre.do(select)
        self.calibre.grab(os.path.join(PICTURES, 'calibre-device.png'))

    def sends_two_formats(self):
        """An EPUB and a PDF are sent with the library's metadata, and known as books of the library."""
        before = self.files()
        # Library columns are only for Marvin, which takes only EPUB: see sends_columns_to_marvin.
        self.calibre.send([1, 2])
        new = self.files() - before
        assert sorted(os.path.splitext(name)[1] for name in new) == ['.epub', '.pdf'], new
        for title in ('The Sea', 'The Hill'):
            book = self.calibre.book(title)
            assert book.in_library == 'UUID' and os.path.basename(book.path) in {os.path.basename(name) for name in new}, book
        assert list(self.calibre.book('The Sea').authors) == ['Ann Author']
        assert self.calibre.do(lambda: self.calibre.gui.book_on_device(1)[0])
        assert {'The Sea', 'The Hill'} <= set(self.on_device())

    def knows_them_after_a_restart(self):
        """After a restart of the program, sent books are known by their uuid."""
        self.calibre.do(lambda: self.calibre.plugin.bridge.host.restart())
        self.calibre.wait_until_gone()
        self.wait()
        for title in ('The Sea', 'The Hill'):
            assert self.calibre.book(title).in_library == 'UUID', (title, self.calibre.book(title).in_library)

    def sends_again(self):
        """A book that is sent again takes the place of the first copy."""
        before = self.files()
        titles = self.calibre.titles()
        self.api.add_format(1, 'EPUB', changed_epub(self.api))
        self.calibre.send([1])
        assert len(self.files()) == len(before) and self.calibre.titles() == titles, (before, self.files())
        path = next(name for name in self.files() if 'Sea' in name and name.endswith('.epub'))
        import zipfile
        with zipfile.ZipFile(simulation.file_of(PAPERBACK, path)) as archive:
            assert b'another text' in archive.read('text.xhtml')

    def edits_title_and_collections(self):
        """A title and collections that are edited in the device view are changed on the device."""
        self.calibre.show_device()
        self.calibre.edit('The Hill', 'title', 'The High Hill')
        assert 'The High Hill' in self.on_device(), self.on_device().keys()
        self.calibre.edit('The Sea', 'collections', 'Shore')
        assert self.on_device()['The Sea']['collections'] == ['Shore']
        assert any(name.startswith('Shore/') for name in self.files()), self.files()
        assert self.calibre.book('The Sea').device_collections == ['Shore']
        if PICTURES:
            self.takes_a_picture()
        self.calibre.edit('The High Hill', 'title', 'The Hill')
        assert 'The Hill' in self.on_device()

    def adds_to_the_library(self):
        """A book of the device is added to the library."""
        title = 'Walden'
        self.calibre.show_device()
        self.calibre.select([title])
        before = set(self.api.all_book_ids())
        self.calibre.post(lambda: self.calibre.gui.iactions['Add Books'].add_books_from_device(self.calibre.view()))
        self.calibre.wait_for(lambda: len(self.api.all_book_ids()) == len(before) + 1, 'the book is added')
        self.calibre.wait_for(lambda: not self.calibre.gui.job_manager.unfinished_jobs(), 'jobs end')
        new = (set(self.api.all_book_ids()) - before).pop()
        assert self.api.formats(new) == ('EPUB',) and self.api.field_for('title', new) == title
        original = simulation.file_of(PAPERBACK, self.on_device()[title]['path'])
        assert digest(self.api.format_abspath(new, 'EPUB')) == digest(original)
        self.calibre.close_messages()
        self.calibre.do(lambda: self.calibre.gui.library_view.model().delete_books_by_id([new]))

    def saves_and_shows(self):
        """Books are saved to the disk and copied for viewing, byte for byte as on the device."""
        book, target = self.calibre.book('The Sea'), os.path.join(FOLDER, 'saved')
        os.makedirs(target)
        failures = []
        self.calibre.do(lambda: self.calibre.manager.save_books(lambda job: failures.append(job.failed), [book.path], target))
        self.calibre.wait_for(lambda: failures, 'the book is saved')
        assert failures == [False]
        viewed, jobs = os.path.join(FOLDER, 'viewed.epub'), []
        self.calibre.do(lambda: self.calibre.manager.view_book(jobs.append, book.path, viewed))
        self.calibre.wait_for(lambda: jobs, 'the book is copied for viewing')
        assert not jobs[0].failed and jobs[0].result == viewed, jobs[0].details
        with open(simulation.file_of(PAPERBACK, book.path), 'rb') as original:
            content = original.read()
        for path in (os.path.join(target, os.path.basename(book.path)), viewed):
            with open(path, 'rb') as copy:
                assert copy.read() == content, path

    def deletes(self):
        """Books are deleted from the device and its view, others stay."""
        before = self.files()
        self.calibre.delete(['The Sea', 'The Hill'])
        assert len(before) - len(self.files()) == 2, before - self.files()
        assert not {'The Sea', 'The Hill'} & set(self.calibre.titles())
        assert not self.calibre.do(lambda: self.calibre.gui.book_on_device(1)[0])
        self.calibre.show_library()

    def sends_to_a_card(self):
        """A book for a card goes to the card's app; a format that the app does not take is reported."""
        before = self.files(KINDLE)
        self.calibre.send([2], card='carda')
        assert len(self.files(KINDLE) - before) == 1 and 'The Hill' in self.calibre.titles('carda')
        self.calibre.send([1], card='carda', wait=False)
        self.calibre.expect_message('The Sea', 'was not sent')
        self.calibre.wait_until_idle()
        self.calibre.delete(['The Hill'], card='carda')
        assert self.files(KINDLE) == before
        self.calibre.show_library()

    def is_never_blocked(self):
        """The window responds while the program does not answer."""
        process = self.calibre.plugin.bridge.host.process_id
        os.kill(process, signal.SIGSTOP)
        try:
            widget = self.calibre.do(lambda: self.calibre.plugin.config_widget())
            self.calibre.do(lambda: (widget.show(), widget.close(), widget.deleteLater()))
            for answer in (lambda: self.calibre.plugin.settings().format_map, lambda: self.calibre.plugin.card_prefix()):
                assert self.calibre.do(answer)
            self.calibre.do(lambda: self.calibre.manager.umount_device())
            self.calibre.wait_until_gone()
        finally:
            os.kill(process, signal.SIGCONT)
        self.reconnect()

    def is_pulled_during_a_job(self):
        """A cable that is pulled during an upload ends the job with a message; plugged in again, everything is there."""
        before = self.files()
        self.begin_slow_upload()
        simulation.set(PHONE, attached=False)
        self.calibre.expect_message('“Large” was not sent', 'disconnected')
        self.calibre.wait_until_gone()
        simulation.set(PHONE, attached=True, faults=[])
        self.wait()
        assert self.files() == before, self.files() - before
        self.calibre.send([self.large])
        assert 'Large' in self.on_device()

    def is_killed_during_a_job(self):
        """A program that is killed during an upload fails the job with a message, and the phone connects again."""
        self.calibre.delete(['Large'])
        self.calibre.show_library()
        self.begin_slow_upload()
        os.kill(self.calibre.plugin.bridge.host.process_id, signal.SIGKILL)
        self.calibre.expect_message('overlayhost', 'killed')
        simulation.set(PHONE, faults=[])
        self.calibre.wait_until_gone()
        self.wait()
        self.calibre.send([self.large])
        assert 'Large' in self.on_device() and len([name for name in self.files() if 'Large' in name]) == 1, self.files()

    def begin_slow_upload(self):
        """Starts an upload that does not end, and waits until the phone has a part of it."""
        if not hasattr(self, 'large'):
            path = os.path.join(FOLDER, 'large.epub')
            library.epub(path, 'Large', 'Some Author', text=os.urandom(1500000).hex())
            from calibre.ebooks.metadata.meta import get_metadata
            with open(path, 'rb') as stream:
                self.large = self.calibre.do(lambda: self.api.create_book_entry(get_metadata(stream, 'epub')))
            self.calibre.do(lambda: self.api.add_format(self.large, 'EPUB', path))
            self.calibre.do(lambda: self.calibre.gui.library_view.model().refresh())
        # The phone stores the data, but never answers.
        simulation.set(PHONE, faults=[{'effect': 'stall', 'operation': 'FILE_WRITE', 'skipping': 1}])
        self.calibre.send([self.large], wait=False)
        documents = os.path.join(PHONE, 'Containers', PAPERBACK)

        def has_begun():
            for folder, _, names in os.walk(documents):
                for name in names:
                    path = os.path.join(folder, name)
                    if os.path.getsize(path) > 10000 and path not in self.known_files:
                        return True
            return False
        self.known_files = {os.path.join(folder, name) for folder, _, names in os.walk(documents) for name in names}
        self.calibre.wait_for(has_begun, 'a part of the book is on the phone')

    def is_locked(self):
        """A locked phone is reported once; when unlocked, it connects automatically."""
        simulation.set(PHONE, attached=False)
        self.calibre.wait_until_gone()
        simulation.set(PHONE, locked=True, attached=True)
        self.calibre.expect_message('locked')
        simulation.set(PHONE, locked=False)
        self.wait()

    def serves_two_phones(self):
        """The first of two devices is used, and the second one after the first was ejected."""
        simulation.set(IPAD, attached=True)
        self.calibre.wait_for(lambda: len(self.calibre.plugin.bridge.host.phones.all()) == 2, 'both devices are reported')
        assert self.calibre.plugin.bridge.device.name == 'Ann’s iPhone'
        self.calibre.do(lambda: self.calibre.manager.umount_device())
        self.calibre.wait_for(
            lambda: self.calibre.plugin.bridge.device and self.calibre.plugin.bridge.device.name == 'Old iPad', 'the iPad is served')
        self.wait()
        assert self.calibre.titles() == sorted(self.on_device('Marvin', 'Old'))

    def ejects(self):
        """An ejected device stays away until it is plugged in again."""
        simulation.set(PHONE, attached=False)
        self.calibre.do(lambda: self.calibre.manager.umount_device())
        self.calibre.wait_until_gone()
        looks = []
        presence = self.calibre.plugin.bridge.presence
        original = presence.detect
        presence.detect = lambda: looks.append(original()) or looks[-1]
        self.calibre.wait_for(lambda: len(looks) > 5, 'calibre has asked some times')
        del presence.detect
        assert not any(looks), looks
        self.reconnect_ejected()

    def reconnect_ejected(self):
        simulation.set(IPAD, attached=False)
        self.calibre.wait_for(lambda: not self.calibre.plugin.bridge.host.phones.all(), 'the iPad is gone')
        simulation.set(IPAD, attached=True)
        self.wait()

    def asks_nothing_on_the_windows_thread(self):
        """No step has sent a request to the program on the window's thread."""
        self.recorder.check()


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def changed_epub(api):
    """The book of the library with another text."""
    path = os.path.join(FOLDER, 'changed.epub')
    return library.epub(path, 'The Sea', 'Ann Author', text='This is another text.')


def test(calibre):
    session = Session(calibre)
    session.run()
    # tests/run checks that this process ends with calibre.
    with open(os.path.join(FOLDER, 'host-process'), 'w', encoding='utf-8') as file:
        file.write(str(session.host_process))


if __name__ == '__main__':
    LIBRARY = sys.argv[-1]
    simulation = prepare()
    window.run(test, LIBRARY, simulation.close)
