# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls for preferences, generated from the host's schema. This module does not know any preference by name."""

import json

from qt.core import QCheckBox, QComboBox, QDoubleSpinBox, QFormLayout, QLabel, QLineEdit, QPlainTextEdit, QSizePolicy, QSpinBox, Qt, QWidget

LARGEST = 2 ** 31 - 1


class Field:
    """A control for one preference. `changed_value` is the new value that the user chose."""

    def __init__(self, preference):
        self.preference = preference
        self.key = preference['key']
        self.label = preference.get('label') or self.key
        self.control = self.make(preference)
        self.control.setToolTip(self.key)
        self.shown = self.value()

    def make(self, preference):
        raise NotImplementedError

    def value(self):
        """The value as JSON; raises ValueError for an invalid entry."""
        raise NotImplementedError

    @property
    def is_changed(self):
        return self.value() != self.shown

    def problem(self):
        """Why the value cannot be stored, a sentence; None if it can."""
        try:
            self.value()
        except ValueError as error:
            return f'{self.label}: {error}'
        return None


class BoolField(Field):
    def make(self, preference):
        control = QCheckBox(self.label)
        control.setChecked(bool(preference.get('value')))
        return control

    def value(self):
        return self.control.isChecked()


class IntegerField(Field):
    def make(self, preference):
        control, limits = QSpinBox(), preference.get('range') or {}
        control.setRange(int(max(-LARGEST, limits.get('minimum', -LARGEST))), int(min(LARGEST, limits.get('maximum', LARGEST))))
        control.setValue(int(preference.get('value') or 0))
        return control

    def value(self):
        return self.control.value()


class NumberField(Field):
    def make(self, preference):
        control, limits = QDoubleSpinBox(), preference.get('range') or {}
        control.setDecimals(3)
        control.setRange(limits.get('minimum', -1e12), limits.get('maximum', 1e12))
        control.setValue(float(preference.get('value') or 0))
        return control

    def value(self):
        value = self.control.value()
        return int(value) if value == int(value) else value


class TextField(Field):
    def make(self, preference):
        control = QLineEdit(str(preference.get('value') or ''))
        return control

    def value(self):
        return self.control.text()


class ChoiceField(Field):
    def make(self, preference):
        control = QComboBox()
        allowed = list(preference['allowed'])
        current = preference.get('value') or ''
        for text in allowed if current in allowed else [current] + allowed:
            control.addItem(text, text)
        control.setCurrentIndex(max(0, control.findData(current)))
        return control

    def value(self):
        return self.control.currentData()


class TextsField(Field):
    def make(self, preference):
        control = QLineEdit(', '.join(preference.get('value') or []))
        control.setPlaceholderText('several with commas between them')
        return control

    def value(self):
        return [text.strip() for text in self.control.text().split(',') if text.strip()]


class ObjectField(Field):
    def make(self, preference):
        control = QPlainTextEdit(json.dumps(preference.get('value') or {}, indent=2, ensure_ascii=False))
        control.setMaximumHeight(120)
        return control

    def value(self):
        try:
            value = json.loads(self.control.toPlainText() or '{}')
        except ValueError as error:
            raise ValueError(f'this is not JSON ({error}).') from None
        if not isinstance(value, dict):
            raise ValueError('this must be a JSON object.')
        return value


def field(preference):
    """The field for a preference."""
    kinds = {
        'bool': BoolField, 'integer': IntegerField, 'number': NumberField, 'list of texts': TextsField, 'object': ObjectField,
    }
    if preference['type'] == 'text' and preference.get('allowed'):
        return ChoiceField(preference)
    return kinds.get(preference['type'], TextField)(preference)


class Form(QWidget):
    """The fields of a group, each with its help below it."""

    def __init__(self, fields):
        QWidget.__init__(self)
        layout = grow(QFormLayout(self))
        self.fields = fields
        for entry in fields:
            layout.addRow('' if isinstance(entry, BoolField) else entry.label, entry.control)
            for text in (entry.preference.get('help'), entry.preference.get('problem')):
                if text:
                    layout.addRow('', note(text))


def note(text):
    """A small plain-text note."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 0.9)
    font.setItalic(True)
    label.setFont(font)
    return label


def grow(layout):
    """Lets fields and notes use the available width."""
    layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return layout
