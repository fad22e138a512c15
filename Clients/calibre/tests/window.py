# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives calibre's main window from a test that runs on a thread of its own, inside calibre (calibre-debug -e).

The test thread reads like a script: `Window.do` runs a function on the window's thread and gives its result, `wait_for` waits for a
condition with a bound. Message boxes never block it, because their event loops run what is sent to them.
"""

import os
import sys
import threading
import time
import traceback

from qt.core import QApplication, QDialog, QMessageBox, QObject, Qt, pyqtSignal, pyqtSlot

PATIENCE = 40


class Caller(QObject):
    """Belongs to the window's thread, so that functions sent to it run there."""

    call = pyqtSignal(object)

    def __init__(self):
        QObject.__init__(self)
        self.moveToThread(QApplication.instance().thread())
        self.call.connect(self.run, type=Qt.ConnectionType.QueuedConnection)

    @pyqtSlot(object)
    def run(self, function):
        function()


class Window:
    def __init__(self, gui, caller):
        self.gui = gui
        self._caller = caller

    # The window's thread

    def post(self, function):
        """Runs a function on the window's thread, and does not wait for it: it may open a message box."""
        self._caller.call.emit(function)

    def do(self, function, seconds=PATIENCE):
        """The result of a function on the window's thread. Fails if the window does not answer: nothing may block it."""
        done, result = threading.Event(), {}

        def run():
            try:
                result['value'] = function()
            except BaseException as error:
                result['error'] = error
            done.set()
        self.post(run)
        if not done.wait(seconds):
            raise AssertionError('The window does not answer.\n' + all_stacks())
        if 'error' in result:
            raise result['error']
        return result.get('value')

    def wait_for(self, condition, what, seconds=PATIENCE):
        """Waits until a condition holds on the window's thread, and gives its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.do(condition)
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f'Not within {seconds} seconds: {what}. Messages: {self.messages()}. Jobs: {self.jobs()}')
            time.sleep(0.05)

    # What the user sees

    def messages(self):
        """The texts of all open message boxes and dialogs."""
        def texts():
            found = []
            for widget in QApplication.topLevelWidgets():
                if widget is not self.gui and widget.isVisible() and isinstance(widget, QDialog):
                    text = getattr(widget, 'msg', None)
                    found.append(text.text() if hasattr(text, 'text') else widget.windowTitle())
            return found
        return self.do(texts)

    def close_messages(self):
        def close():
            for widget in QApplication.topLevelWidgets():
                if widget is not self.gui and widget.isVisible() and isinstance(widget, (QDialog, QMessageBox)):
                    widget.reject() if hasattr(widget, 'reject') else widget.close()
        self.do(close)

    def expect_message_beside(self, widget, *parts):
        """Like `expect_message`, for a box of a widget that stays open."""
        def box():
            for child in widget.findChildren(QDialog):
                if child.isVisible() and all(part in child.msg.text() for part in parts):
                    child.reject()
                    return True
            return False
        self.wait_for(box, f'a message with {parts}')

    def expect_message(self, *parts, seconds=PATIENCE):
        """Waits for a message box that has all these texts, and closes it. Gives its text."""
        deadline = time.monotonic() + seconds
        while True:
            for text in self.messages():
                if all(part in text for part in parts):
                    self.close_messages()
                    return text
            if time.monotonic() > deadline:
                raise AssertionError(f'No message with {parts}. Messages: {self.messages()}')
            time.sleep(0.05)

    # The device

    @property
    def manager(self):
        return self.gui.device_manager

    @property
    def plugin(self):
        from calibre.customize.ui import find_plugin
        return find_plugin('OverlayHost')

    def is_alive(self):
        """Whether calibre's device thread runs."""
        return self.manager.is_alive()

    def jobs(self):
        def running():
            return [job.description for job in self.gui.job_manager.unfinished_jobs()]
        return self.do(running)

    def wait_until_idle(self):
        """Waits until no job of the device runs or is queued, also none that follows from another."""
        for _ in range(2):
            self.wait_for(
                lambda: not self.gui.job_manager.has_device_jobs(queued_also=True) and self.manager.current_job is None, 'jobs end')

    def wait_and_close_messages(self, condition, what):
        """Waits like `wait_for`, and closes message boxes, because calibre continues only after a box about a failed job is closed."""
        def holds():
            return condition() and not self.has_messages()
        deadline = time.monotonic() + PATIENCE
        while not self.do(holds):
            assert time.monotonic() < deadline, f'Not within {PATIENCE} seconds: {what}. Jobs: {self.jobs()}'
            self.close_messages()

    def has_messages(self):
        return any(
            widget.isVisible() for widget in QApplication.topLevelWidgets()
            if widget is not self.gui and isinstance(widget, QDialog))

    def wait_until_connected(self, seconds=PATIENCE):
        self.wait_for(lambda: self.manager.is_device_connected and self.gui.device_connected, 'the device is connected', seconds)
        self.wait_for(lambda: self.gui.location_manager.has_device, 'the device button is there')
        self.wait_until_idle()

    def wait_until_gone(self):
        self.wait_for(lambda: not self.manager.is_device_connected and not self.gui.location_manager.has_device, 'the device is gone')

    def view(self, card=None):
        return {None: self.gui.memory_view, 'carda': self.gui.card_a_view, 'cardb': self.gui.card_b_view}[card]

    def books(self, card=None):
        """The books in a view of the device."""
        return self.do(lambda: list(self.view(card).model().db))

    def titles(self, card=None):
        return sorted(book.title for book in self.books(card))

    def book(self, title, card=None):
        for book in self.books(card):
            if book.title == title:
                return book
        raise AssertionError(f'No “{title}” among {self.titles(card)}')

    def row_of(self, title, card=None):
        model = self.view(card).model()
        for row in range(model.rowCount(None)):
            if model.db[model.map[row]].title == title:
                return row
        raise AssertionError(f'No row “{title}”')

    def show_device(self, card=None):
        name = {None: 'main', 'carda': 'carda', 'cardb': 'cardb'}[card]
        self.do(lambda: getattr(self.gui.location_manager, 'location_' + name).trigger())

    def show_library(self):
        self.do(lambda: self.gui.location_manager.library_action.trigger())

    def select(self, titles, card=None):
        def select():
            view = self.view(card)
            view.select_rows([self.row_of(title, card) for title in titles], using_ids=False)
        self.do(select)

    def edit(self, title, column, value, card=None):
        """Edits a cell of the device view, as a double click does."""
        def edit():
            model = self.view(card).model()
            index = model.index(self.row_of(title, card), model.column_map.index(column))
            assert model.flags(index) & Qt.ItemFlag.ItemIsEditable, f'{column} is not editable'
            assert model.setData(index, value, Qt.ItemDataRole.EditRole)
        self.do(edit)
        self.wait_until_idle()

    def send(self, ids, card=None, format=None, wait=True, and_delete=False):
        self.post(lambda: self.gui.sync_to_device(card, and_delete, specific_format=format, send_ids=list(ids), do_auto_convert=False))
        if wait:
            # The jobs begin when the window has prepared the files.
            self.do(lambda: None)
            self.wait_until_idle()

    def delete(self, titles, card=None):
        self.show_device(card)
        self.select(titles, card)
        self.post(lambda: self.gui.iactions['Remove Books'].delete_books())
        self.do(lambda: None)
        self.wait_until_idle()

    def grab(self, path, widget=None):
        from calibre.utils.img import quantize_image

        def grab():
            QApplication.processEvents()
            # Few colours keep the file small.
            quantize_image((widget or self.gui).grab().toImage(), max_colors=128, dither=False).save(path)
        self.do(grab)


