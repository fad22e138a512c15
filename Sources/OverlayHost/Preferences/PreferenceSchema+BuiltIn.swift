import JSON

extension PreferenceSchema {
    /// The keys of the calibre plugin "iOS reader applications", with their historical types and defaults, and the host's
    /// own `plugin_directories`, `web_overlays` and `allow_weaker_isolation`.
    public static let builtIn = PreferenceSchema(host + marvin + otherApps + obsolete)

    private static let host: [Preference] = [
        Preference(
            "preferred_reader_app", .text, default: .string(""),
            allowed: [""] + KnownReaderApp.all.flatMap { [$0.name] + $0.aliases },
            allowsOthersInFile: true, "The reader app to manage; empty: the only one on the device."),
        Preference(
            "plugin_directories", .texts, default: .texts([]), holdsPaths: true,
            "Folders to search for overlays, besides the standard ones; absolute paths."),
        Preference(
            "web_overlays", .texts, default: .texts([]), known: [],
            "Overlays that may fetch web addresses and so send data to servers, by their ids."),
        Preference(
            "development_mode", .bool, default: .bool(false),
            "Verbose diagnostics, and use of development_app_id and development_overlay."),
        Preference("development_app_id", .text, "Bundle id of the app the overlay under development serves."),
        Preference(
            "development_overlay", .text, holdsPaths: true,
            "Absolute path of the overlay under development."),
        Preference(
            "watch", .bool, default: .bool(false),
            "Programs that run for long take each new build of the overlay under development."),
        Preference(
            "allow_weaker_isolation", .bool, default: .bool(false),
            "Run overlays also where they cannot be confined as far as the kernel offers."),
        Preference("debug_plugin", .bool, default: .bool(false), "Log the calls into the overlay on stderr."),
        Preference(
            "debug_libimobiledevice", .bool, default: .bool(false), "Log the calls to the device on stderr."),
        Preference(
            "debug_can_handle", .bool, default: .bool(false),
            "Log every poll for a device that can be served on stderr."),
        Preference(
            "plugin_version", .text, "Version of the calibre plugin that made the file; kept, not used."),
        Preference(
            "plugin_diagnostics", .bool, default: .bool(true), "Has had no effect since 2014; kept."),
        Preference(
            "ibooks_override", .bool, default: .bool(false),
            "Offer Books on macOS 10.9 and later; no effect on Linux."),
    ]

    private static let marvin: [Preference] = {
        let marvin = Preference.Owner.readerApp("Marvin")
        return [
            Preference(
                "marvin_protect_rb", .bool, default: .bool(true), owner: marvin,
                "Upload of a book that is there: leave it alone. Counts before the next two."),
            Preference(
                "marvin_update_rb", .bool, default: .bool(false), owner: marvin,
                "Upload of a book that is there: update its metadata. Counts before the next one."),
            Preference(
                "marvin_replace_rb", .bool, default: .bool(false), owner: marvin,
                "Upload of a book that is there: replace it."),
            Preference(
                "marvin_edit_collections_cb", .bool, default: .bool(true), owner: marvin,
                "Collections can be edited on the host. In the calibre plugin false unless set."),
            Preference(
                "marvin_merge_collections", .bool, default: .bool(true), owner: marvin,
                "A metadata update adds to the book's collections (true) or replaces them (false)."),
            Preference(
                "upload_batch_size", .integer, default: .integer(100), owner: marvin, range: 1...100_000,
                "How many books Marvin is given in one command."),
            Preference(
                "booklist_caching", .bool, default: .bool(true), owner: marvin,
                "Keep the booklist on the host."),
            Preference(
                "device_booklist_caching", .bool, default: .bool(false), owner: marvin,
                "Keep a copy of the booklist on the device too."),
            Preference(
                "device_booklist_cache_limit", .number, default: .integer(10), owner: marvin, range: 0...100,
                "Largest share of the free space, in percent, that the copy on the device may take."),
            Preference(
                "cc_mappings", .object, default: .object(JSONObject()), owner: marvin,
                "Custom columns by library: for marvin_collections, marvin_locked and marvin_word_count each a field and "
                    + "a column heading."),
        ]
    }()

    private static let otherApps: [Preference] = [
        Preference(
            "goodreader_caching_disabled", .bool, default: .bool(false), owner: .readerApp("GoodReader"),
            "Keep nothing between connections, and delete the cache that calibre's plugin left on the device."
        ),
        Preference(
            "kindle_caching_disabled", .bool, default: .bool(false), owner: .readerApp("Kindle"),
            "Delete the cache on the device when the connection ends."),
        Preference(
            "kindle_enabled_formats", .texts, default: .texts(["MOBI", "PDF"]), owner: .readerApp("Kindle"),
            "Formats to upload, the preferred one first."),
        Preference(
            "kindle_supported_formats", .texts, default: .texts(["MOBI", "PDF"]), owner: .readerApp("Kindle"),
            "Formats to choose from, in the order they are offered."),
    ]

    private static let obsolete: [Preference] = [
        Preference(
            "marvin_enabled_collection_fields", .texts, owner: .obsolete, "No effect: obsolete; kept."),
        replaced("marvin_collection_field"), replaced("marvin_collection_lookup"),
        replaced("marvin_word_count_field"), replaced("marvin_word_count_lookup"),
    ]

    private static func replaced(_ key: String) -> Preference {
        Preference(key, .text, owner: .obsolete, "No effect: obsolete, replaced by cc_mappings; kept.")
    }
}
