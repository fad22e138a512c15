# SPDX-License-Identifier: GPL-3.0-or-later
"""“Send and delete from library”: keeps the books in the library that did not reach the device."""

import sys


def keep_in_library(metadata, sent):
    """Takes all but the sent books off calibre's list of those to delete after this upload.

    `metadata`: the very list that calibre gave to the upload, which tells its uploads apart. `sent`: library ids.
    Runs on the device thread before the upload returns. calibre's window reads the list only after that, and has kept it since it
    began the upload.
    """
    # Programs of calibre without a window have not loaded this module, and keep no such lists.
    window = sys.modules.get('calibre.gui2.ui')
    gui = window.get_gui() if window is not None else None
    # A copy, because the window may begin another upload meanwhile.
    for upload in list(getattr(gui, 'upload_memory', {}).values()):
        memory = upload[2]
        if upload[0] is metadata and memory and memory[1]:
            memory[1][:] = [book_id for book_id in memory[1] if book_id in sent]
