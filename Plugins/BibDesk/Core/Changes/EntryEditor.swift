import BibTeX
import OverlayKit
import Platform

/// Changes the entry of a book to the requested values.
struct EntryEditor {
    /// The words for fields that can be changed.
    static let settable = [
        "title", "authors", "series", "series_index", "publisher", "pubdate", "description", "tags", "rating",
        "collections",
    ]

    /// The fields to change for a book's values. Characters with a meaning in TeX are escaped, so that a value reads
    /// back unchanged.
    ///
    /// - Parameters:
    ///   - wanted: the requested book; nil values are left alone.
    ///   - old: the present book.
    /// - Returns: names with their new values; nil removes a field.
    static func fields(
        _ wanted: Book, over old: Book, has: (String) -> Bool
    ) -> [(name: String, value: BibTeXValue?)] {
        var fields: [(name: String, value: BibTeXValue?)] = []
        func set(_ name: String, _ text: String) {
            fields.append((name, text.isEmpty ? nil : BibTeXValue(TeXText.escaped(text))))
        }
        if let title = wanted.title, title != old.title { set("title", title) }
        if let authors = wanted.authors, authors != old.authors {
            let value = names(authors)
            let field = has("author") || !has("editor") ? "author" : "editor"
            fields.append((field, value.isEmpty ? nil : BibTeXValue(value)))
        }
        if let series = wanted.series, series != old.series { set("series", series) }
        if let index = wanted.seriesIndex, index != old.seriesIndex {
            set(has("number") && !has("volume") ? "number" : "volume", number(index))
        }
        if let publisher = wanted.publisher, publisher != old.publisher {
            let name = ["publisher", "organization", "institution", "school"].first(where: has)
            set(name ?? "publisher", publisher)
        }
        if let day = wanted.pubdate, day != old.pubdate { fields += date(day, has) }
        if let text = wanted.description, text != old.description {
            set(has("annote") && !has("abstract") ? "annote" : "abstract", text)
        }
        if let tags = wanted.tags, tags != old.tags {
            let text = TeXText.escaped(tags.joined(separator: ", "), isTypeset: false)
            fields.append(("keywords", text.isEmpty ? nil : BibTeXValue(text)))
        }
        if let rating = wanted.rating, rating != old.rating { set("rating", number(rating.rounded())) }
        return fields
    }

    /// What is not stored of the requested values, as a sentence; nil if all of it is.
    static func remark(_ wanted: Book, over old: Book, has: (String) -> Bool) -> String? {
        guard let day = wanted.pubdate, day != old.pubdate, !storesDays(has),
            BibTeXDate(year: "", month: "", date: day)?.day != nil
        else { return nil }
        return "The reference has a year and a month, so the day of the date was not stored."
    }

    /// Whether the date is in the field that also has a day.
    private static func storesDays(_ has: (String) -> Bool) -> Bool { has("date") && !has("year") }

    /// Names joined as in BibTeX. A name that contains the joining word is put in braces.
    static func names(_ authors: [String]) -> String {
        authors.filter { $0 != "Unknown" }.map { name in
            if name == "et al." { return "others" }
            let hasJoin = name.lowercased().split(whereSeparator: \.isWhitespace).contains("and")
            // A comma would reverse the name, except in a name of two parts that is already in sort order.
            let commas = name.count { $0 == "," }
            let text = TeXText.escaped(name)
            return hasJoin || commas > 2 ? "{\(text)}" : text
        }.joined(separator: " and ")
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func date(_ day: String, _ has: (String) -> Bool) -> [(name: String, value: BibTeXValue?)]
    {
        guard !day.isEmpty else { return [("year", nil), ("month", nil), ("date", nil)] }
        let date = BibTeXDate(year: "", month: "", date: day)
        guard let date else { return [] }
        if storesDays(has) { return [("date", BibTeXValue(day))] }
        var fields: [(name: String, value: BibTeXValue?)] = [("year", BibTeXValue("\(date.year)"))]
        if let month = date.month {
            let macro = BibTeXMacros.months[month - 1].lowercased().prefix(3)
            fields.append(("month", BibTeXValue(pieces: [.macro(String(macro))])))
        }
        return fields
    }

    /// Writes fields into an entry, and records the time of the change.
    ///
    /// - Parameter now: seconds since 1970-01-01 00:00 UTC.
    /// - Throws: `rejected` if the entry cannot be changed.
    static func write(
        _ fields: [(name: String, value: BibTeXValue?)], to entry: Int, of document: inout BibTeXDocument,
        now: Int64
    ) throws(OverlayError) {
        let stamp = [("date-modified", BibTeXValue(BibTeXMoment(seconds: now).text) as BibTeXValue?)]
        for (name, value) in fields + stamp {
            let label = document.fieldName(name)
            let isDone = document.change(entry) { block in
                guard let value else { return block.removing(name) }
                return block.setting(label, to: value)
            }
            guard isDone else {
                throw OverlayError(
                    .rejected, "The entry cannot be changed because a part of it cannot be read.",
                    subject: document.blocks[entry].key, hint: "Correct the entry in BibDesk on a Mac.")
            }
        }
    }
}
