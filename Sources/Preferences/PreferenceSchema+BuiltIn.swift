import JSON

extension PreferenceSchema {
    /// The keys of the calibre plugin "iOS reader applications", with their historical types and defaults, and the
    /// host's own `plugin_directories`, `web_overlays` and `allow_weaker_isolation`.
    public static let builtIn = PreferenceSchema(host + marvin + otherApps + obsolete)

    private static let host: [Preference] = [
        Preference(
            "preferred_reader_app", .text, default: .string(""),
            allowed: [""] + KnownReaderApp.all.flatMap { [$0.name] + $0.aliases },
            allowsOthersInFile: true, label: "Reader app",
            "The reader app to use. If empty, the only app on the device with its own overlay, not counting Books, "
                + "or else the only one that shares its files."),
        Preference(
            "plugin_directories", .texts, default: .texts([]), holdsPaths: true,
            label: "Folders with overlays",
            "Absolute paths of additional folders to search for overlays."),
        Preference(
            "web_overlays", .texts, default: .texts([]), known: [],
            label: "Overlays that may use the web",
            "The ids of overlays that may fetch web addresses, and so may send data to servers."),
        Preference(
            "development_mode", .bool, default: .bool(false),
            label: "Development mode",
            "Print verbose diagnostics, and use development_app_id and development_overlay."),
        Preference(
            "development_app_id", .text,
            label: "App under development",
            "The bundle id of the app that the overlay under "
                + "development serves."),
        Preference(
            "development_overlay", .text, holdsPaths: true,
            label: "Overlay under development",
            "The absolute path of the overlay under development."),
        Preference(
            "watch", .bool, default: .bool(false),
            label: "Switch to new builds",
            "Long-running programs switch to each new build of the overlay under development."),
        Preference(
            "allow_weaker_isolation", .bool, default: .bool(false),
            label: "Allow weaker isolation",
            "Run overlays even if they cannot be confined by everything the kernel offers."),
        Preference(
            "debug_plugin", .bool, default: .bool(false), label: "Log calls to the overlay",
            "Log calls to the overlay on standard error."),
        Preference(
            "debug_libimobiledevice", .bool, default: .bool(false),
            label: "Log calls to the device",
            "Log calls to the device on standard error."),
        Preference(
            "debug_can_handle", .bool, default: .bool(false),
            label: "Log polls for a device",
            "Log every poll for a supported device on standard error."),
    ]

    private static let marvin: [Preference] = {
        let marvin = Preference.Owner.readerApp("Marvin")
        return [
            Preference(
                "marvin_protect_rb", .bool, default: .bool(true), owner: marvin,
                "Skip books already in the library (overrides update and replace)."),
            Preference(
                "marvin_update_rb", .bool, default: .bool(false), owner: marvin,
                "Update only the metadata of books already in the library (overrides replace)."),
            Preference(
                "marvin_replace_rb", .bool, default: .bool(false), owner: marvin,
                "Replace books already in the library."),
            Preference(
                "marvin_edit_collections_cb", .bool, default: .bool(true), owner: marvin,
                "Allow changing the collections and flags of books from this computer."),
            Preference(
                "marvin_merge_collections", .bool, default: .bool(true), owner: marvin,
                "Add new collections to those of an updated book. If off, the new ones replace them."),
            Preference(
                "upload_batch_size", .integer, default: .integer(100), owner: marvin, range: 1...100_000,
                "The number of books sent to Marvin in one command. Smaller numbers update the progress "
                    + "more often; larger ones are faster."),
            Preference(
                "booklist_caching", .bool, default: .bool(true), owner: marvin,
                "Cache the booklist on this computer, so that the next listing only checks for changes."),
            Preference(
                "device_booklist_caching", .bool, default: .bool(false), owner: marvin,
                "Also cache the booklist on the device, without covers, for other computers to use."),
            Preference(
                "device_booklist_cache_limit", .number, default: .integer(10), owner: marvin, range: 0...100,
                "The maximum size of the copy on the device, as a percentage of its free space."),
            Preference(
                "cc_mappings", .object, default: .object(JSONObject()), owner: marvin,
                "The columns of each calibre library that hold a book's collections (marvin_collections), "
                    + "lock (marvin_locked) and word count (marvin_word_count)."),
        ]
    }()

    private static let otherApps: [Preference] = [
        Preference(
            "goodreader_caching_disabled", .bool, default: .bool(false), owner: .readerApp("GoodReader"),
            "Keep no cache between connections, and delete the cache that calibre's plugin left on the "
                + "device."
        ),
        Preference(
            "kindle_caching_disabled", .bool, default: .bool(false), owner: .readerApp("Kindle"),
            "Keep no cache between connections, and delete the cache that calibre's plugin left on the "
                + "device."),
        Preference(
            "kindle_enabled_formats", .texts, default: .texts(["MOBI", "PDF"]), owner: .readerApp("Kindle"),
            "The extensions of book files, in order of preference."),
        Preference(
            "kindle_supported_formats", .texts, default: .texts(["MOBI", "PDF"]), owner: .readerApp("Kindle"),
            "The formats to use if none is enabled."),
    ]

    private static let obsolete: [Preference] = [
        Preference(
            "plugin_version", .text, owner: .obsolete,
            "No effect: the version of the calibre plugin that created the file."),
        Preference(
            "plugin_diagnostics", .bool, default: .bool(true), owner: .obsolete,
            "No effect: obsolete since 2014."),
        Preference(
            "ibooks_override", .bool, default: .bool(false), owner: .obsolete,
            "No effect: offered Books on macOS 10.9 and later."),
        Preference(
            "marvin_enabled_collection_fields", .texts, owner: .obsolete, "No effect: obsolete."),
        replaced("marvin_collection_field"), replaced("marvin_collection_lookup"),
        replaced("marvin_word_count_field"), replaced("marvin_word_count_lookup"),
    ]

    private static func replaced(_ key: String) -> Preference {
        Preference(key, .text, owner: .obsolete, "No effect: replaced by cc_mappings.")
    }
}
