# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of the library that is open in calibre's window, and the choice of those that go to a reader app."""

from qt.core import QComboBox, QFormLayout, QWidget

from calibre_plugins.overlayhost.forms import Field, grow

KEY = 'cc_mappings'
# The values that the preference can map, the kinds of columns that can hold each, and its text in the dialog.
ROLES = (
    ('marvin_collections', ('text', 'enumeration'), 'Collections'),
    ('marvin_locked', ('bool',), 'Locked'),
    ('marvin_word_count', ('int', 'float'), 'Word count'),
)


def open_library():
    """The name of the open library and its columns by their lookup names; (None, {}) without a window."""
    from calibre.gui2.ui import get_gui
    gui = get_gui()
    if gui is None or getattr(gui, 'current_db', None) is None:
        return None, {}
    import os
    db = gui.current_db
    return os.path.basename(db.library_path), db.field_metadata.custom_field_metadata()


def library_columns(kinds):
    """Lookup name and description of the person's columns of these kinds."""
    return sorted((lookup, column) for lookup, column in open_library()[1].items() if column['datatype'] in kinds)


class ColumnsField(Field):
    """Draws `cc_mappings` as a choice of columns for each value, for the library that is open; others stay as they are."""

    @staticmethod
    def fits(preference):
        return preference['key'] == KEY and open_library()[0] is not None

    def make(self, preference):
        control = QWidget()
        form = grow(QFormLayout(control))
        form.setContentsMargins(0, 0, 0, 0)
        self.library, columns = open_library()
        self.boxes = {}
        stored = (preference.get('value') or {}).get(self.library) or {}
        for role, kinds, text in ROLES:
            box = self.boxes[role] = QComboBox()
            box.addItem('', None)
            now = stored.get(role) or {}
            for lookup, column in library_columns(kinds):
                box.addItem(f'{column["name"]} ({lookup})', (lookup, column['name']))
                if lookup == now.get('field') or (not now.get('field') and column['name'] == now.get('combobox')):
                    box.setCurrentIndex(box.count() - 1)
            form.addRow(text + ':', box)
        return control

    def value(self):
        mapping = dict(self.preference.get('value') or {})
        chosen = {}
        for role, box in self.boxes.items():
            if box.currentData() is not None:
                lookup, heading = box.currentData()
                chosen[role] = {'field': lookup, 'combobox': heading}
        if chosen:
            mapping[self.library] = chosen
        else:
            mapping.pop(self.library, None)
        return mapping
