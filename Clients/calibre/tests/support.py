# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests share: the plugin's modules without calibre's plugin loader, and the stand-in for the host."""

import json
import os
import sys
import tempfile
import time
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
STANDIN = os.path.join(HERE, 'standin.py')


def import_from_sources():
    """Makes `calibre_plugins.overlayhost` the folder of sources, without its __init__.py, which needs calibre."""
    if 'calibre_plugins.overlayhost' in sys.modules:
        return
    parent = sys.modules.setdefault('calibre_plugins', types.ModuleType('calibre_plugins'))
    parent.__path__ = getattr(parent, '__path__', [])
    package = types.ModuleType('calibre_plugins.overlayhost')
    package.__path__ = [os.path.join(os.path.dirname(HERE), 'plugin')]
    sys.modules['calibre_plugins.overlayhost'] = package


def wait_for(condition, what, seconds=20):
    """Waits until the condition holds; fails after a bounded time, which no passing run comes near."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f'Not within {seconds} seconds: {what}')
        time.sleep(0.02)


def run_tests(module, least=20):
    """Runs the test cases among a module's names and ends the process: calibre-debug is the main module, so unittest finds none.

    Fewer tests than `least` are a failure."""
    cases = [kind for kind in list(module.values()) if isinstance(kind, type) and issubclass(kind, unittest.TestCase)]
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(kind) for kind in cases)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.stderr.flush()
    # Threads of children that hang must not keep the process.
    os._exit(0 if result.wasSuccessful() and result.testsRun >= least else 1)


PAPERBACK = {'bundle_id': 'org.example.paperback', 'name': 'Paperback', 'overlay': 'documents', 'access': ['documents'], 'missing': []}
KINDLE = {'bundle_id': 'com.amazon.Lassen', 'name': 'Kindle', 'overlay': 'kindle', 'access': ['documents'], 'missing': []}
BOOKS = {
    'bundle_id': 'com.apple.iBooks', 'name': 'Books', 'overlay': 'ibooks', 'access': ['media'],
    'missing': [{'ability': 'upload', 'reason': 'Only Books can add books.', 'hint': None}]}


def phone(name='Phone', apps=(PAPERBACK,), **more):
    return {'name': name, 'apps': list(apps), **more}


def record(path, title, **more):
    return {
        'path': path, 'title': title, 'authors': ['An Author'], 'size': 1234, 'date_added': '2026-01-02T03:04:05Z', 'cover': None, **more}


class Control:
    """The control file and the log of a stand-in."""

    def __init__(self, folder=None, **content):
        self.folder = folder or tempfile.mkdtemp(prefix='overlayhost-standin-')
        self.file = os.path.join(self.folder, 'control.json')
        self.log = os.path.join(self.folder, 'requests')
        self.environment = dict(os.environ, STANDIN_CONTROL=self.file, STANDIN_LOG=self.log, OVERLAYHOST=STANDIN)
        self.content = {}
        self.set(**content)

    def set(self, **changes):
        self.content.update(changes)
        part = self.file + '.part'
        with open(part, 'w', encoding='utf-8') as file:
            json.dump(self.content, file)
        os.replace(part, self.file)

    def requests(self, method=None):
        """The requests so far, or those of a method."""
        try:
            with open(self.log, encoding='utf-8') as file:
                lines = [json.loads(line) for line in file.read().splitlines()]
        except FileNotFoundError:
            return []
        return [line for line in lines if method in (None, line['method'])]
