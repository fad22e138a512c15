import BibTeX
import OverlayKit

/// The user's settings for the overlay.
struct BibDeskSettings: Sendable {
    /// The category of the overlay's log messages.
    static let logCategory = "bibdesk"

    /// The keys of the preferences.
    enum Key {
        static let bundleID = "bibdesk_bundle_id"
        static let listsAll = "bibdesk_list_all"
        static let folder = "bibdesk_folder"
        static let fallbackEncoding = "bibdesk_fallback_encoding"
        static let syncGroups = "bibdesk_sync_groups"
        static let syncFields = "bibdesk_sync_fields"
        static let booleanFields = "bibdesk_boolean_fields"
        static let triStateFields = "bibdesk_tristate_fields"
        static let ratingFields = "bibdesk_rating_fields"
        static let citationFields = "bibdesk_citation_fields"
        static let deleteShare = "bibdesk_delete_share"
        static let linkRoots = "bibdesk_link_roots"
        static let library = "bibdesk_library"
        static let sizeLimit = "bibdesk_size_limit"
        static let deletesReferences = "bibdesk_delete_references"
        static let wifi = "bibdesk_wifi"
    }

    /// Whether to list references without papers too.
    let listsAll: Bool
    /// The encoding of libraries that do not name their encoding.
    let fallbackEncoding: BibTeXEncoding?
    /// The types of fields.
    let kinds: FieldKinds
    /// Folders on other computers with which links may begin.
    let linkRoots: [String]
    /// The library for uploaded papers; nil means the only one.
    let library: String?
    /// The largest paper to send, in bytes; nil means no limit.
    let sizeLimit: UInt64?
    /// The groups whose papers are synced. Without groups and fields, all papers are.
    let syncGroups: [String]
    /// The fields that select papers.
    let syncFields: [String]
    /// The share of entries or papers, from 0 to 1, that a sync may delete without asking again.
    let deleteShare: Double
    /// Whether deleting a book deletes its reference.
    let deletesReferences: Bool
    /// Whether papers are synced to a device that is not connected by cable.
    let sendsOverWiFi: Bool

    /// Reads the preferences.
    init(_ prefs: PrefsService) throws(OverlayError) {
        listsAll = try prefs.bool(Key.listsAll, default: false)
        let encoding = try prefs.text(Key.fallbackEncoding) ?? ""
        fallbackEncoding = BibTeXEncoding(name: encoding)
        let boolean = try prefs.texts(Key.booleanFields)
        let rating = try prefs.texts(Key.ratingFields)
        kinds = FieldKinds(
            boolean: boolean.isEmpty ? ["Read"] : boolean, triState: try prefs.texts(Key.triStateFields),
            rating: rating.isEmpty ? ["Rating"] : rating,
            citation: try prefs.texts(Key.citationFields))
        linkRoots = try prefs.texts(Key.linkRoots)
        library = try prefs.text(Key.library).flatMap { $0.isEmpty ? nil : $0 }
        let megabytes = try prefs.integer(Key.sizeLimit, default: 0)
        sizeLimit = megabytes > 0 ? UInt64(megabytes) * 1_000_000 : nil
        syncGroups = try prefs.texts(Key.syncGroups)
        syncFields = try prefs.texts(Key.syncFields)
        deleteShare = Double(try prefs.integer(Key.deleteShare, default: 25)) / 100
        deletesReferences = try prefs.bool(Key.deletesReferences, default: false)
        sendsOverWiFi = try prefs.bool(Key.wifi, default: false)
    }

    /// The options in the descriptor.
    static let options: [OverlayOption] = [
        .text(
            Key.bundleID, "", label: "Bundle id",
            help: "The bundle id of the app to use: your own build of BibDesk, or any app with .bib files."),
        .syncFolder(
            Key.folder, label: "Folder to sync",
            help: "The folder on this computer with your .bib files and papers that overlayhost sync uses."),
        .bool(
            Key.listsAll, false, label: "List all references",
            help: "List references without a paper, too."),
        .text(
            Key.fallbackEncoding, "auto",
            allowed: [
                "auto", "ISO-8859-1", "ISO-8859-2", "ISO-8859-15", "Windows-1250", "Windows-1252",
                "macintosh", "Shift_JIS", "EUC-JP", "GB18030", "Big5", "EUC-KR",
            ],
            label: "Encoding",
            help:
                "The encoding of .bib files that are not UTF-8 and do not state their encoding; auto guesses it."
        ),
        .texts(
            Key.syncGroups, [], label: "Groups to sync",
            help: "Sync only the papers in these groups. With no groups and no fields, all papers are wanted."
        ),
        .texts(
            Key.syncFields, [], label: "Fields to sync",
            help: "Sync only papers whose reference has one of these fields set to yes."),
        .texts(
            Key.booleanFields, ["Read"], label: "Yes-or-no fields",
            help: "The fields that are yes or no, as in BibDesk's settings. Smart groups depend on them."),
        .texts(
            Key.triStateFields, [], label: "Three-state fields",
            help: "The fields that are yes, no or neither. Smart groups depend on them."),
        .texts(
            Key.ratingFields, ["Rating"], label: "Rating fields",
            help: "The fields with a number of stars. Smart groups depend on them."),
        .texts(
            Key.citationFields, [], label: "Citation fields",
            help: "The fields with the cite keys of other references. Groups depend on them."),
        .texts(
            Key.linkRoots, [], label: "Folders of other computers",
            help:
                "Folders that absolute links may begin with and that hold your papers, such as /Users/ada/Papers."
        ),
        .text(
            Key.library, "", label: "Library",
            help: "The .bib file that uploaded papers are added to. Needed only if the device has several."),
        .integer(
            Key.sizeLimit, 0, in: 0...1_000_000, label: "Largest paper",
            help: "The size of the largest paper to send, in MB. 0 means any size."),
        .bool(
            Key.wifi, false, label: "Papers over Wi-Fi",
            help: "Let sync send papers over Wi-Fi, too. Bibliographies are always synced."),
        .integer(
            Key.deleteShare, 25, in: 0...100, label: "Share of deletions",
            help:
                "The percentage of a library's entries, or of the papers, that sync --delete may delete without --yes."
        ),
        .bool(
            Key.deletesReferences, false, label: "Delete references",
            help: "Delete the reference as well as its papers when a book is deleted."),
    ]
}
