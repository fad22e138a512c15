import BookFolders
import OverlayKit

extension DocumentsOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "documents", name: "Documents", version: "0.1.0",
            summary:
                "Lists, adds, fetches, renames, moves and deletes books in any app with file sharing.",
            appName: "Documents", appIDs: [], formats: BookFormats.publications.extensions,
            settableMetadata: ["title", "collections"], plugboardName: "DOCUMENTS", thumbnailHeight: 270,
            traits: [.canFetch, .anyFileSharingApp],
            options: [
                .texts(
                    DocumentsPreference.formats, [], label: "Formats",
                    help:
                        "The extensions of book files, in order of preference. If empty, those the app "
                        + "opens."
                ),
                .texts(
                    DocumentsPreference.ignoredFolders, [], label: "Ignored folders",
                    help:
                        "Folders to ignore: a path such as Work/Drafts, or a name, which matches at any "
                        + "depth."
                ),
                .bool(
                    DocumentsPreference.looksIntoFiles, true, label: "Examine files",
                    help:
                        "Examine files without a known extension once, and list them if they are books."
                ),
                .bool(
                    DocumentsPreference.cachingDisabled, false, label: "No cache",
                    help:
                        "Read titles, authors and covers from the device each time instead of caching "
                        + "them on this computer."
                ),
                .bool(
                    "documents_protect_rb", true, label: "Protect books",
                    help: "Skip books already on the device (overrides update and replace)."
                ),
                .bool(
                    "documents_update_rb", false, label: "Update books",
                    help:
                        "Replace a book already on the device with a new edition (overrides replace)."
                ),
                .bool(
                    "documents_replace_rb", false, label: "Replace books",
                    help: "Replace books already on the device."),
            ],
            help: help)
    }

    private static let help = """
        # Documents: any app with file sharing

        Many reader apps share a folder with computers. In the Finder or iTunes, they appear under *File Sharing*. \
        OverlayHost supports every such app that has no overlay of its own, with every iOS version. Choose the app \
        by name or bundle id with `--app`.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | the folder and its subfolders are searched; a few kilobytes of each new file are read |
        | `upload` | files are copied under their titles; `--collection Novels/English` is a folder, created if \
        necessary |
        | `get` | files are copied to this computer; an EPUB kept as a folder becomes one file |
        | `update --title` | the file is renamed to the title |
        | `collections` | a book moves to the folder of its collection, or out of it; folders that become empty \
        are removed |
        | `delete` | the file is removed |

        A book in the folder `A/B` is in the collection `A/B` only. No two books have the same name: the second \
        becomes `Title (2).epub`. A new file appears under its name only when it is complete and checked.

        A book is already on the device if a file in any folder has the same content, had it when it was sent, or \
        has the same uuid, or the same title and a common author; `--verbose` shows which of these matched. If no \
        authors are known, the book is added next to the one with the same title. If two files in an upload are \
        the same book, the first is sent; with `--on-conflict replace`, the last.

        If the app has changed a file since it was sent, it is skipped, even with `--on-conflict update`. \
        `--on-conflict replace` shows what would be lost and asks first; `--yes` skips the question. With \
        `--collection`, a file with the same content moves to that folder; one with different content is replaced \
        where it is. Titles you set are stored on this computer with the content of the file, so they are kept \
        when the app moves the file.

        ## How apps handle changes

        Most apps show a new file at once, or when they come to the front. Some import files from the shared \
        folder into their own library; books must then be deleted in the app. Reading positions and notes stay in \
        the app; an app may lose them when a file is renamed or moved.

        ## Options

        `documents_formats` (empty): the formats of book files, such as `["epub", "pdf"]`. If empty, the book \
        formats that the app declares, or all known ones if it declares none.

        `documents_ignore_folders` (empty): folders to ignore, such as `["Inbox", "Work/Drafts"]`.

        `documents_look_into_files` (true): whether to examine files without a known extension.

        `documents_caching_disabled` (false): whether to keep nothing but your own titles on this computer.

        `documents_protect_rb` (true), `documents_update_rb`, `documents_replace_rb` (false): what an upload \
        without `--on-conflict` does with books already on the device. The first option that is true applies.
        """
}
