# SPDX-License-Identifier: GPL-3.0-or-later
"""calibre's command for devices, `ebook-device`, with the program and a simulated phone. Run by tests/run."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import library  # noqa: E402
from simulation import Simulation  # noqa: E402

folder = os.environ['LABORATORY']


def ebook_device(*arguments, status=0):
    """The output of a command; it must end with this status and without a traceback."""
    done = subprocess.run(
        ['ebook-device', *arguments], env=simulation.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    assert 'Traceback' not in done.stdout + done.stderr, done.stdout + done.stderr
    print('ok:', 'ebook-device', *arguments, flush=True)
    return done.stdout + done.stderr


def main():
    name = 'Ann’s iPhone'
    text = ebook_device('info')
    assert f'{name}: Paperback' in text and 'Kindle' in text and '18.6' in text, text

    text = ebook_device('books')
    listed = json.loads(simulation.overlayhost('books', '--json'))['books']
    assert len(listed) >= 2
    for book in listed:
        assert book['title'] in text, text

    text = ebook_device('df')
    assert 'Memory' in text and 'GB' in text, text

    first = next(book for book in listed if book['path'].endswith('.epub'))
    copy = os.path.join(folder, 'copy.epub')
    ebook_device('cp', 'dev:' + first['path'], copy)
    original = simulation.file_of('org.example.paperback', first['path'])
    with open(copy, 'rb') as one, open(original, 'rb') as two:
        assert one.read() == two.read()
    kindle = json.loads(simulation.overlayhost('books', '--app', 'Kindle', '--json'))['books'][0]
    ebook_device('cp', 'dev:carda:' + kindle['path'], os.path.join(folder, 'copy-of-card'))
    assert os.path.getsize(os.path.join(folder, 'copy-of-card')) == kindle['size']
    ebook_device('cp', 'dev:nothing.epub', os.path.join(folder, 'nothing'), status=1)

    for arguments in (('ls', '/'), ('cp', copy, 'dev:/'), ('mkdir', '/x'), ('rm', '/x'), ('touch', '/x')):
        text = ebook_device(*arguments, status=1)
        assert 'no folders for calibre' in text and 'Traceback' not in text, (arguments, text)

    file = library.epub(os.path.join(folder, 'Sent.epub'), 'Sent by a Test', 'Some Author')
    before = simulation.files('org.example.paperback')
    ebook_device('test_file', file)
    new = simulation.files('org.example.paperback') - before
    assert len(new) == 1, new
    assert 'Sent by a Test' in ebook_device('books')

    ebook_device('eject')
    assert 'Sent by a Test' in ebook_device('books')

    simulation.set(locked=True)
    text = ebook_device('books', status=1)
    assert 'locked' in text, text
    simulation.set(locked=False, attached=False)
    text = ebook_device('books', status=1)
    assert 'Unable to find a connected ebook reader' in text, text

    simulation.environment['OVERLAYHOST'] = '/nowhere/overlayhost'
    text = ebook_device('info', status=1)
    assert '/nowhere/overlayhost' in text and 'Install OverlayHost' in text, text


simulation = Simulation(os.path.join(folder, 'command-phone'), '--name', 'Ann’s iPhone')
try:
    simulation.overlayhost('prefs', 'set', 'preferred_reader_app', 'Paperback')
    main()
finally:
    simulation.close()
    os.environ.pop('USBMUXD_SOCKET_ADDRESS', None)
