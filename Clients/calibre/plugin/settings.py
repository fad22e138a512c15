# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person chose for this plugin alone. Everything else is in the preferences of OverlayHost, which its programs share."""

from calibre.utils.config import JSONConfig

from calibre_plugins.overlayhost.apps import AUTOMATIC, NONE

DEFAULTS = {
    # The path of the program; empty: the variable OVERLAYHOST, then PATH.
    'program': '',
    # The beginning of a UDID or name; empty: any device.
    'device': '',
    # The apps shown as storage cards: bundle ids, AUTOMATIC or NONE.
    'card_a': AUTOMATIC,
    'card_b': AUTOMATIC,
    # What a send does with a book that is there already: replace, update, protect; empty: what the app's options say.
    'on_conflict': 'replace',
    'may_lose_marks': False,
    # Columns that put sent books into collections, such as ['series', '#shelf'].
    'collection_columns': [],
    # Columns that take what the app knows, when calibre manages metadata by itself; empty: none.
    'read_column': '',
    'progress_column': '',
    'rating_column': '',
}


class Settings:
    """The settings, read once. Any thread."""

    def __init__(self):
        self._values = JSONConfig('plugins/OverlayHost')

    def get(self, key):
        value = self._values.get(key)
        return DEFAULTS[key] if value is None or not isinstance(value, type(DEFAULTS[key])) else value

    @property
    def has_cards(self):
        return NONE != self.get('card_a') or NONE != self.get('card_b')

    def set(self, changes):
        """Stores several at once."""
        with self._values:
            for key, value in changes.items():
                self._values[key] = value
