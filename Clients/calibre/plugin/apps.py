# SPDX-License-Identifier: GPL-3.0-or-later
"""Which reader apps of a device become its main memory, card A and card B. Imports nothing of calibre."""

AUTOMATIC = ''
NONE = '-'
# The overlay that serves any app with file sharing.
ANY_APP_OVERLAY = 'documents'


def choose_apps(apps, choice, preferred, formats=None):
    """The apps for main memory, card A and card B: elements of `apps`, the host's answer to `apps`, or None.

    `choice` has `card_a` and `card_b`: a bundle id, AUTOMATIC or NONE. `preferred` is the app that the host itself takes for main
    memory, with `bundle_id` and `name`; None if that is not clear. `formats`: the extensions that each overlay takes, by its id.
    """
    served = [app for app in apps if app.get('overlay') and app.get('access')]
    by_id = {app.get('bundle_id'): app for app in served}
    ranked = sorted(served, key=lambda app: _rank(app, served, formats or {}))
    if preferred is not None:
        main = by_id.get(preferred['bundle_id'], preferred)
    else:
        main = ranked[0] if ranked else None
    chosen = [main, None, None]
    cards = _cards(choice)
    # Apps that the user chose come before those that fill a free card.
    for place, wanted in enumerate(cards, 1):
        if wanted not in (AUTOMATIC, NONE) and by_id.get(wanted) not in chosen:
            chosen[place] = by_id.get(wanted)
    rest = [app for app in ranked if app not in chosen and not lacks(app, 'books') and _is_taken_by_itself(app, served)]
    for place, wanted in enumerate(cards, 1):
        if wanted == AUTOMATIC and chosen[place] is None and rest:
            chosen[place] = rest.pop(0)
    return chosen


def named_cards(choice):
    """The bundle ids that the user chose for the cards."""
    return {wanted for wanted in _cards(choice) if wanted not in (AUTOMATIC, NONE)}


def unasked(apps):
    """The apps whose overlays did not answer, each with the error. They may answer soon."""
    return [(app, app['problem']) for app in apps if app.get('problem')]


def lacks(app, ability):
    return any(lack.get('ability') == ability for lack in app.get('missing') or [])


def _cards(choice):
    return choice.get('card_a') or AUTOMATIC, choice.get('card_b') or AUTOMATIC


def _rank(app, served, formats):
    """Sorts apps that accept most books first, so that one of them becomes the main memory."""
    overlay = app.get('overlay')
    extensions = formats.get(overlay)
    takes_epub = extensions is not None and (not extensions or 'epub' in extensions)
    return (
        lacks(app, 'books'),
        not (takes_epub and not lacks(app, 'upload') and _is_taken_by_itself(app, served)),
        overlay == ANY_APP_OVERLAY,
        lacks(app, 'upload'),
        str(app.get('name') or '').casefold(),
    )


def _is_taken_by_itself(app, served):
    """Apps that only share files may have any content. One is chosen only if there are no others."""
    if app.get('overlay') != ANY_APP_OVERLAY:
        return True
    return sum(other.get('overlay') == ANY_APP_OVERLAY for other in served) == 1
