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
            help: "Which documents are listed and taken, the preferred format first."),
        .bool(
            cachingDisabled, false, label: "Keep no cache",
            help:
                "Nothing is kept between connections, and the cache that calibre's plugin left on the device is deleted."
        ),
        .bool(
            "goodreader_protect_rb", true, label: "Protect documents",
            help: "Uploading leaves documents alone that are there; counts before updating and replacing."
        ),
        .bool(
            "goodreader_update_rb", false, label: "Update documents",
            help:
                "Uploading puts a new edition in the place of a document that is there; counts before replacing."
        ),
        .bool(
            "goodreader_replace_rb", false, label: "Replace documents",
            help: "Uploading replaces documents that are there, unless they are protected or updated."),
    ]
}
