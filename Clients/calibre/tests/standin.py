#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for `overlayhost serve`: devices and books in memory, and any fault at any request.

The JSON file that STANDIN_CONTROL names says what there is, and is read again whenever it changes:

  devices   {UDID: {name, state, code, message, hint, apps: [{bundle_id, name, overlay, access, missing, problem}]}}
  books     {bundle id: [record]}: what an app starts with
  keeps     {member: value}: the result of an update, regardless of what it asks for
  settable, abilities, free: of every session
  formats   {bundle id: [extension]}: of the sessions of these apps
  prefs     the answer to prefs.list
  line      most bytes of a request; longer ones get an error without an id
  faults    {method: fault}, {"method UDID": fault} or {"method UDID/bundle id": fault} in a session, where a fault is
            {"code": word, "message": text, ...}  the error of a host
            {"number": -32602}                    an error of JSON-RPC
            "silent"                              no answer, also to pings, until this file changes
            "slow"                                no answer until this file changes
            "crash"                               the process dies
            "garbage"                             a line that is not JSON
            "wrong"                               a result of another type
            {"rows": {item: {code, message}}}     these rows fail, or have the "status" that they name
            {"result": result}                    this result
            A list is used up, one fault for each request; null in it is none.

Every request is appended to the file that STANDIN_LOG names, one JSON object per line.
"""

import json
import os
import signal
import sys
import threading
import time

METHODS = (
    'initialize shutdown devices apps overlays detect watch unwatch open information space close eject books info upload delete update '
    'collections get annotations sync prefs.list prefs.get prefs.set prefs.unset').split()


class StandIn:
    def __init__(self):
        self.lock = threading.RLock()
        self.control_file = os.environ['STANDIN_CONTROL']
        self.stamp = None
        self.control = {}
        self.attached = {}
        self.states = {}
        self.watch_id = None
        self.sessions = {}
        self.libraries = {}
        self.used_faults = {}
        self.held = []
        self.is_silent = False
        self.marks = 0
        self.refresh()

    def send(self, message):
        with self.lock:
            sys.stdout.write(json.dumps({'jsonrpc': '2.0', **message}) + '\n')
            sys.stdout.flush()

    # The control file

    def refresh(self):
        try:
            status = os.stat(self.control_file)
            stamp = (status.st_mtime_ns, status.st_ino)
            if stamp == self.stamp:
                return
            with open(self.control_file, encoding='utf-8') as file:
                self.control = json.load(file)
            self.stamp = stamp
        except (OSError, ValueError):
            return
        self.used_faults = {}
        self.is_silent = False
        self.tell_devices()
        held, self.held = self.held, []
        for message in held:
            self.serve(message)

    def tell_devices(self):
        if self.watch_id is None:
            return
        now = self.control.get('devices') or {}
        for udid in [udid for udid in self.attached if udid not in now]:
            self.event('detached', udid, None)
            del self.attached[udid]
            self.states.pop(udid, None)
        for udid, device in now.items():
            if udid not in self.attached:
                self.attached[udid] = device
                self.event('attached', udid, device)
            if self.states.get(udid) != device.get('state', 'online'):
                self.states[udid] = device.get('state', 'online')
                self.event(self.states[udid], udid, device)

    def event(self, kind, udid, device):
        self.send({'method': 'device', 'params': {
            'request': self.watch_id, 'event': kind, 'udid': udid, 'connection': 'usb', 'name': (device or {}).get('name'),
            'message': None, 'time': '2026-01-01T00:00:00Z'}})

    def follow(self):
        while True:
            time.sleep(0.05)
            with self.lock:
                self.refresh()

    # Requests

    def run(self):
        threading.Thread(target=self.follow, daemon=True).start()
        for line in sys.stdin:
            with self.lock:
                self.refresh()
                if len(line) > self.control.get('line', 32 << 20):
                    self.send({'id': None, 'error': {'code': -32700, 'message': 'The line is too long.'}})
                    continue
                message = json.loads(line)
                self.note(message)
                if message['method'] == '$/cancelRequest':
                    self.cancel(message)
                    continue
                self.serve(message)
                if message['method'] == 'shutdown':
                    return

    def cancel(self, message):
        number = message['params']['id']
        self.held = [held for held in self.held if held.get('id') != number]
        if 'id' in message and not self.is_silent:
            self.send({'id': message['id'], 'result': {'cancelled': False}})

    def note(self, message):
        if 'STANDIN_LOG' in os.environ:
            with open(os.environ['STANDIN_LOG'], 'a', encoding='utf-8') as file:
                file.write(json.dumps(message) + '\n')

    def serve(self, message):
        method, number, params = message['method'], message.get('id'), message.get('params') or {}
        fault = self.fault(method, params)
        if fault == 'silent':
            self.is_silent = True
            return
        if fault == 'slow':
            self.held.append(message)
            return
        if fault == 'crash':
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == 'garbage':
            print('This is no JSON.', flush=True)
            return
        if fault == 'wrong':
            return self.send({'id': number, 'result': ['nothing', 'of', 'use']})
        if isinstance(fault, dict) and 'number' in fault:
            return self.send({'id': number, 'error': {'code': fault['number'], 'message': 'A mistake.'}})
        if isinstance(fault, dict) and 'code' in fault:
            return self.send({'id': number, 'error': {'code': -32000, 'message': fault.get('message', ''), 'data': fault}})
        if isinstance(fault, dict) and 'result' in fault:
            return self.send({'id': number, 'result': fault['result']})
        self.failing = fault['rows'] if isinstance(fault, dict) else {}
        try:
            result = getattr(self, 'do_' + method.replace('.', '_'))(params, number)
        except Refused as refused:
            return self.send({'id': number, 'error': {'code': -32000, 'message': refused.error['message'], 'data': refused.error}})
        if number is not None:
            self.send({'id': number, 'result': result})

    def fault(self, method, params):
        faults = self.control.get('faults') or {}
        fault = faults.get(method, faults.get(f'{method} {params.get("device") or params.get("session")}'))
        if isinstance(fault, list):
            used = self.used_faults.get(method, 0)
            self.used_faults[method] = used + 1
            return fault[used] if used < len(fault) else None
        return fault

    def do_initialize(self, params, number):
        return {
            'protocol_version': 1, 'server': {'name': 'stand-in', 'version': self.control.get('version', '0.0')},
            'capabilities': {'methods': self.control.get('methods', METHODS), 'notifications': []},
            'limits': {'line_bytes': self.control.get('line', 32 << 20)}}

    def do_shutdown(self, params, number):
        return {}

    def do_watch(self, params, number):
        self.watch_id, self.attached, self.states = number, {}, {}
        self.tell_devices()
        return {'devices': list(self.attached)}

    def do_detect(self, params, number):
        readers = []
        for udid, device in (self.control.get('devices') or {}).items():
            if params.get('device') and not udid.startswith(params['device']):
                continue
            apps = device['apps']
            if 'app' in params:
                apps = [app for app in apps if app['bundle_id'] == params['app']]
            reader = {
                'device': udid, 'name': device['name'], 'state': device.get('state', 'online'), 'app': None, 'bundle_id': None,
                'overlay': None, 'code': device.get('code'), 'message': device.get('message'), 'hint': device.get('hint')}
            if len(apps) == 1:
                reader.update(app=apps[0]['name'], bundle_id=apps[0]['bundle_id'], overlay=apps[0]['overlay'])
            elif reader['state'] == 'online':
                reader.update(state='not-served', code='app_not_chosen', message='There are several reader apps.')
            readers.append(reader)
        return {'readers': readers}

    def do_apps(self, params, number):
        udid, device = self.device(params)
        return {'device': udid, 'apps': device['apps']}

    def do_overlays(self, params, number):
        overlays = self.control.get('overlays') or []
        return {'overlays': [overlay for overlay in overlays if params.get('overlay') in (None, overlay['id'])]}

    def do_open(self, params, number):
        udid, device = self.device(params)
        app = next((app for app in device['apps'] if app['bundle_id'] == params['app']), None)
        if app is None:
            raise Refused('app_not_installed', 'The app is not on the device.')
        session = f'{udid}/{app["bundle_id"]}'
        self.sessions[session] = app['bundle_id']
        self.libraries.setdefault(app['bundle_id'], {
            record['path']: dict(record) for record in (self.control.get('books') or {}).get(app['bundle_id'], [])})
        return {
            'session': session, 'device': {'udid': udid, 'name': device['name'], 'model': 'iPhone', 'ios': '18.6'},
            'app': {'bundle_id': app['bundle_id'], 'name': app['name']}, 'overlay': {'id': app['overlay']},
            'formats': (self.control.get('formats') or {}).get(app['bundle_id'], ['epub', 'pdf']),
            'settable_metadata': self.control.get('settable', ['title', 'authors', 'tags', 'collections']),
            'abilities': self.control.get('abilities', ['books', 'upload', 'get', 'delete', 'update', 'collections', 'annotations']),
            'missing': [], 'space': self.space(), 'notes': []}

    def space(self):
        return {'free': self.control.get('free', 10 ** 9), 'total': 2 * 10 ** 9}

    def device(self, params):
        for udid, device in (self.control.get('devices') or {}).items():
            if udid == params['device']:
                return udid, device
        raise Refused('no_device', 'No device is attached.')

    def library(self, params):
        if params['session'] not in self.sessions:
            raise Refused('session_unknown', 'Unknown session.')
        if params['session'].split('/')[0] not in (self.control.get('devices') or {}):
            raise Refused('device_gone', 'The device was unplugged.')
        return self.libraries[self.sessions[params['session']]]

    def do_books(self, params, number):
        library = self.library(params)
        self.marks += 1
        for done in range(2):
            self.progress(number, 'Reading', done, 2)
        return {'mark': str(self.marks), 'complete': True, 'books': [dict(record) for record in library.values()], 'removed': []}

    def row(self, item, path, status, book=None):
        if item in self.failing:
            return {'item': item, 'path': None, 'status': 'failed', **self.failing[item]}
        return {'item': item, 'path': path, 'status': status, 'message': None, **({'book': book} if book else {})}

    def progress(self, number, phase, done, total):
        self.send({'method': 'progress', 'params': {
            'request': number, 'phase': phase, 'items_done': done, 'items_total': total, 'bytes_done': 0, 'bytes_total': None}})

    def do_upload(self, params, number):
        library, rows = self.library(params), []
        for entry in params['books']:
            assert os.path.isfile(entry['file']), entry
            known = entry.get('metadata') or {}
            path = '/Documents/' + entry['name']
            status = 'replaced' if path in library else 'added'
            row = self.row(entry['name'], path, status)
            if row['status'] == status:
                library[path] = {
                    'path': path, 'cover': None, 'size': os.path.getsize(entry['file']), 'uuid': entry.get('uuid'),
                    'date_added': '2026-01-02T03:04:05Z', 'collections': [], **known}
                row['book'] = dict(library[path])
            rows.append(row)
        return {'results': rows, 'space': self.space()}

    def do_delete(self, params, number):
        library, rows = self.library(params), []
        for path in params['books']:
            row = self.row(path, path, 'deleted')
            if row['status'] != 'failed':
                library.pop(path, None)
            rows.append(row)
        return {'results': rows, 'space': self.space()}

    def do_update(self, params, number):
        library, rows = self.library(params), []
        for entry in params['books']:
            row = self.row(entry['book'], entry['book'], 'updated')
            if row['status'] != 'failed':
                library[entry['book']].update(entry['changes'], **self.control.get('keeps', {}))
                row['book'] = dict(library[entry['book']])
            rows.append(row)
            self.progress(number, 'Changing', len(rows), len(params['books']))
        return {'results': rows}

    def do_get(self, params, number):
        library, rows = self.library(params), []
        os.makedirs(params['folder'])
        for path in params['books']:
            local = os.path.join(params['folder'], os.path.basename(path))
            row = self.row(path, local, 'fetched')
            if row['status'] != 'failed':
                with open(local, 'w', encoding='utf-8') as file:
                    file.write('content of ' + library[path]['title'])
            rows.append(row)
        return {'results': rows}

    def do_annotations(self, params, number):
        return {'books': self.control.get('annotations') or []}

    def do_prefs_list(self, params, number):
        return {'file': '/nowhere/prefs.json', 'prefs': self.control.get('prefs') or []}

    def do_prefs_get(self, params, number):
        return {'key': params['key'], 'value': self.control.get('values', {}).get(params['key'])}

    def do_prefs_set(self, params, number):
        return {'key': params['key'], 'value': params['value'], 'remarks': []}

    def do_prefs_unset(self, params, number):
        return {'key': params['key'], 'removed': True}

    def do_eject(self, params, number):
        return {'ejected': True, 'device': params['session'].split('/')[0]}

    def do_close(self, params, number):
        self.sessions.pop(params['session'], None)
        return {}


class Refused(Exception):
    def __init__(self, code, message):
        Exception.__init__(self, message)
        self.error = {'code': code, 'message': message, 'subject': None, 'hint': None}


if __name__ == '__main__':
    if sys.argv[1:] != ['serve']:
        sys.exit(64)
    StandIn().run()
