# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's hints in calibre's terms: an option or a button instead of a command. Does not import calibre."""

import re

OPTIONS = 'Preferences → Plugins → OverlayHost'
# calibre's hints for the kinds of `hint_code`. A kind that is not in this table is shown as the host words it.
WORDS = {
    'consent': f'To replace such books anyway, allow it in {OPTIONS}, or delete the book on the device first.',
    'protect': f'Delete the extra copies on the device, or choose “Leave it alone” in {OPTIONS}.',
    'replace': 'Change the book in the library, and send it again.',
    'collections': f'Choose columns for collections in {OPTIONS}.',
    'preference': f'Change the option in {OPTIONS}.',
    'choose_app': f'Choose the app in {OPTIONS}.',
    # The user sees this in the window anyway.
    'list': '',
}
OTHER_FORMAT = 'If the library has it in such a format, use “Send specific format to”. If not, convert the book.'
# Kinds whose hint may also list the possible values.
WITH_CHOICES = frozenset(('preference', 'choose_app'))


def for_calibre(said):
    """The hint, or ''. `said` has `hint` and perhaps `hint_code`: an error, a row, or a missing ability."""
    code, hint = said.get('hint_code'), (said.get('hint') or '').replace('run the command again', 'try again')
    if said.get('code') == 'unsupported_format':
        return OTHER_FORMAT
    if code in WITH_CHOICES:
        return ' '.join(without_commands(hint) + [WORDS[code]])
    return WORDS.get(code, hint)


def without_commands(hint):
    """The sentences of a hint that name no option or command of the program."""
    return [sentence for sentence in re.split(r'(?<=[.?!]) +', hint) if sentence and not re.search(r'--\w|\boverlayhost\b', sentence)]


def text_of(error):
    """Message and hint of an error in one text, with its subject if the message does not name it."""
    subject, text = error.get('subject'), str(error.get('message') or error.get('code'))
    if subject and str(subject) not in text:
        text = f'{subject}: {text}'
    return ' '.join(part for part in (text, for_calibre(error)) if part)
