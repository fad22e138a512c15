# SPDX-License-Identifier: GPL-3.0-or-later
"""calibre is started again after session.py, with its configuration, its library and the iPad: what it sent then is known now.

Run by tests/run inside calibre: calibre-debug -e session_again.py LIBRARY.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import window  # noqa: E402
from simulation import Simulation  # noqa: E402


def test(calibre):
    calibre.wait_until_connected()
    calibre.wait_for(lambda: len(calibre.view().model().db) > 0, 'the books are listed')
    calibre.wait_until_idle()
    # A plugboard had changed its title, so only the uuid identifies it.
    book = calibre.book('The Blue Sea (Water)')
    assert book.in_library == 'UUID', book.in_library
    assert calibre.do(lambda: calibre.gui.book_on_device(1)[0])
    print('  ok: a book that was sent before calibre was started again is known by its uuid', flush=True)
    before = calibre.titles()
    calibre.send([1])
    assert calibre.messages() == [], calibre.messages()
    assert calibre.titles() == sorted(set(before) - {'The Blue Sea (Water)'} | {'The Blue Sea'}), calibre.titles()
    assert calibre.book('The Blue Sea').in_library == 'UUID'
    print('  ok: sent again, it takes the place of the first copy', flush=True)


if __name__ == '__main__':
    simulation = Simulation(os.path.join(os.environ['LABORATORY'], 'session-ipad'))
    os.environ['USBMUXD_SOCKET_ADDRESS'] = simulation.address
    window.run(test, sys.argv[-1], simulation.close)
