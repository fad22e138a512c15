# SPDX-License-Identifier: GPL-3.0-or-later
"""The class that calibre loads, with the stand-in for the program, for the tests that use it without a window."""

import os
import shutil
import unittest

from calibre.ebooks.metadata.book.base import Metadata
from calibre_plugins.overlayhost.presence import Found
from support import BOOKS, KINDLE, PAPERBACK, STANDIN, Control, phone, record, wait_for


class WithTheDriver(unittest.TestCase):
    """The class that calibre loads, with the stand-in for the program, as calibre's command for devices uses it."""

    def setUp(self):
        self.control = Control(devices={'A': phone('Phone', apps=(PAPERBACK, KINDLE, BOOKS))}, books={
            PAPERBACK['bundle_id']: [record('x.epub', 'One'), record('same.pdf', 'Here')],
            KINDLE['bundle_id']: [record('same.pdf', 'There')]})
        self.addCleanup(shutil.rmtree, self.control.folder)
        for name in ('STANDIN_CONTROL', 'STANDIN_LOG'):
            os.environ[name] = self.control.environment[name]
        os.environ['OVERLAYHOST'] = STANDIN
        from calibre_plugins.overlayhost import OverlayHostDevice
        self.driver = OverlayHostDevice(None)
        self.addCleanup(self.driver.shutdown)

    def open(self):
        self.driver.startup()
        found = wait_for(lambda: self.driver.detect_managed_devices(set()), 'the device is found')
        self.assertIsInstance(found, Found)
        self.driver.open(found, None)
        # Another app is watched from now on, without waiting for it.
        wait_for(
            lambda: len(self.control.requests('watch')) == self.driver.bridge.host._watches, 'the program is asked to watch the app')

    def send(self, file='sent.epub', on_card=None):
        path = os.path.join(self.control.folder, file)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write('a book')
        return self.driver.upload_books([path], [file], on_card, metadata=[Metadata('Sent', ['Me'])])
