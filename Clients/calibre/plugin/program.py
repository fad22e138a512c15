# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the program `overlayhost` and its environment. Does not import calibre."""

import os
import shutil
import sys

VARIABLE = 'OVERLAYHOST'
NAME = 'overlayhost'
INSTALL_HINT = 'Install OverlayHost, or set the path of the program in Preferences → Plugins → OverlayHost.'


class ProgramProblem(Exception):
    """The program cannot be used. The text is for the user; `code` identifies the reason."""

    def __init__(self, code, message):
        Exception.__init__(self, message)
        self.code = code
        self.message = message


def find_program(setting, environment=None):
    """The absolute path of the program.

    The first of these counts: the plugin's setting, the variable OVERLAYHOST, PATH. A setting or variable that names no
    program is an error, so that a typing mistake never silently starts another version.
    Raises ProgramProblem('missing').
    """
    environment = os.environ if environment is None else environment
    for named, where in (
        (setting, 'set in the configuration of this plugin'),
        (environment.get(VARIABLE), f'named by the variable {VARIABLE}'),
    ):
        named = (named or '').strip()
        if not named:
            continue
        path = os.path.abspath(os.path.expanduser(named))
        if os.path.isdir(path):
            path = os.path.join(path, NAME)
        if not is_program(path):
            raise ProgramProblem(
                'missing', f'The program {named}, {where}, does not exist or cannot be started. {INSTALL_HINT}')
        return path
    found = shutil.which(NAME, path=environment.get('PATH', os.defpath))
    if not found:
        raise ProgramProblem('missing', f'The program {NAME} is not on this computer. {INSTALL_HINT}')
    return os.path.abspath(found)


def is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def child_environment(environment=None, frozen=None):
    """The environment of the child. It excludes the libraries that the official builds of calibre contain."""
    environment = dict(os.environ if environment is None else environment)
    frozen = getattr(sys, 'frozen', False) if frozen is None else frozen
    if frozen:
        for name in ('LD_LIBRARY_PATH', 'OPENSSL_MODULES', 'OPENSSL_CONF', 'SSL_CERT_FILE', 'FONTCONFIG_PATH'):
            environment.pop(name, None)
    return environment
