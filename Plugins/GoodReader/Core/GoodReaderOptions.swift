import OverlayKit

/// The overlay's preferences.
enum GoodReaderOptions {
    static let cachingDisabled = "goodreader_caching_disabled"
    static let formatList = "goodreader_formats"

    /// What GoodReader opens besides pictures, sound and films, by its own description: PDF, text, web pages, and the
    /// documents of the two office packages that iOS can show.
    static let known = [
        "pdf", "txt", "rtf", "html", "htm", "webarchive", "doc", "docx", "xls", "xlsx", "ppt", "pptx",
        "pages",
        "numbers", "key",
    ]

    /// The formats that are taken: those of the switch that are known, else PDF.
    static func formats(_ prefs: PrefsService) throws(OverlayError) -> [String] {
        var formats: [String] = []
        for format in try prefs.texts(formatList).map({ $0.lowercased() })
        where known.contains(format) && !formats.contains(format) {
            formats.append(format)
        }
        return formats.isEmpty ? ["pdf"] : formats
    }

    static let all: [OverlayOption] = [
        .texts(
            formatList, ["pdf"], allowed: known, label: "Formats",
            help: "The formats of documents to list and add, in order of preference."),
        .bool(
            cachingDisabled, false, label: "Keep no cache",
            help:
                "Keep no cache between connections, and delete the cache that calibre's plugin left on "
                + "the device."
        ),
        .bool(
            "goodreader_protect_rb", true, label: "Protect documents",
            help: "Skip documents already on the device (overrides update and replace)."
        ),
        .bool(
            "goodreader_update_rb", false, label: "Update documents",
            help:
                "Replace a document already on the device with a new edition (overrides replace)."
        ),
        .bool(
            "goodreader_replace_rb", false, label: "Replace documents",
            help: "Replace documents already on the device."),
    ]
}
