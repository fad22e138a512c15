# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way in which the host can fail, at every moment, in the real window of calibre: its device thread must survive them all.

Run by tests/run inside calibre: calibre-debug -e faults.py LIBRARY. The plugin's host is the stand-in.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import window  # noqa: E402
from calibre.ebooks.metadata.book.base import Metadata  # noqa: E402
from faults_dialog import Dialog  # noqa: E402
from support import PAPERBACK, Control, phone, record  # noqa: E402

control = Control(os.environ['STANDIN_FOLDER'], devices={}, books={PAPERBACK['bundle_id']: [
    record('/Documents/One.epub', 'One', uuid='11111111-1111-4111-8111-111111111111', collections=['Shelf']),
    record('/Documents/Two.pdf', 'Two'),
]})
FAULTS = ('crash', 'garbage', 'wrong', 'silent', {'code': 'failed', 'message': 'It failed.'}, {'number': -32602})
checks = 0


def passed(text):
    global checks
    checks += 1
    print(f'  ok: {text}', flush=True)


def quicken(calibre):
    """Shorter waits than a person needs, and a device thread that looks more often."""
    from calibre_plugins.overlayhost import device, host, presence
    presence.LOOK_PATIENCE = presence.LOOK_AGAIN_AFTER = 0.5
    presence.SILENT_AFTER = 1
    device.JOB_PATIENCE = device.OPEN_PATIENCE = 1
    host.START_PATIENCE = 2
    host.LONGEST_PAUSE = 0.2
    calibre.manager.sleep_time = 0.1


def reset(calibre):
    """Heals the host and waits until the device is connected."""
    control.set(faults={}, devices={'A': phone('Phone')}, free=10 ** 9)
    epoch = calibre.plugin.bridge.host.epoch
    calibre.do(lambda: calibre.plugin.bridge.host.restart())

    def is_back():
        manager, device = calibre.manager, calibre.plugin.bridge.device
        return (
            device is not None and device._epoch > epoch and manager.is_device_connected and calibre.gui.device_connected and
            len(calibre.view().model().db) > 0 and not calibre.gui.job_manager.has_device_jobs(queued_also=True) and
            manager.current_job is None)
    calibre.wait_and_close_messages(is_back, 'the device is back with its books')


def wait_for_books(calibre):
    calibre.wait_for(lambda: len(calibre.view().model().db) > 0, 'the books are listed')
    calibre.wait_until_idle()


def polled(calibre, times=4, closing=False):
    """Waits until calibre has asked for devices so often; with `closing`, closes messages that hold its device thread up."""
    presence = calibre.plugin.bridge.presence
    count = [0]
    original = presence.detect

    def counting():
        count[0] += 1
        return original()
    presence.detect = counting
    wait = calibre.wait_and_close_messages if closing else calibre.wait_for
    wait(lambda: count[0] >= times, 'calibre asks for devices')
    del presence.detect


def alive(calibre, text):
    assert calibre.is_alive(), f'The device thread is dead after: {text}'
    passed(text)


def test(calibre):
    quicken(calibre)
    parts = (before_any_device, while_connecting, while_connected, raised_by_the_plugin, in_jobs, own_mistakes, rows, configuration, actions_needed,
        sent_and_deleted)
    wanted = os.environ.get('PARTS', '').split()
    for part in parts:
        if not wanted or part.__name__ in wanted:
            print(part.__name__, flush=True)
            if part is not before_any_device:
                reset(calibre)
            part(calibre)


def before_any_device(calibre):
    polled(calibre)
    alive(calibre, 'no device')
    for method in ('initialize', 'watch', 'detect'):
        for fault in FAULTS:
            control.set(faults={method: fault}, devices={'A': phone('Phone')})
            calibre.do(lambda: calibre.plugin.bridge.host.restart())
            polled(calibre)
            assert not calibre.manager.is_device_connected
            alive(calibre, f'detection, nothing connected: {method} {fault}')
            calibre.close_messages()


