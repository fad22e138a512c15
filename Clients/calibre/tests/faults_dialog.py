# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of faults.py about the dialog of the configuration."""

import json
import os
import shutil

from qt.core import QApplication

COLUMNS = [{'key': 'pages', 'label': 'Pages', 'kinds': ['int']}, {'key': 'lent', 'label': 'Lent', 'kinds': ['bool', 'text']}]


def preference(key, kind, value, **more):
    return {'key': key, 'overlay': None, 'type': kind, 'value': value, 'has_effect': True, 'label': key.title(), 'default': '', **more}


class Dialog:
    """`passed(text)` records a check that holds."""

    def __init__(self, calibre, control, passed):
        self.calibre, self.control, self.passed = calibre, control, passed
        self.settings = calibre.plugin.bridge.settings

    def run(self):
        self.control.set(prefs=[
            preference('some_columns', 'object', {}, columns=COLUMNS), preference('some_object', 'object', {'a': 1}),
            preference('some_text', 'text', 'before'), preference('some_number', 'integer', 1),
        ])
        self.offers_columns()
        self.refuses_what_is_no_json()
        self.opens_for_the_connected_device()
        self.has_options_without_the_apps()
        self.says_what_was_refused()
        self.uses_another_program()
        self.says_why_there_are_no_options()

    def open(self):
        def make():
            widget = self.calibre.plugin.config_widget()
            widget.show()
            return widget
        return self.calibre.do(make)

    def loaded(self):
        widget = self.open()
        self.calibre.wait_for(lambda: widget.is_loaded, 'the options arrive')
        return widget, {entry.key: entry for entry in widget.fields}

    def close(self, widget):
        self.calibre.do(lambda: (widget.close(), widget.deleteLater()))

    def requests(self, method):
        return [line['params'] for line in self.control.requests(method)]

    def stored(self):
        """The plugin's own file."""
        with open(os.path.join(os.environ['CALIBRE_CONFIG_DIRECTORY'], 'plugins', 'OverlayHost.json'), encoding='utf-8') as file:
            return json.load(file)

    def offers_columns(self):
        widget, fields = self.loaded()

        def offered():
            boxes = fields['some_columns'].boxes
            return {key: [box.itemData(index)[0] for index in range(1, box.count())] for key, box in boxes.items()}
        found = self.calibre.do(offered)
        assert found == {'pages': ['#mm_word_count', '#part'], 'lent': ['#finished', '#mm_collections', '#mm_locked']}, found
        self.close(widget)
        self.passed('the columns that the program names can be chosen')

    def refuses_what_is_no_json(self):
        widget, fields = self.loaded()
        answers = []
        for text, words in (('{"a": ', 'this is not JSON'), ('[1]', 'this must be a JSON object')):
            self.calibre.do(lambda: fields['some_object'].control.setPlainText(text))
            self.calibre.post(lambda: answers.append(widget.validate()))
            self.calibre.expect_message_beside(widget, 'Some_Object', words)
        self.calibre.wait_for(lambda: len(answers) == 2, 'the messages are closed')
        self.calibre.do(lambda: fields['some_object'].control.setPlainText('{"b": 2}'))
        assert answers == [False, False] and self.calibre.do(widget.validate)
        self.close(widget)
        assert self.requests('prefs.set') == []
        self.passed('what is no JSON is refused with the reason')

    def opens_for_the_connected_device(self):
        """By the menu of the button; each choice is stored where it belongs, and what was not changed is not."""
        self.calibre.wait_until_idle()
        self.calibre.post(lambda: self.calibre.gui.configure_connected_device())

        def shown():
            from calibre_plugins.overlayhost.dialog import ConfigWidget
            found = [widget for widget in QApplication.allWidgets() if isinstance(widget, ConfigWidget) and widget.isVisible()]
            return found[0] if found and found[0].is_loaded else None
        widget = self.calibre.wait_for(shown, 'the dialog has the options')
        fields = {entry.key: entry for entry in widget.fields}

        def change():
            fields['some_number'].control.setValue(7)
            fields['some_text'].control.setText('')
            widget.may_lose_marks.setChecked(True)
            widget.on_conflict.setCurrentIndex(widget.on_conflict.findData('update'))
            widget.collection_columns.setText(' series ,, #shelf')
            widget.main_app.addItem('Another', 'Another')
            widget.main_app.setCurrentIndex(widget.main_app.findData('Another'))
        self.calibre.do(change)
        self.calibre.post(lambda: widget.window().accept())
        self.calibre.wait_for(lambda: self.requests('prefs.unset') and len(self.requests('prefs.set')) == 2, 'the program stores')
        self.calibre.wait_and_close_messages(lambda: True, 'the window says that calibre must be restarted')
        assert self.requests('prefs.set') == [
            {'key': 'some_number', 'value': 7}, {'key': 'preferred_reader_app', 'value': 'Another'}], self.requests('prefs.set')
        assert self.requests('prefs.unset') == [{'key': 'some_text'}]
        stored = self.stored()
        assert (stored['may_lose_marks'], stored['on_conflict'], stored['collection_columns']) == (
            True, 'update', ['series', '#shelf']), stored
        assert not {'some_number', 'some_text', 'preferred_reader_app'} & set(stored), stored
        self.settings.set({'may_lose_marks': False, 'on_conflict': 'replace', 'collection_columns': []})
        self.passed('“Configure this device” opens, and each choice is stored where it belongs')

    def has_options_without_the_apps(self):
        self.control.set(faults={'apps': {'code': 'device_io', 'message': 'Reading failed.'}})
        widget, fields = self.loaded()
        assert 'some_text' in fields
        text = self.calibre.do(widget.status.text)
        assert text.endswith('The apps on the device could not be asked for now. Reading failed.'), text
        self.close(widget)
        self.control.set(faults={})
        self.passed('a device that does not name its apps leaves the options, and a line says so')

    def says_what_was_refused(self):
        widget, fields = self.loaded()
        self.control.set(faults={'prefs.set': {'code': 'prefs_invalid_value', 'message': 'It must be even.'}})
        before = len(self.requests('prefs.set'))

        def change():
            fields['some_number'].control.setValue(9)
            self.calibre.plugin.save_settings(widget)
        self.calibre.do(change)
        self.close(widget)
        self.calibre.expect_message('It must be even.')
        assert len(self.requests('prefs.set')) == before + 1
        self.control.set(faults={})
        self.passed('a preference that the program refuses is reported, also after the dialog is closed')

    def uses_another_program(self):
        other = os.path.join(os.environ['STANDIN_FOLDER'], 'another-overlayhost')
        shutil.copy(os.environ['OVERLAYHOST'], other)
        host = self.calibre.plugin.bridge.host
        for text, path in ((other, other), ('', os.environ['OVERLAYHOST'])):
            widget, _ = self.loaded()
            epoch = host.epoch
            self.calibre.do(lambda: (widget.program.setText(f' {text} '), self.calibre.plugin.save_settings(widget)))
            self.close(widget)
            assert self.stored()['program'] == text
            self.calibre.wait_for(lambda: host.epoch > epoch and host.path == path, 'the other program runs')
            self.calibre.wait_until_connected()
        self.passed('a new path of the program starts that program')

    def says_why_there_are_no_options(self):
        program = os.environ['OVERLAYHOST']
        # Another path than in actions_needed: calibre shows each message once.
        os.environ['OVERLAYHOST'] = '/elsewhere/overlayhost'
        self.calibre.do(lambda: self.calibre.plugin.bridge.host.restart())
        self.calibre.expect_message('/elsewhere/overlayhost')
        widget = self.open()
        self.calibre.wait_for(lambda: '/elsewhere/overlayhost' in widget.status.text(), 'the dialog says why it has no options')
        assert 'Install OverlayHost' in self.calibre.do(widget.status.text)
        self.calibre.do(lambda: widget.device.setText('Some phone'))
        assert self.calibre.do(widget.validate)
        self.calibre.do(lambda: self.calibre.plugin.save_settings(widget))
        self.close(widget)
        assert self.stored()['device'] == 'Some phone'
        self.settings.set({'device': ''})
        os.environ['OVERLAYHOST'] = program
        self.passed('without the program, the dialog says why, and has the choices of the plugin')
