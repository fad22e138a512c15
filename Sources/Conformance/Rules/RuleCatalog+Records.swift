import OverlayHost

extension RuleCatalog {
    /// Rules about the data that crosses the boundary in both directions.
    static let records: [ConformanceRule] = [
        structSize, reservedZero, flags, nullRecord, impossible, views, utf8, limits, bookPath, bookUnique,
        bookValues,
    ]

    /// Methods that return records.
    static let givingMethods: [OverlayMethod] = [
        .canHandle, .books, .uploadBooks, .addBooksToMetadata, .deleteBooks, .removeBooksFromMetadata,
        .syncBooklists, .prepareAddableBooks, .settings,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, methods: [OverlayMethod] = givingMethods,
        advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: "Every record that a method puts is checked, field by field.",
            advice: advice, shownBy: [.course, .states], needs: .methods(methods))
    }

    static let structSize = rule(
        "records/struct-size", "A record begins with struct_size, as its writer knows it.",
        in: "abi.md, Rules: Size first", advice: "Set struct_size to sizeof the record.")

    static let reservedZero = rule(
        "records/reserved", "Fields named reserved are zero.", in: "abi.md, Rules: Reserved is zero",
        advice: "Clear the whole record before you fill it.")

    static let flags = rule(
        "records/flags", "Bits of flags that no constant names are zero.",
        in: "abi.md, Rules: Reserved is zero", advice: "Clear the whole record before you fill it.")

    static let nullRecord = rule(
        "records/null", "A sink always receives a record, never null.", in: "overlay_records.h, the sinks",
        advice: "Pass the address of a record.")

    static let impossible = rule(
        "records/sizes", "Sizes, counts and strides match the data; a stride is a multiple of 8.",
        in: "overlay_types.h, ovl_list", methods: [.books, .settings],
        advice: "Set stride to sizeof the element, and sizes to those of your data.")

    static let views = rule(
        "records/views", "A view without data is absent and has size 0; list elements are never absent.",
        in: "abi.md, Rules: Absent is not empty", advice: "Set size to 0 when data is null.")

    static let utf8 = rule(
        "strings/utf8", "Texts are UTF-8.", in: "abi.md, Rules: UTF-8",
        advice: "Convert the reader app's texts, and replace what cannot be converted.")

    static let limits = rule(
        "strings/limits", "An overlay's results stay within the host's limits.",
        in: "abi.md, Rules: Limits", methods: [.books],
        advice: "Cut long texts, and leave out covers that are larger than 32 MiB.")

    static let bookPath = rule(
        "books/path", "A book has a path.", in: "overlay_records.h, ovl_book",
        methods: [.books, .addBooksToMetadata],
        advice: "Set path to what later calls use to identify the "
            + "book."
    )

    static let bookUnique = rule(
        "books/unique", "The path of a book is unique within one booklist.",
        in: "overlay_records.h, ovl_book", methods: [.books],
        advice: "Use something unique to each book, such as its file path.")

    static let bookValues = rule(
        "books/values",
        "rating is 0 to 5, progress 0 to 1, locked 0 or 1, series_index a number, pubdate YYYY-MM-DD, and a cover has "
            + "a media type.",
        in: "overlay_records.h, ovl_book", methods: [.books],
        advice: "Convert the reader app's values, and leave out those that cannot be converted.")
}