def while_connecting(calibre):
    """`open` fails: calibre shows why, once, and the device is connected when the cause is gone."""
    for fault in FAULTS:
        leave(calibre)
        control.set(faults={'open': fault})
        control.set(devices={'A': phone('Phone')})
        polled(calibre, 6)
        assert not calibre.manager.is_device_connected, fault
        messages = calibre.messages()
        assert len(messages) <= 3, messages
        alive(calibre, f'open: {fault}: {messages}')
        reset(calibre)
    for fault in FAULTS:
        leave(calibre)
        control.set(faults={'books': fault})
        control.set(devices={'A': phone('Phone')})
        text = calibre.expect_message(words_of(fault))
        polled(calibre, closing=True)
        alive(calibre, f'listing: {fault}: {text}')
        reset(calibre)


def leave(calibre):
    control.set(devices={})
    calibre.wait_until_gone()


def while_connected(calibre):
    for fault in FAULTS:
        control.set(faults={'detect': fault}, devices={'A': phone('Phone', state='offline')})
        calibre.wait_until_gone()
        polled(calibre)
        alive(calibre, f'detection, device connected: {fault}')
        reset(calibre)
    os.kill(calibre.plugin.bridge.host.process_id, 9)
    calibre.wait_until_gone()
    alive(calibre, 'the host crashes while nothing is asked')
    calibre.wait_until_connected()
    wait_for_books(calibre)
    passed('and the device comes back by itself')


def raised_by_the_plugin(calibre):
    """Exceptions that calibre's interface defines, and an unknown one, in detection and opening."""
    from calibre.devices.errors import BlacklistedDevice, OpenFailed, OpenFeedback
    from calibre_plugins.overlayhost import driver
    presence, right = calibre.plugin.bridge.presence, driver.OpenDevice
    for error, words in (
        (ValueError('A wrong value.'), 'A wrong value.'), (OpenFeedback('Some feedback.'), 'Some feedback.'),
        (BlacklistedDevice('On a list.'), 'On a list.'), (OpenFailed(''), 'OpenFailed'),
    ):
        def wrong(*arguments):
            raise error
        presence._detect = wrong
        calibre.wait_until_gone()
        polled(calibre)
        alive(calibre, f'detection raises {error!r}, connected and then not')
        driver.OpenDevice = wrong
        try:
            del presence._detect
            calibre.expect_message(words)
            polled(calibre)
            assert not calibre.manager.is_device_connected and calibre.messages() == [], calibre.messages()
            alive(calibre, f'open raises {error!r}')
        finally:
            driver.OpenDevice = right
        calibre.wait_until_connected()
        wait_for_books(calibre)
    passed('and the device comes back by itself each time')


def in_jobs(calibre):
    book = calibre.do(lambda: calibre.gui.current_db.new_api.all_book_ids())
    jobs = ways_to_ask(calibre, book)
    for method, start in jobs.items():
        for fault in FAULTS:
            calibre.wait_until_connected()
            calibre.show_library()
            if method == 'annotations':
                mark_as_known(calibre, book)
            control.set(faults={method: fault})
            start()
            calibre.expect_message(words_of(fault))
            polled(calibre, closing=True)
            alive(calibre, f'job: {method} {fault}')
            reset(calibre)


def ways_to_ask(calibre, book):
    """User actions in the window, by the request that they cause."""
    return {
        'upload': lambda: calibre.send(book, wait=False),
        'delete': lambda: calibre.post(lambda: calibre.gui.remove_paths(['/Documents/Two.pdf'])),
        'update': lambda: calibre.edit('One', 'title', 'Changed'),
        'get': lambda: calibre.post(lambda: calibre.manager.view_book(
            calibre.gui.device_job_exception, '/Documents/One.epub', os.path.join(os.environ['STANDIN_FOLDER'], 'viewed'))),
        'annotations': lambda: calibre.do(lambda: calibre.gui.iactions['Fetch Annotations'].fetch_annotations()),
    }


