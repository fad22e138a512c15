# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of the plugin, a widget that calibre puts into its own dialog. Needs no device.

What the overlays offer arrives a moment after the widget is shown, from a thread that asks the host: the window never waits for it.
"""

import threading

from calibre.devices.errors import UserFeedback
from calibre.gui2 import Dispatcher, choose_files, error_dialog
from qt.core import (
    QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QScrollArea, QTabWidget, QTextBrowser, QToolButton, Qt,
    QVBoxLayout, QWidget, pyqtSignal,
)

from calibre_plugins.overlayhost.apps import AUTOMATIC, NONE
from calibre_plugins.overlayhost.columns import ColumnsField, library_columns
from calibre_plugins.overlayhost.failures import feedback, shown
from calibre_plugins.overlayhost.forms import Form, field, grow, note
from calibre_plugins.overlayhost.wire import ChildSilent

PATIENCE = 8
# A busy device answers when it is done, for example with an upload.
APPS_PATIENCE = 8
PREFERRED_APP = 'preferred_reader_app'
CONFLICTS = (
    ('replace', 'Replace it'), ('update', 'Update its metadata'), ('protect', 'Leave it alone'), ('', 'As the options of the app say'))


class Loaded:
    """The host's answers for the dialog. `problem` is why there are none; `apps_problem` is why the apps are missing."""

    def __init__(self, problem=None):
        self.problem, self.apps_problem = problem, None
        self.version = self.path = self.file = None
        self.preferences, self.overlays, self.helps, self.apps = [], [], {}, []


def load(host, udid):
    """Sends all requests to the host. Runs on its own thread."""
    loaded = Loaded()
    try:
        answer = host.request('prefs.list', {}, PATIENCE)
        loaded.preferences, loaded.file = answer.get('prefs') or [], answer.get('file')
        loaded.overlays = [
            overlay for overlay in host.request('overlays', {}, PATIENCE).get('overlays') or [] if overlay.get('state') == 'ready']
        for overlay in loaded.overlays:
            full = host.request('overlays', {'overlay': overlay['id']}, PATIENCE).get('overlays') or [{}]
            loaded.helps[overlay['id']] = full[0].get('help') or ''
        loaded.path, loaded.version = host.path, host.version
    except Exception as error:
        loaded.problem = text_of_problem(error)
        return loaded
    if udid is not None:
        try:
            answer = host.request('apps', {'device': udid}, APPS_PATIENCE)
            loaded.apps = [app for app in answer.get('apps') or [] if app.get('overlay')]
        except ChildSilent:
            # The device may just be busy.
            loaded.apps_problem = 'The device did not answer in time.'
        except Exception as error:
            loaded.apps_problem = text_of_problem(error)
    return loaded


def text_of_problem(error):
    problem = feedback(error)
    return getattr(problem, 'text', None) or str(problem)