def all_stacks():
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return '\n'.join(
        f'{names.get(ident)}:\n' + ''.join(traceback.format_stack(frame)) for ident, frame in sys._current_frames().items())


def run(test, library, cleanup=lambda: None):
    """Starts calibre with a library, runs `test(window)` when its window is ready, quits, cleans up, and exits with 0 or 1."""
    from calibre.gui2 import config
    from calibre.gui2.main import main
    from calibre.gui2.ui import get_gui
    config['disable_animations'] = True
    outcome = []

    def script():
        try:
            deadline = time.monotonic() + PATIENCE
            while get_gui() is None or not getattr(get_gui(), 'device_manager', None) or not get_gui().isVisible():
                if time.monotonic() > deadline:
                    raise AssertionError('calibre has no window.\n' + all_stacks())
                time.sleep(0.05)
            window = Window(get_gui(), Caller())
            test(window)
            outcome.append('passed')
        except BaseException:
            traceback.print_exc()
            outcome.append('failed')
            sys.stderr.flush()
            cleanup()
            os._exit(1)
        window.post(lambda: window.gui.quit(confirm_quit=False))

    threading.Thread(target=script, name='test', daemon=True).start()
    status = main(['calibre', '--with-library', library, '--no-update-check'])
    sys.stdout.flush()
    cleanup()
    os._exit(0 if outcome == ['passed'] and not status else 1)