def own_mistakes(calibre):
    """An error in the plugin is shown in a sentence, and the device stays connected and usable."""
    from calibre_plugins.overlayhost import device as module, driver
    book = calibre.do(lambda: calibre.gui.current_db.new_api.all_book_ids())
    ways = ways_to_ask(calibre, book)
    device = calibre.plugin.bridge.device
    for place, name, method in (
        (driver, 'upload_entry', 'upload'), (module.OpenDevice, 'upload', 'upload'), (driver.DeviceBookList, 'take', 'upload'),
        (module.OpenDevice, 'delete', 'delete'), (driver, 'changes', 'update'), (module.OpenDevice, 'update', 'update'),
        (module.OpenDevice, 'fetch', 'get'), (driver.annotations, 'Fetched', 'annotations'),
    ):
        calibre.show_library()
        if method == 'annotations':
            mark_as_known(calibre, book)
            control.set(annotations=[{'path': '/Documents/One.epub', 'annotations': [{'kind': 'highlight', 'text': 'x'}]}])

        def wrong(*arguments, **options):
            raise ValueError('The <plugin> is wrong.')
        right = getattr(place, name)
        setattr(place, name, wrong)
        try:
            ways[method]()
            calibre.expect_message('mistake in OverlayHost', 'The &lt;plugin&gt; is wrong.')
        finally:
            setattr(place, name, right)
        polled(calibre, closing=True)
        assert calibre.plugin.bridge.device is device and calibre.manager.is_device_connected, name
        alive(calibre, f'a mistake in {name}')
    calibre.wait_until_idle()
    calibre.edit('Two', 'title', 'Deux')
    assert 'Deux' in calibre.titles() and calibre.messages() == [], calibre.messages()
    passed('and the next edit is made as if nothing had been')


def words_of(fault):
    if fault == {'number': -32602}:
        return 'mistake in OverlayHost: A mistake.'
    if fault in ('crash', 'garbage', 'wrong'):
        return 'program overlayhost'
    return 'no answer' if fault == 'silent' else 'It failed.'


def mark_as_known(calibre, book_ids):
    book = calibre.book('One')
    book.application_id = next(iter(book_ids))


def rows(calibre):
    """Single books fail: calibre's own classes, and what worked stays."""
    ids = sorted(calibre.do(lambda: calibre.gui.current_db.new_api.all_book_ids()))
    names = []
    control.set(faults={})
    before = len(control.requests('upload'))
    calibre.send(ids)
    names = [entry['name'] for entry in control.requests('upload')[before]['params']['books']]
    calibre.close_messages()
    no_space = {'code': 'no_space', 'message': 'There is not enough space.'}

    control.set(faults={'upload': {'rows': {name: no_space for name in names}}})
    calibre.send(ids, wait=False)
    calibre.expect_message('no more free space', 'memory')
    alive(calibre, 'FreeSpaceError')

    control.set(faults={'upload': {'rows': {names[0]: {
        'code': 'needs_consent', 'message': 'It has 2 highlights.', 'hint': 'Use --yes.',
        'hint_code': 'consent'}}}})
    calibre.send(ids, wait=False)
    text = calibre.expect_message(f'1 of {len(names)} books were not sent')
    assert '--yes' not in text and 'Preferences → Plugins' in text, text
    alive(calibre, 'one of several is not sent')

    calibre.post(lambda: calibre.gui.sync_to_device('carda', False, send_ids=ids, do_auto_convert=False))
    calibre.expect_message('storage card')
    alive(calibre, 'WrongDestinationError')

    control.set(faults={'delete': {'rows': {'/Documents/Two.pdf': {'code': 'device_io', 'message': 'A <b>write</b> failed.'}}}})
    calibre.delete(['One', 'Two'])
    calibre.expect_message('“Two” was not deleted', '&lt;b&gt;')
    assert 'One' not in calibre.titles() and 'Two' in calibre.titles(), calibre.titles()
    alive(calibre, 'one of two is not deleted')

    control.set(faults={'update': {'rows': {'/Documents/Two.pdf': {'code': 'rejected', 'message': 'The app refused it.'}}}})
    calibre.edit('Two', 'title', 'Zwei')
    calibre.expect_message('was not changed')
    assert 'Two' in calibre.titles(), calibre.titles()
    alive(calibre, 'an edit that fails is taken back in the view')
    control.set(faults={})
    calibre.edit('Two', 'title', 'Zwei')
    assert 'Zwei' in calibre.titles()
    requests = len(control.requests('update'))
    calibre.do(lambda: calibre.gui.upload_booklists())
    calibre.wait_until_idle()
    assert len(control.requests('update')) == requests
    passed('a sync without changes asks for nothing')


