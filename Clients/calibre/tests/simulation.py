# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated device of OverlayHost, its folder, and the command line beside calibre."""

import json
import os
import subprocess


class Simulation:
    """Runs `overlayhost simulate FOLDER...`. Commands in `environment` use it."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.program = os.path.join(os.environ['PRODUCTS'], 'overlayhost')
        self.environment = dict(os.environ)
        self._process = subprocess.Popen(
            [self.program, 'simulate', folder, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            stdin=subprocess.DEVNULL)
        line = self._process.stdout.readline().strip()
        assert line.startswith('USBMUXD_SOCKET_ADDRESS='), line
        self.environment['USBMUXD_SOCKET_ADDRESS'] = self.address = line.partition('=')[2]

    def set(self, device=None, **settings):
        """Changes members of device.json, which the device reads at once."""
        self.configure(device or self.folder, **settings)

    @staticmethod
    def configure(folder, **settings):
        """Changes members of device.json in a folder."""
        file = os.path.join(folder, 'device.json')
        with open(file, encoding='utf-8') as source:
            content = json.load(source)
        content.update(settings)
        with open(file + '.part', 'w', encoding='utf-8') as target:
            json.dump(content, target)
        os.replace(file + '.part', file)

    def overlayhost(self, *arguments):
        """The output of a command, which must succeed."""
        done = subprocess.run(
            [self.program, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, timeout=120)
        assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def file_of(self, bundle_id, path):
        """The file in the device's folder that a path of an app with file sharing means."""
        return os.path.join(self.folder, 'Containers', bundle_id, 'Documents', path)

    def files(self, bundle_id):
        """The paths of the files in an app's documents that a person sees."""
        top = os.path.join(self.folder, 'Containers', bundle_id, 'Documents')
        found = set()
        for folder, folders, names in os.walk(top):
            # What the program left, to be finished later, is hidden.
            folders[:] = [name for name in folders if not name.startswith('.')]
            found.update(os.path.relpath(os.path.join(folder, name), top) for name in names if not name.startswith('.'))
        return found

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
