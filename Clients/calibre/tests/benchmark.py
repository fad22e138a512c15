# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plugin takes beside calibre's own folder device: on a local folder, and on an ifuse mount of the same simulated phone.

Run by `make bench-calibre`, inside calibre: calibre-debug -e benchmark.py BOOKS SENT. Each device is driven as calibre's device thread
drives it, without a window; one run gives all figures of a table.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from calibre.customize.ui import device_plugins  # noqa: E402
from calibre.devices.folder_device.driver import FOLDER_DEVICE  # noqa: E402
from calibre.ebooks.metadata.meta import get_metadata  # noqa: E402

import library  # noqa: E402
from simulation import Simulation  # noqa: E402

FOLDER = os.environ['LABORATORY']
APP = 'org.example.paperback'
# Number of listings of known books, each with a newly opened device.
AGAIN = 5
# Delays of the simulated phone as in docs/benchmarks.md, and the options of `simulate` for them.
DELAYS = (('none', ()), ('link 1 ms', ('--round-trip', '1')), ('device 1 ms', ('--latency', '1')))


def seconds(work):
    begun = time.monotonic()
    value = work()
    return time.monotonic() - begun, value


def table(title, columns, rows):
    rows = [columns, *rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(columns))]
    print(f'\n{title}\n')
    for number, row in enumerate(rows):
        print('| ' + ' | '.join(text.ljust(width) for text, width in zip(row, widths)) + ' |')
        if number == 0:
            print('|' + '|'.join('-' * (width + 2) for width in widths) + '|')
    sys.stdout.flush()


class Phone:
    """Our plugin, with a new program for each time it is opened."""

    title = 'OverlayHost, simulated phone'

    def __init__(self, address):
        os.environ['USBMUXD_SOCKET_ADDRESS'] = address

    def open(self):
        self.device = next(plugin for plugin in device_plugins() if plugin.name == 'OverlayHost')
        self.device.startup()
        deadline = time.monotonic() + 60
        while True:
            found = self.device.detect_managed_devices([])
            if found is not None:
                break
            assert time.monotonic() < deadline, 'The phone is not detected.'
            time.sleep(0.02)
        self.device.set_progress_reporter(lambda *_: None)
        self.device.open(found, 'library')

    def close(self):
        self.device.eject()
        self.device.post_yank_cleanup()
        self.device.shutdown()
        self.device._bridge = None


class Folder:
    """calibre's folder device."""

    def __init__(self, title, path, settle=lambda: None):
        self.title, self._path, self._settle = title, path, settle

    def open(self):
        self._settle()
        self.device = FOLDER_DEVICE(self._path)
        self.device.initialize()
        self.device.set_progress_reporter(lambda *_: None)
        self.device.open(None, 'library')

    def close(self):
        self.device.eject()


def lists(device):
    """All lists, and what the window shows of each book."""
    books = [device.books(oncard=card) for card in (None, 'carda', 'cardb')]
    shown = sum(len(f'{book.title} {book.authors} {book.size} {book.datetime} {book.device_collections}') > 0 for book in books[0])
    return books, shown


def measure(place, count, files, metadata):
    """Seconds for listing when nothing is known, listing again, and sending."""
    place.open()
    cold, (books, shown) = seconds(lambda: lists(place.device))
    assert shown == count, (place.title, shown, count)
    # The folder device keeps its cache when calibre syncs the lists, as it does after each listing.
    place.device.sync_booklists(tuple(books))
    place.close()
    again = []
    for number in range(AGAIN):
        place.open()
        warm, (books, shown) = seconds(lambda: lists(place.device))
        assert shown == count, (place.title, shown, count)
        again.append(warm)
        if number < AGAIN - 1:
            place.close()

    def send():
        sent = place.device.upload_books(files, [os.path.basename(file) for file in files], metadata=metadata)
        place.device.add_books_to_metadata(sent, metadata, tuple(books))
        place.device.sync_booklists(tuple(books))
    sending, _ = seconds(send)
    place.close()
    return cold, statistics.median(again), sending