def configuration(calibre):
    """The choices, errors, stored values and messages of the dialog."""
    Dialog(calibre, control, passed).run()


def actions_needed(calibre):
    """The message about a necessary user action is shown once for each cause."""
    leave(calibre)
    for code, message in (('device_locked', 'The device is locked.'), ('not_paired', 'The device does not trust this computer.')):
        control.set(devices={'A': phone('Phone', state='unreachable', code=code, message=message, hint='Do this.')})
        calibre.expect_message(message, 'Do this.')
        polled(calibre, 8)
        assert calibre.messages() == [], calibre.messages()
        alive(calibre, f'{code} is said once')
    control.set(devices={'A': phone('Phone')})
    calibre.wait_until_connected()
    passed('an unlocked device is connected by itself')
    leave(calibre)
    program = os.environ['OVERLAYHOST']
    os.environ['OVERLAYHOST'] = '/nowhere/overlayhost'
    calibre.do(lambda: calibre.plugin.bridge.host.restart())
    calibre.expect_message('/nowhere/overlayhost', 'Install OverlayHost')
    polled(calibre, 4)
    alive(calibre, 'a missing program is said once')
    old = os.path.join(os.environ['STANDIN_FOLDER'], 'old-overlayhost')
    with open(old, 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\necho "Error: Unexpected argument serve" >&2\nexit 64\n')
    os.chmod(old, 0o755)
    for path, change, words in (
        (old, {}, 'it is too old and has no “serve”'),
        (program, {'methods': ['initialize', 'detect']}, 'it is too old and lacks'),
        (program, {'faults': {'initialize': {'number': -32001}}}, 'another version of the protocol'),
    ):
        os.environ['OVERLAYHOST'] = path
        control.set(**change)
        calibre.do(lambda: calibre.plugin.bridge.host.restart())
        calibre.expect_message(path, words, 'Install the same version of both.')
        polled(calibre, 4)
        assert calibre.messages() == [], calibre.messages()
        alive(calibre, f'a program that does not fit is said once: {words}')
        del control.content['methods' if 'methods' in change else 'faults']
    os.environ['OVERLAYHOST'] = program
    reset(calibre)
    passed('and used when it is there')


def sent_and_deleted(calibre):
    """“Send and delete from library” deletes only the books that were sent."""
    db = calibre.do(lambda: calibre.gui.current_db)
    api, model = db.new_api, calibre.gui.library_view.model()
    for fate, words in (
        ({'code': 'device_io', 'message': 'Writing failed.'}, '1 of 2 books were not sent'),
        ({'status': 'skipped', 'message': 'It is there already.'}, '1 of 2 books was left alone'),
    ):
        source = next(book_id for book_id in sorted(api.all_book_ids()) if 'EPUB' in api.formats(book_id))
        path = calibre.do(lambda: api.format_abspath(source, 'EPUB'))
        ids = []
        for title in ('First copy', 'Second copy'):
            book_id = calibre.do(lambda: api.create_book_entry(Metadata(title, ['An Author'])))
            calibre.do(lambda: api.add_format(book_id, 'EPUB', path))
            ids.append(book_id)
        calibre.do(model.refresh)
        control.set(faults={'upload': {'rows': {f'Second copy - An Author_{ids[1]}.epub': fate}}})
        calibre.send(ids, and_delete=True)
        calibre.expect_message(words)
        calibre.wait_for(lambda: ids[0] not in api.all_book_ids(), 'the sent book is deleted from the library')
        assert ids[1] in api.all_book_ids(), f'A book was deleted that was not sent: {fate}'
        passed(f'a book that was not sent stays in the library: {fate}')
        calibre.close_messages()
        control.set(faults={})
        calibre.do(lambda: model.delete_books_by_id([ids[1]]))


if __name__ == '__main__':
    window.run(test, sys.argv[-1])
