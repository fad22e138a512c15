"""An overlay that tries every kind of value: each book that it lists has the result of one call."""

from dataclasses import dataclass

from overlaykit import *


@dataclass
class Book:
    path: str
    title: str
    authors: list
    series_index: float
    progress: float
    locked: int


class ServicesOverlay(Overlay):
    id = "shelf"
    name = "Shelf"
    version = "0.1.0"
    summary = "Tries the services."
    app_name = "Shelf"
    app_ids = ["org.example.shelf"]
    formats = ["epub"]
    settable_metadata = ["title"]
    options = [{"key": "shelf_depth", "type": OPTION_INTEGER, "fallback": "3", "minimum": 1, "maximum": 9, "label": "Depth",
                "help": "How deep."},
               {"key": "shelf_words", "type": OPTION_TEXTS, "fallback": '["a","ö"]', "label": "Words", "help": "Words."}]
    time_limits = [{"method": "books", "total": 60 * 10**9}]

    def initialize(self):
        self.host.log.write(LOG_INFO, "shelf", "ready", [{"key": "k", "value": "v"}])

    def can_handle(self, device, put):
        put(answer=PRESENCE_YES, app_version="7" if device.serial else None)

    def books(self, options, put):
        host, tried = self.host, self.tried
        tried(put, "integer", lambda: host.prefs.get_integer("shelf_depth", 3))
        tried(put, "texts", lambda: host.prefs.get_texts("shelf_words"))
        tried(put, "json", lambda: host.prefs.get_json("shelf_words"))
        tried(put, "two numbers", lambda: [0 < free < total for free, total in [host.transport.free_space()]])
        tried(put, "device", lambda: host.transport.device()[0].app_id)
        tried(put, "many", lambda: sorted(
            (row.index, row.status, len(row.bytes or b""), row.error and row.error.subject) for row in host.transport.read_many(
                ROOT_DOCUMENTS, [{"path": "/Documents/Emma.epub", "offset": 0, "length": 4},
                                 {"path": "/Documents/none", "length": 4}])))
        host.storage.put(STORAGE_CACHE, "ä".encode().hex(), b"\0\1")
        tried(put, "keys", lambda: host.storage.keys(STORAGE_CACHE))
        tried(put, "bytes", lambda: [row.chunk for row in host.storage.get(STORAGE_CACHE, "c3a4")])
        host.storage.remove(STORAGE_CACHE, "c3a4")
        seen = []
        host.transport.list(ROOT_DOCUMENTS, "/Documents", 0, lambda index, status, info, error: seen.append(info.name))
        tried(put, "taken", lambda: "Emma.epub" in seen)
        host.progress.report(1, UNKNOWN, "trying")
        tried(put, "cancel", lambda: (host.cancel.is_cancelled(), host.cancel.time_left() > 0, host.cancel.wait(1)))
        tried(put, "failure", lambda: host.transport.list(ROOT_DOCUMENTS, "/Documents/none"))
        tried(put, "own error", lambda: host.transport.list(ROOT_DOCUMENTS, "/Documents", 0, lambda *row: 1 / 0))
        tried(put, "no such field", lambda: put(path="x", titel="y"))
        tried(put, "too many", lambda: host.transport.list(ROOT_DOCUMENTS, "/", 0, print, 5))
        tried(put, "nowhere", lambda: getattr(host, "nowhere"))
        put(Book("/last", "dataclass ☺", ["A", "B"], 1.5, 0.25, 1))

    def tried(self, put, what, call):
        try:
            result = call()
        except Failure as failure:
            result = f"{failure.status} {failure.record.subject}"
        except Exception as error:
            result = type(error).__name__
        put(path=f"/{what}", title=f"{what}: {result}")
