import OverlayKit

extension BibDeskOverlay {
    /// The overlay's descriptor.
    public static var descriptor: OverlayDescriptor {
        OverlayDescriptor(
            id: "bibdesk", name: "BibDesk", version: "0.1.0",
            summary: "Lists, adds, changes and deletes references and their papers in BibDesk.",
            appName: "BibDesk", appIDs: [ReferenceStore.bibDeskID], formats: PaperFormat.extensions,
            settableMetadata: EntryEditor.settable, plugboardName: "BIBDESK", traits: [.canFetch],
            options: BibDeskSettings.options, help: help)
    }

    private static let help = """
        # BibDesk: references and their papers

        BibDesk's app shows the bibliography of a Mac and its papers. The overlay serves all three generations of the app, and any \
        app with file sharing that keeps `.bib` files: name its bundle id in `bibdesk_bundle_id`, and choose it with \
        `--app BibDesk`.

        From iOS 8.3 on, iOS opens the app's container only if the app is signed for development, as it is when you build \
        it yourself.

        ## Commands

        | Command | What happens on the device |
        |---|---|
        | `books`, `info` | references with papers are listed; `info` shows every field and file |
        | `collections` | static, smart, URL and script groups, and groups by keyword and author, empty ones as well |
        | `get` | papers are copied to this computer |
        | `upload` | a paper gets an entry in the library; a `.bib` file is merged into the library of its name |
        | `update` | fields of the entry are changed |
        | `collections --add --remove` | static groups are changed |
        | `delete` | papers are removed, and the links to them; references stay |

        The app refuses a whole library for one malformed entry. Nothing is written that it would refuse: the error names \
        line and column. Open the app again to see changes.

        A linked file is on the device, can be sent, or is missing: its link leads nowhere on the device.

        ## Options

        `bibdesk_bundle_id`: the bundle id of your own build of BibDesk, or of any app with file sharing that keeps \
        `.bib` files.

        `bibdesk_folder` (empty): the folder on this computer with `.bib` files and papers, with which `sync` syncs if no other \
        is named.

        `bibdesk_list_all` (false): whether to list references without papers.

        `bibdesk_library`: the `.bib` file that uploaded papers are added to, if the device has several.

        `bibdesk_link_roots` (empty): folders of other computers that absolute links begin with, such as \
        `["/Users/ada/Dropbox"]`.

        `bibdesk_fallback_encoding` (`auto`): the encoding of `.bib` files that are not UTF-8 and do not name theirs.

        `bibdesk_boolean_fields` (`["Read"]`), `bibdesk_tristate_fields` (empty), `bibdesk_rating_fields` (`["Rating"]`): fields \
        that are yes or no, yes, no or neither, and stars, as in BibDesk's settings. Smart groups depend on them.

        `bibdesk_citation_fields` (empty): fields with the cite keys of other references, as in BibDesk's settings.

        `bibdesk_size_limit` (0): the largest paper to send, in MB.

        `bibdesk_wifi` (false): whether `sync` sends papers over Wi-Fi, too.

        `bibdesk_delete_share` (25): the percentage of a library's entries, or of the papers, that `sync --delete` may delete \
        without `--yes`.

        `bibdesk_delete_references` (false): whether `delete` deletes the reference as well.

        `bibdesk_sync_groups`, `bibdesk_sync_fields` (empty): which papers `sync` sends: those of references in one of the \
        groups, or with one of the fields set to yes. Without both, all linked papers.
        """
}

extension BibDeskOverlay: ProvidesSettings {
    /// The abilities that are missing here. Does not send requests to the device.
    public func settings() throws(OverlayError) -> OverlaySettings {
        OverlaySettings(
            missing: [.init(.covers, reason: "Papers have no covers, and BibDesk keeps no previews.")])
    }
}
