# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of the library that is open in calibre's window, and the choice of those that go to a reader app."""

import os

from qt.core import QComboBox, QFormLayout, QWidget

from calibre_plugins.overlayhost.forms import Field, grow


def open_library():
    """The name of the open library and its columns by their lookup names; (None, {}) without a window."""
    from calibre.gui2.ui import get_gui
    gui = get_gui()
    if gui is None or getattr(gui, 'current_db', None) is None:
        return None, {}
    db = gui.current_db
    return os.path.basename(db.library_path), db.field_metadata.custom_field_metadata()


def library_columns(kinds):
    """Lookup name and description of the user's columns of these kinds."""
    return sorted((lookup, column) for lookup, column in open_library()[1].items() if column['datatype'] in kinds)


class ColumnsField(Field):
    """Draws a preference that has `columns` as a choice for each, for the library that is open; other libraries stay as they are."""

    @staticmethod
    def fits(preference):
        return bool(preference.get('columns')) and open_library()[0] is not None

    def make(self, preference):
        control = QWidget()
        form = grow(QFormLayout(control))
        form.setContentsMargins(0, 0, 0, 0)
        self.library, columns = open_library()
        self.boxes = {}
        stored = (preference.get('value') or {}).get(self.library) or {}
        for role in preference['columns']:
            box = self.boxes[role['key']] = QComboBox()
            box.addItem('', None)
            now = stored.get(role['key']) or {}
            for lookup, column in library_columns(role['kinds']):
                box.addItem(f'{column["name"]} ({lookup})', (lookup, column['name']))
                if lookup == now.get('field') or (not now.get('field') and column['name'] == now.get('combobox')):
                    box.setCurrentIndex(box.count() - 1)
            form.addRow(role['label'] + ':', box)
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
