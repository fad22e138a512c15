# SPDX-License-Identifier: GPL-3.0-or-later
"""What the host advises, for a person in calibre: in the place of a command, the option or the button. Imports nothing of calibre."""

OPTIONS = 'Preferences → Plugins → OverlayHost'
# What calibre has for the kinds of help that the host's `hint_code` names. A kind that is not here is shown as the host says it.
WORDS = {
    'consent': f'To replace such books anyway, allow it in {OPTIONS}, or delete the book on the device first.',
    'protect': f'Delete the copies on the device that are too many, or choose “Leave it alone” in {OPTIONS}.',
    'replace': 'Change the book in the library, and send it again.',
    'collections': f'Choose columns for collections in {OPTIONS}.',
    'preference': f'Change the option in {OPTIONS}.',
    'choose_app': f'Choose the app in {OPTIONS}.',
    # The person sees it in the window anyway.
    'list': '',
}


def for_calibre(said):
    """What helps, '' for nothing. `said` has `hint` and perhaps `hint_code`: an error, a row, or an ability that is missing."""
    return WORDS.get(said.get('hint_code'), said.get('hint') or '')


def text_of(error):
    """Message and hint of an error in one text, with its subject if the message does not name it."""
    subject, text = error.get('subject'), str(error.get('message') or error.get('code'))
    if subject and str(subject) not in text:
        text = f'{subject}: {text}'
    return ' '.join(part for part in (text, for_calibre(error)) if part)