def measure_phone(delay, options, books, count, files, metadata):
    """Figures of a new simulated phone with these books: of our plugin, and of the folder device on a mount."""
    phone = os.path.join(FOLDER, 'benchmark-phone')
    documents = os.path.join(phone, 'Containers', APP, 'Documents')

    def simulated():
        """The phone with the books as they were."""
        shutil.rmtree(phone, ignore_errors=True)
        Simulation(phone).close()
        shutil.rmtree(documents)
        shutil.copytree(books, documents)
        return Simulation(phone, *options)

    simulation = simulated()
    try:
        simulation.overlayhost('prefs', 'set', 'preferred_reader_app', 'Paperback')
        ours = Phone(simulation.address)
        results = [(delay, ours, measure(ours, count, files, metadata))]
    finally:
        simulation.close()
    if not os.path.exists('/dev/fuse') or not shutil.which('ifuse'):
        print('Without ifuse and /dev/fuse the mount is left out.')
        return results
    mount = os.path.join(FOLDER, 'benchmark-mount')
    os.makedirs(mount, exist_ok=True)
    simulation = simulated()

    def unmount():
        subprocess.run(['fusermount', '-u', '-z', mount], stderr=subprocess.DEVNULL)

    def mounted():
        unmount()
        subprocess.run(['ifuse', '--documents', APP, mount], env=simulation.environment, check=True)

    try:
        place = Folder('folder device, ifuse mount of the phone', mount, mounted)
        results.append((delay, place, measure(place, count, files, metadata)))
    finally:
        unmount()
        simulation.close()
    return results


def start_times(runs):
    """Seconds from calibre's start to all plugins loaded, which its window waits for, and to all devices started up, which its device
    thread does; with the plugin and without it, in turn."""
    load = 'import os; from calibre.customize.ui import device_plugins; plugins = list(device_plugins()); '
    times = {}
    for _ in range(runs):
        for enabled in (True, False):
            option = '--enable-plugin' if enabled else '--disable-plugin'
            subprocess.run(['calibre-customize', option, 'OverlayHost'], check=True, stdout=subprocess.DEVNULL)
            for what, more in (('loaded', ''), ('started up', '[plugin.startup() for plugin in plugins]; ')):
                command = load + more + 'os._exit(0)'
                times.setdefault((what, enabled), []).append(
                    seconds(lambda: subprocess.run(['calibre-debug', '-c', command], check=True))[0])
    subprocess.run(['calibre-customize', '--enable-plugin', 'OverlayHost'], check=True, stdout=subprocess.DEVNULL)
    return times


def main(count, sent):
    books = os.path.join(FOLDER, 'benchmark-books')
    new = os.path.join(FOLDER, 'benchmark-new')
    local = os.path.join(FOLDER, 'benchmark-local')
    for folder in (books, new):
        os.makedirs(folder)
    for number in range(count):
        library.epub(os.path.join(books, f'Book {number}.epub'), f'Book {number}', f'Author {number % 50}', text='words ' * 2000)
    files = [
        library.epub(
            os.path.join(new, f'New {number}.epub'), f'New {number}', 'New Author',
            # 500 kB that do not compress much more.
            text=os.urandom(500_000).hex()) for number in range(sent)
    ]
    shutil.copytree(books, local)
    metadata = []
    for number, file in enumerate(files):
        with open(file, 'rb') as stream:
            mi = get_metadata(stream, 'epub')
        mi.uuid = f'00000000-0000-4000-8000-{number:012}'
        metadata.append(mi)

    local = Folder('folder device, local folder', local)
    results = [('', local, measure(local, count, files, metadata))]
    for delay, options in DELAYS:
        results += measure_phone(delay, options, books, count, files, metadata)
    table(
        f'{count} books in calibre, {sent} sent',
        ('delay', 'device', 'first listing s', f'listing again s, median of {AGAIN}', 'sending s'),
        [(delay, place.title, *(f'{value:.2f}' for value in values)) for delay, place, values in results])
    times = start_times(7)
    table(
        'Start of calibre',
        ('plugins for devices', 'median ms', 'minimum ms'),
        [(f'{what}, {"with" if enabled else "without"} OverlayHost', f'{statistics.median(values) * 1000:.0f}', f'{min(values) * 1000:.0f}')
         for (what, enabled), values in times.items()])


if __name__ == '__main__':
    main(int(sys.argv[-2]), int(sys.argv[-1]))
