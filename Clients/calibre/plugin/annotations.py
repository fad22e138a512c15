# SPDX-License-Identifier: GPL-3.0-or-later
"""Highlights, notes and bookmarks of reader apps as calibre's own annotations, which its annotations browser shows and searches."""

import hashlib
import re
from datetime import datetime, timezone

# calibre's user type for these annotations. The e-book viewer ignores them.
USER_TYPE = 'device'
STYLES = frozenset(('yellow', 'green', 'blue', 'pink', 'purple'))
CFI = re.compile(r'epubcfi\(/6/(\d+)(?:\[[^\]]*\])?!([^,)]*)')


class Fetched:
    """The annotations of one book in the apps of a device, as they pass through calibre."""

    def __init__(self, device):
        self.device = device
        # The name of each app, the extension of its copy, and its annotations.
        self.parts = []

    def add(self, app, extension, annotations):
        self.parts.append((app, extension, annotations))


def store(db, book_id, fetched):
    """Stores the fetched annotations in the library and replaces earlier ones of these apps. Any thread."""
    api = db.new_api
    formats = [extension.upper() for extension in api.formats(book_id)]
    found = {}
    for app, extension, annotations in fetched.parts:
        wanted = extension.upper()
        extension = wanted if wanted in formats or not formats else formats[0]
        # An app may have two copies of a book that are one book here.
        found.setdefault((extension, f'{app} ({fetched.device})'), []).extend(annotations)
    for (extension, user), annotations in found.items():
        converted = [converted_annotation(annotation) for annotation in annotations]
        api.set_annotations_for_book(book_id, extension, list(unique(converted)), user_type=USER_TYPE, user=user)


def converted_annotation(annotation):
    """An annotation of calibre, with its time in seconds."""
    moment = _moment(annotation.get('modified'))
    text, note, location = (str(annotation.get(member) or '') for member in ('text', 'note', 'location'))
    common = {'timestamp': moment.isoformat()}
    place = CFI.search(location)
    if annotation.get('kind') == 'bookmark':
        title = text or note or str(annotation.get('chapter') or '') or location or 'Bookmark'
        common.update(type='bookmark', title=title, pos_type='epubcfi', pos=location if place else 'epubcfi(/2)')
    else:
        color = str(annotation.get('color') or '').casefold()
        # Without its kind: a highlight becomes a note when the user adds a note to it.
        common.update(
            type='highlight', uuid=_digest(location, text), highlighted_text=text or note or location,
            style={'type': 'builtin', 'kind': 'color', 'which': color if color in STYLES else 'yellow'},
            spine_index=int(place[1]) // 2 - 1 if place else 0, start_cfi=place[2] if place else '/2')
        if note and text:
            common['notes'] = note
        chapter = annotation.get('chapter') or (location if not place else '')
        if chapter:
            common['toc_family_titles'] = [str(chapter)]
    return common, moment.timestamp()


def unique(converted):
    """Makes the identities unique: calibre keeps only one bookmark for each title, and one highlight for each uuid."""
    seen = {}
    for annotation, moment in converted:
        member = 'title' if annotation['type'] == 'bookmark' else 'uuid'
        identity = annotation[member]
        count = seen[member, identity] = seen.get((member, identity), 0) + 1
        if count > 1:
            annotation[member] = f'{identity} ({count})' if member == 'title' else _digest(identity, str(count))
        yield annotation, moment


def _digest(*parts):
    return hashlib.sha256('\n'.join(parts).encode('utf-8', 'replace')).hexdigest()[:32]


def _moment(text):
    try:
        return datetime.fromisoformat(str(text).replace('Z', '+00:00')).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, timezone.utc)
