# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that calibre gives to an upload: paths, or open files."""

import contextlib
import os
import shutil
import tempfile


@contextlib.contextmanager
def local_paths(files, names):
    """Their paths. Open files are copied to temporary files with the same extensions."""
    with contextlib.ExitStack() as stack:
        paths = []
        for file, name in zip(files, names):
            if hasattr(file, 'read'):
                copy = stack.enter_context(tempfile.NamedTemporaryFile(prefix='overlayhost-', suffix=os.path.splitext(name)[1]))
                if hasattr(file, 'seek'):
                    file.seek(0)
                shutil.copyfileobj(file, copy)
                copy.flush()
                file = copy.name
            paths.append(file)
        yield paths
