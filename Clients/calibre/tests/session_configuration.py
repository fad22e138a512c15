# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of session.py in the configuration of the plugin."""

import json
import os

from qt.core import QApplication


class ConfigurationSteps:
    def configures(self):
        """The configuration shows the options of every overlay with their help, and stores changes."""
        listed = {entry['key']: entry for entry in json.loads(self.phone.overlayhost('prefs', 'list', '--json'))['prefs']}
        widget = self.open_configuration()
        shown = {field.key: field for field in widget.fields}
        expected = {key for key, entry in listed.items() if entry['has_effect'] and key != 'preferred_reader_app'}
        assert set(shown) == expected, set(shown) ^ expected
        assert not {'plugin_version', 'plugin_diagnostics', 'ibooks_override'} & set(shown), set(shown)
        assert all(field.label != key for key, field in shown.items()), [key for key, field in shown.items() if field.label == key]
        assert self.calibre.do(lambda: widget.main_app.currentData()) == 'Paperback'
        tabs = self.calibre.do(lambda: [widget.tabs.tabText(index) for index in range(widget.tabs.count())])
        assert tabs[0] == 'Device' and {'Marvin', 'Documents', 'Kindle', 'OverlayHost'} <= set(tabs), tabs
        if self.pictures:
            self.calibre.do(lambda: (
                widget.resize(720, 560), widget.status.setText(widget.status.text().split(',')[0] + ', /usr/bin/overlayhost')))
            self.calibre.grab(os.path.join(self.pictures, 'calibre-configuration.png'), widget)
            self.calibre.do(lambda: widget.tabs.setCurrentIndex(tabs.index('Marvin')))
            self.calibre.grab(os.path.join(self.pictures, 'calibre-options.png'), widget)

        def change():
            shown['marvin_merge_collections'].control.setChecked(False)
            shown['upload_batch_size'].control.setValue(7)
            boxes = shown['cc_mappings'].boxes
            for role, column in (
                ('marvin_collections', '#mm_collections'), ('marvin_locked', '#mm_locked'), ('marvin_word_count', '#mm_word_count'),
            ):
                box = boxes[role]
                box.setCurrentIndex(next(index for index in range(box.count()) if box.itemData(index) and box.itemData(index)[0] == column))
            for key, column in (('read_column', '#finished'), ('progress_column', '#part'), ('rating_column', 'rating')):
                widget.columns[key].setCurrentIndex(widget.columns[key].findData(column))
            assert widget.validate()
            self.calibre.plugin.save_settings(widget)
        self.calibre.do(change)

        def stored():
            now = {entry['key']: entry['value'] for entry in json.loads(self.phone.overlayhost('prefs', 'list', '--json'))['prefs']}
            return now['upload_batch_size'] == 7 and now['marvin_merge_collections'] is False and now['cc_mappings']
        mapping = self.calibre.wait_for(stored, 'the preferences are stored')
        assert mapping == {os.path.basename(self.library): {
            'marvin_collections': {'field': '#mm_collections', 'combobox': 'Collections'},
            'marvin_locked': {'field': '#mm_locked', 'combobox': 'Locked'},
            'marvin_word_count': {'field': '#mm_word_count', 'combobox': 'Word count'}}}, mapping
        self.calibre.do(lambda: (widget.close(), widget.deleteLater()))

    def open_configuration(self):
        def make():
            widget = self.calibre.plugin.config_widget()
            widget.show()
            return widget
        widget = self.calibre.do(make)
        self.calibre.wait_for(lambda: widget.is_loaded, 'the options arrive')
        return widget

    def configures_without_a_device(self):
        """Without a device, the configuration opens from calibre's preferences, and has the same options."""
        with_device = self.open_configuration()
        keys = [entry.key for entry in with_device.fields]
        self.calibre.do(lambda: (with_device.close(), with_device.deleteLater()))
        self.phone.set(attached=False)
        self.calibre.wait_until_gone()
        # It ends when the dialog does.
        self.calibre.post(lambda: self.calibre.plugin.do_user_config(self.calibre.gui))

        def shown():
            from calibre_plugins.overlayhost.dialog import ConfigWidget
            widgets = [widget for widget in QApplication.allWidgets() if isinstance(widget, ConfigWidget) and widget.isVisible()]
            return widgets[0] if widgets and widgets[0].is_loaded else None
        widget = self.calibre.wait_for(shown, 'the options arrive')
        assert [entry.key for entry in widget.fields] == keys
        assert self.calibre.do(lambda: widget.main_app.isEnabled() and widget.main_app.currentData()) == 'Paperback'
        before = self.phone.overlayhost('prefs', 'list', '--json')
        self.calibre.do(lambda: widget.window().accept())
        self.calibre.wait_for(lambda: not self.calibre.has_messages(), 'the dialog is closed')
        assert self.phone.overlayhost('prefs', 'list', '--json') == before
        self.reconnect()
