# SPDX-License-Identifier: GPL-3.0-or-later
"""OverlayHost for calibre: the books of reader apps on iPhone and iPad, by the program `overlayhost`.

Every calibre process that loads plugins imports this file and creates the class. So it imports nothing else, and starts nothing before
calibre asks for devices.
"""

from calibre.devices.interface import DevicePlugin


class OverlayHostDevice(DevicePlugin):
    """Forwards calibre's calls. “D” marks the methods that calibre calls on its device thread, “G” on the thread of the window:
    these ask the device nothing."""

    name = 'OverlayHost'
    gui_name = 'iPhone and iPad'
    description = 'Shows and manages the books of reader apps on iPhone and iPad. Needs the program overlayhost.'
    author = 'The OverlayHost project'
    version = (0, 1, 0)
    minimum_calibre_version = (6, 0, 0)
    supported_platforms = ['linux']

    MANAGES_DEVICE_PRESENCE = True
    DEVICE_PLUGBOARD_NAME = 'OVERLAYHOST'
    CAN_DO_DEVICE_DB_PLUGBOARD = True
    BACKLOADING_ERROR_MESSAGE = None
    SUPPORTS_ANNOTATIONS = True
    THUMBNAIL_HEIGHT = 270
    CAN_SET_METADATA = []
    FORMATS = ['epub', 'pdf', 'mobi', 'azw3']
    path_sep = '/'

    _bridge = None

    @property
    def bridge(self):
        if self._bridge is None:
            from calibre_plugins.overlayhost.driver import Bridge
            self._bridge = Bridge()
        return self._bridge

    # Life: D

    def startup(self):
        self.bridge.host.start()

    def shutdown(self):
        if self._bridge is not None:
            self._bridge.host.shut_down()

    # Presence: D, and `eject` G

    def detect_managed_devices(self, devices_on_system, force_refresh=False):
        return self.bridge.presence.detect()

    def debug_managed_device_detection(self, devices_on_system, output):
        return self.bridge.describe(output)

    def open(self, connected_device, library_uuid):
        self.bridge.open(connected_device)
        settable = {member for place in self.bridge.device.places for member in place.settable}
        self.CAN_SET_METADATA = [member for member in ('title', 'authors', 'collections') if member in settable]

    # For `ebook-device`, which calls them for folders.

    def _refuse_folders(self, *arguments, **options):
        from calibre.devices.errors import UserFeedback
        raise UserFeedback(
            'Reader apps have no folders for calibre. Use “overlayhost books”, “upload” and “delete” for their files.', None, UserFeedback.ERROR)

    list = mkdir = rm = touch = put_file = _refuse_folders

    def eject(self):
        self.bridge.eject()

    def post_yank_cleanup(self):
        self.bridge.left()

    def reset(self, key='-1', log_packets=False, report_progress=None, detected_device=None):
        pass

    def get_device_uid(self):
        return self.bridge.opened().udid

    # What is known of the device: D and G

    def get_device_information(self, end_session=True):
        device = self.bridge.opened()
        main = device.places[0]
        drives = {
            place.code: {
                'device_name': device.name if place is main else place.app, 'device_store_uuid': f'{device.udid}-{place.bundle_id}',
                'location_code': place.code, 'prefix': place.app,
            } for place in device.places
        }
        return device.title, main.device.get('model') or '', main.device.get('ios') or '', 'application/octet-stream', drives

    def card_prefix(self, end_session=True):
        device = self.bridge.device
        return tuple(f'{code}:' if device is not None and device.has(code) else None for code in ('carda', 'cardb'))

    def total_space(self, end_session=True):
        places = {place.code: place.total for place in self.bridge.opened().places}
        return [places.get(code, 0) for code in ('main', 'carda', 'cardb')]

    def free_space(self, end_session=True):
        # The apps share the space of the device. calibre sends news to the place with the most space, which must be the main
        # memory.
        places = {place.code: place.free for place in self.bridge.opened().places}
        return [max(0, places[code] - less) if code in places else -1 for less, code in enumerate(('main', 'carda', 'cardb'))]

    def settings(self):
        device = self.bridge.device
        return DeviceOptions(device.formats if device is not None else self.FORMATS)

    # Jobs: D

    def set_progress_reporter(self, report_progress):
        self.bridge.set_reporter(report_progress)

    def set_library_info(self, library_name, library_uuid, field_metadata):
        self.bridge.set_library(library_name)

    def books(self, oncard=None, end_session=True):
        return self.bridge.books(oncard)

    def upload_books(self, files, names, on_card=None, end_session=True, metadata=None):
        return self.bridge.upload(files, names, on_card, metadata)

    def delete_books(self, paths, end_session=True):
        self.bridge.delete(paths)

    def sync_booklists(self, booklists, end_session=True):
        self.bridge.sync(booklists)

    def get_file(self, path, outfile, end_session=True):
        self.bridge.copy_to(path, outfile)

    def prepare_addable_books(self, paths):
        return self.bridge.addable(paths)

    def get_annotations(self, path_map):
        return self.bridge.annotations(path_map) or {}

    @property
    def user_feedback_after_callback(self):
        return self._bridge.notices.read() if self._bridge is not None else None

    @user_feedback_after_callback.setter
    def user_feedback_after_callback(self, value):
        # calibre sets None after it has shown the annotations.
        if self._bridge is not None and value is None:
            self._bridge.notices.drop_read()

    # Lists and the library: G

    def set_plugboards(self, plugboards, pb_func):
        self.bridge.set_plugboards(plugboards, pb_func)

    def add_books_to_metadata(self, locations, metadata, booklists):
        self.bridge.add_to_lists(locations, metadata, booklists)

    def remove_books_from_metadata(self, paths, booklists):
        self.bridge.remove_from_lists(paths, booklists)

    def synchronize_with_db(self, db, book_id, book_metadata, first_call):
        return self.bridge.synchronize(db, first_call), (None, False)

    def create_annotations_path(self, mi, device_path=None):
        return device_path

    def add_annotation_to_library(self, db, db_id, annotation):
        from calibre_plugins.overlayhost.annotations import store
        store(db, db_id, annotation.value)

    # Configuration: G

    def is_customizable(self):
        return True

    def customization_help(self, gui=False):
        return 'Chooses the program, the reader apps and their options.'

    def config_widget(self):
        from calibre_plugins.overlayhost.dialog import ConfigWidget
        return ConfigWidget(self.bridge)

    def save_settings(self, settings_widget):
        settings_widget.save()


class DeviceOptions:
    """The interface of `settings` that calibre expects."""

    def __init__(self, formats):
        self.format_map = formats
