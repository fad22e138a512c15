# SPDX-License-Identifier: GPL-3.0-or-later
"""What the host advises, for a person in calibre: in the place of a command, the option or the button. Imports nothing of calibre."""

import re

OPTIONS = 'Preferences → Plugins → OverlayHost'
CONSENT = f'To replace such books anyway, allow it in {OPTIONS}, or delete the book on the device first.'
# Commands and their options, and what calibre has for them. None: the person sees it in the window anyway.
# What is not here, such as `overlayhost doctor`, calibre has nothing for.
REPLACEMENTS = tuple((re.compile(pattern), replacement) for pattern, replacement in (
    (r'--yes\b', CONSENT),
    (r'--on-conflict protect\b', f'Delete the extra copies, or choose “Leave it alone” in {OPTIONS}.'),
    (r'--on-conflict replace\b', 'Change the book in the library, and send it again.'),
    (r'--app\b', f'Choose the app in {OPTIONS}.'),
    (r'--device\b', f'Choose the device in {OPTIONS}.'),
    (r'--collection\b', f'Choose columns for collections in {OPTIONS}.'),
    (r'\boverlayhost prefs\b', f'{OPTIONS} has this option.'),
    (r'\boverlayhost (books|devices|apps)\b', None),
))
SENTENCES = re.compile(r'(?<=[.!?])\s+')


def for_calibre(hint):
    """The hint with the sentences that calibre has something better for replaced; '' for none."""
    found = {}
    for sentence in SENTENCES.split(hint or ''):
        text = next((replacement for pattern, replacement in REPLACEMENTS if pattern.search(sentence)), sentence)
        if text:
            found[text] = None
    return ' '.join(found)
