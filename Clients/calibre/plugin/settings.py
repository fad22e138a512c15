# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of this plugin. All others are in the preferences of OverlayHost, which its programs share."""

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
    # What to do with a sent book that already exists: replace, update, protect; empty: as in the app's options.
    'on_conflict': 'replace',
    'may_lose_marks': False,
    # Columns that put sent books into collections, such as ['series', '#shelf'].
    'collection_columns': [],
    # Columns for values from the app when calibre manages metadata automatically; empty: none.
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
