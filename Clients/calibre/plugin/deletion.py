# SPDX-License-Identifier: GPL-3.0-or-later
"""“Send and delete from library”: keeps the books in the library that did not reach the device."""

import sys
import time

# calibre's window registers an upload just after it has queued the job. Seconds to wait for that, and between two checks.
PATIENCE = 2.0
PAUSE = 0.02


def keep_in_library(metadata, sent):
    """Takes all but the sent books off calibre's list of those to delete after this upload. False if calibre has no such upload.

    `metadata`: the very list that calibre gave to the upload, which tells its uploads apart. `sent`: library ids.
    Runs on the device thread before the upload returns; calibre's window reads the list only after that.
    """
    # Programs of calibre without a window have not loaded this module, and keep no such lists.
    window = sys.modules.get('calibre.gui2.ui')
    gui = window.get_gui() if window is not None else None
    if gui is None:
        return True
    end = time.monotonic() + PATIENCE
    while True:
        # A copy, because the window may begin another upload meanwhile.
        for upload in list(getattr(gui, 'upload_memory', {}).values()):
            if upload[0] is metadata:
                memory = upload[2]
                if memory and memory[1]:
                    memory[1][:] = [book_id for book_id in memory[1] if book_id in sent]
                return True
        if time.monotonic() >= end:
            return False
        time.sleep(PAUSE)
