import BookFolders
import OverlayKit

extension DocumentsOverlay {
    /// What the overlay is.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "documents", name: "Documents", version: "0.1.0",
            summary:
                "Lists, adds, fetches, renames, moves and deletes the books of any app with file sharing.",
            appName: "Documents", appIDs: [], formats: BookFormats.publications.extensions,
            settableMetadata: ["title", "collections"], plugboardName: "DOCUMENTS", thumbnailHeight: 270,
            traits: [.canFetch, .anyFileSharingApp],
            options: [
                .texts(
                    Preference.formats, [], label: "Formats",
                    help:
                        "Extensions of the files that are books, the preferred one first; empty: those the app opens."
                ),
                .texts(
                    Preference.ignoredFolders, [], label: "Ignored folders",
                    help:
                        "Folders that are passed over: a path such as Work/Drafts, or a name, which counts at any depth."
                ),
                .bool(
                    Preference.looksIntoFiles, true, label: "Look into files",
                    help:
                        "Files without a known extension are looked into, once each, and listed if they are books."
                ),
                .bool(
                    Preference.cachingDisabled, false, label: "No cache",
                    help:
                        "Titles, authors and covers are read from the device each time and not kept on this computer."
                ),
                .bool(
                    "documents_protect_rb", true, label: "Protect books",
                    help: "Uploading leaves books alone that are there; counts before updating and replacing."
                ),
                .bool(
                    "documents_update_rb", false, label: "Update books",
                    help:
                        "Uploading puts a new edition in the place of a book that is there; counts before replacing."
                ),
                .bool(
                    "documents_replace_rb", false, label: "Replace books",
                    help: "Uploading replaces books that are there, unless they are protected or updated."),
            ],
            help: help)
    }

    private static let help = """
        # Documents: any app with file sharing

        Many reader apps share a folder with computers: in the Finder or iTunes they stand under *File Sharing*. OverlayHost \
        serves every such app that has no overlay of its own, on every version of iOS. Choose the app with `--app`, by its \
        name or bundle id.

        ## What works

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the folder and all folders in it are looked through; of each new file a few kilobytes are read |
        | `upload` | files are copied under their titles; `--collection Novels/English` is a folder, made if it is not there |
        | `get` | files are copied to this computer; an unpacked EPUB comes as one file |
        | `update --title` | the file gets the title as its name |
        | `collections` | a book moves into the folder of its collection, or out of it; folders that this empties go |
        | `delete` | the file is removed |

        A book in the folder `A/B` is in the collection `A/B`, and in no other one. Two books never share a name: the second \
        one becomes `Title (2).epub`. A new file is complete and checked before it appears under its name.

        A book counts as already there if a file in any folder has the same content, or had it when it was sent, or has the \
        same uuid, or the same title and an author in common; `--verbose` says which of these decided. Where no authors are \
        known, a book of the same title is added beside the other. Of two files of one upload that are the same book the first \
        is sent, with `--on-conflict replace` the last.

        A file into which the app has written since it was sent is left alone, by `--on-conflict update` too. \
        `--on-conflict replace` names what would be lost and asks first; `--yes` answers for you. With a `--collection` a file \
        that has the very content moves into that folder; one with other content is replaced where it is. Titles you set are kept on this computer with the content of the file, so that they are found again when \
        the app moves the file.

        ## What the app does with it

        Most apps show a new file at once, or when they come to the front. Some take files from the shared folder into a \
        library of their own, and then books have to be deleted in the app. Reading positions and notes stay in the app; \
        an app may lose them for a file that is renamed or moved.

        ## Options

        `documents_formats` (empty): which files are books, such as `["epub", "pdf"]`. Empty: the publications among the \
        formats that the app itself says it opens, or all known ones if it does not say.

        `documents_ignore_folders` (empty): folders that are passed over, such as `["Inbox", "Work/Drafts"]`.

        `documents_look_into_files` (true): whether files without a known extension are looked into.

        `documents_caching_disabled` (false): whether to keep nothing but your own titles on this computer.

        `documents_protect_rb` (true), `documents_update_rb`, `documents_replace_rb` (false): what an upload without \
        `--on-conflict` does with books that are there; the first one that is true counts.
        """
}