class ConfigWidget(QWidget):
    arrived = pyqtSignal(object)

    def __init__(self, bridge):
        QWidget.__init__(self)
        self.bridge = bridge
        self.is_loaded = False
        self.fields = []
        layout = QVBoxLayout(self)
        self.status = QLabel('Asking OverlayHost…')
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        layout.addWidget(self.status)
        self.tabs = QTabWidget(self)
        layout.addWidget(self.tabs)
        self.tabs.addTab(scrolling(self._own()), 'Device')
        self.setMinimumSize(640, 480)
        # Called on another thread.
        self.arrived.connect(self._show, type=Qt.ConnectionType.QueuedConnection)
        self._ask()

    def _ask(self):
        host, device = self.bridge.host, self.bridge.device

        def run():
            loaded = load(host, device.udid if device is not None else None)
            try:
                self.arrived.emit(loaded)
            except RuntimeError:
                pass  # The dialog was closed meanwhile.
        threading.Thread(target=run, name='OverlayHost dialog', daemon=True).start()

    # The choices of this plugin

    def _own(self):
        settings, widget = self.bridge.settings, QWidget(self)
        form = grow(QFormLayout(widget))
        self.program = QLineEdit(settings.get('program'))
        self.program.setPlaceholderText('found by the variable OVERLAYHOST or in PATH')
        row, browse = QHBoxLayout(), QToolButton()
        browse.setText('…')
        browse.clicked.connect(self._browse)
        row.addWidget(self.program)
        row.addWidget(browse)
        form.addRow('Program:', row)
        self.device = QLineEdit(settings.get('device'))
        self.device.setPlaceholderText('any')
        form.addRow('Only this device:', self.device)
        form.addRow('', note('The beginning of its name or UDID, if several are attached at times.'))
        self.main_app, self.cards = QComboBox(), {}
        self.main_app.addItem('Automatic', '')
        self.main_app.setEnabled(False)
        form.addRow('Main memory shows:', self.main_app)
        for key, label in (('card_a', 'Card A shows:'), ('card_b', 'Card B shows:')):
            box = self.cards[key] = QComboBox()
            box.addItem('Another reader app, if there is one', AUTOMATIC)
            box.addItem('Nothing', NONE)
            keep(box, settings.get(key))
            form.addRow(label, box)
        form.addRow('', note('The main memory is the preferred reader app of OverlayHost, for the command line as well.'))
        self.on_conflict = QComboBox()
        for value, text in CONFLICTS:
            self.on_conflict.addItem(text, value)
        keep(self.on_conflict, settings.get('on_conflict'))
        form.addRow('A sent book that is there already:', self.on_conflict)
        form.addRow('', note(
            'This counts before the options of the app, such as Protect, Update and Replace of Marvin, unless it is “As the options of the '
            'app say”.'))
        self.may_lose_marks = QCheckBox('Also books with highlights, notes or a reading position')
        self.may_lose_marks.setChecked(settings.get('may_lose_marks'))
        form.addRow('', self.may_lose_marks)
        form.addRow('', note('Replacing a book deletes them.'))
        self.collection_columns = QLineEdit(', '.join(settings.get('collection_columns')))
        self.collection_columns.setPlaceholderText('such as: series')
        form.addRow('Collections from columns:', self.collection_columns)
        form.addRow('', note('Several with commas between them. Some apps have a book in one collection only.'))
        self.columns = {}
        for key, label, kinds in (
            ('read_column', 'Finished books in column:', ('bool',)),
            ('progress_column', 'Reading progress in column:', ('int', 'float')),
            ('rating_column', 'Ratings in column:', ('rating',)),
        ):
            box = self.columns[key] = QComboBox()
            box.addItem('None', '')
            if key == 'rating_column':
                box.addItem("calibre's own ratings", 'rating')
            for lookup, column in library_columns(kinds):
                box.addItem(f'{column["name"]} ({lookup})', lookup)
            keep(box, settings.get(key))
            form.addRow(label, box)
        form.addRow('', note(
            'With “Automatic management” in Preferences → Sending books to devices, calibre takes these from apps that have them. '
            'Progress is in percent. A rating is taken only for a book that has none in the library.'))
        return widget

    def _browse(self):
        chosen = choose_files(self, 'overlayhost program', 'The program overlayhost', all_files=True, select_only_single_file=True)
        if chosen:
            self.program.setText(chosen[0])

    # What the host offers

    def _show(self, loaded):
        if loaded.problem is not None:
            self.status.setText(loaded.problem)
            return
        status = f'OverlayHost {loaded.version}, {loaded.path}'
        if loaded.apps_problem is not None:
            status += f'\nThe apps on the device could not be asked for now. {loaded.apps_problem}'
        self.status.setText(status)
        self.loaded, self.is_loaded = loaded, True
        preferred = next((entry for entry in loaded.preferences if entry['key'] == PREFERRED_APP), {})
        names = dict.fromkeys([overlay['app'] for overlay in loaded.overlays if overlay.get('bundle_ids')])
        names.update(dict.fromkeys(app['name'] for app in loaded.apps))
        for name in names:
            self.main_app.addItem(name, name)
        keep(self.main_app, preferred.get('value') or '')
        self.main_app.setEnabled(True)
        self.shown_app = self.main_app.currentData()
        apps = {overlay['bundle_ids'][0]: overlay['app'] for overlay in loaded.overlays if overlay.get('bundle_ids')}
        here = {app['bundle_id']: app['name'] for app in loaded.apps}
        apps = {bundle_id: name for bundle_id, name in apps.items() if name not in here.values()}
        for key, box in self.cards.items():
            chosen = box.currentData()
            while box.count() > 2:
                box.removeItem(2)
            for bundle_id, name in {**here, **apps}.items():
                box.addItem(name, bundle_id)
            keep(box, chosen)
        for overlay in loaded.overlays:
            self._add_group(overlay['name'], overlay['id'], loaded.helps.get(overlay['id']))
        self._add_group('OverlayHost', None, f'These preferences are stored in `{loaded.file}`, for the command line as well.')

    def _add_group(self, title, overlay, text):
        entries = [
            entry for entry in self.loaded.preferences
            if entry.get('overlay') == overlay and entry.get('has_effect', True) and entry['key'] != PREFERRED_APP]
        if not entries:
            return
        fields = [ColumnsField(entry) if ColumnsField.fits(entry) else field(entry) for entry in entries]
        self.fields += fields
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.addWidget(Form(fields))
        if text:
            browser = QTextBrowser()
            browser.setOpenLinks(False)
            browser.setMarkdown(text)
            browser.setMinimumHeight(60 if overlay is None else 240)
            layout.addWidget(browser)
        layout.addStretch(1)
        self.tabs.addTab(scrolling(page), title)

    # The end of the dialog

    def validate(self):
        """Whether everything can be stored. Shows a message if not."""
        for entry in self.fields:
            problem = entry.problem()
            if problem is not None:
                error_dialog(self, 'This value cannot be stored', problem, show=True)
                return False
        return True

    def save(self):
        """Stores the changes: the plugin's own settings at once, and the host's preferences by the host, without waiting."""
        settings, bridge = self.bridge.settings, self.bridge
        new_program = self.program.text().strip()
        is_new_program = new_program != settings.get('program')
        settings.set({
            'program': new_program, 'device': self.device.text().strip(), 'on_conflict': self.on_conflict.currentData(),
            'may_lose_marks': self.may_lose_marks.isChecked(),
            'collection_columns': [text.strip() for text in self.collection_columns.text().split(',') if text.strip()],
            **{key: box.currentData() for key, box in {**self.cards, **self.columns}.items()},
        })
        bridge.presence.look_anew()
        edits = [(entry.key, entry.value(), entry.preference.get('default')) for entry in self.fields if entry.is_changed]
        if self.is_loaded and self.main_app.currentData() != self.shown_app:
            edits.append((PREFERRED_APP, self.main_app.currentData(), ''))
        # The widget may be gone when the answers arrive.
        complain = Dispatcher(complain_of_preferences)
        threading.Thread(
            target=lambda: store(bridge, edits, is_new_program, complain), name='OverlayHost preferences', daemon=True).start()


def store(bridge, edits, is_new_program, complain):
    """Has the host store preferences, and calls `complain` with those that it refused. Runs on its own thread."""
    host, problems = bridge.host, []
    for key, value, default in edits:
        try:
            # An empty text unsets a preference without a default.
            if value == '' and not default:
                host.request('prefs.unset', {'key': key}, PATIENCE)
            else:
                host.request('prefs.set', {'key': key, 'value': value}, PATIENCE)
        except Exception as error:
            problems.append(text_of_problem(error))
    bridge.presence.look_anew()
    if is_new_program:
        host.restart()
    elif edits:
        try:
            bridge.read_mappings()
        except UserFeedback as error:
            problems.append(error.msg)
    if problems:
        complain(shown('\n'.join(problems)))


def complain_of_preferences(text):
    from calibre.gui2.ui import get_gui
    error_dialog(get_gui(), 'Not all preferences were stored', text).show()


def keep(box, value):
    """Chooses the item with this value, and adds one if there is none."""
    if box.findData(value) < 0:
        box.addItem(str(value), value)
    box.setCurrentIndex(box.findData(value))


def scrolling(widget):
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(widget)
    return area
