import ArgumentParser
import OverlayHost
import Platform

/// The options of `update` that set fields. A field without its option is not changed; an empty value clears the
/// field.
struct BookFieldOptions: ParsableArguments, Sendable {
    @Option(parsing: .unconditional, help: ArgumentHelp("The title.", valueName: "text"))
    var title: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The title used for sorting.", valueName: "text"))
    var titleSort: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An author. Repeatable; the first is the main author.", valueName: "name"))
    var author: [String] = []
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The authors' names used for sorting.", valueName: "text")
    )
    var authorSort: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The series.", valueName: "name"))
    var series: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The number within the series.", valueName: "number"))
    var seriesIndex: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The publisher.", valueName: "name"))
    var publisher: String?
    @Option(help: ArgumentHelp("The publication date, such as 2023-02-15.", valueName: "date"))
    var pubdate: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The description, as plain text or HTML.", valueName: "text"))
    var description: String?
    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("A subject. Repeatable.", valueName: "text"))
    var tag: [String] = []
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The rating in stars, from 0 to 5.", valueName: "number"))
    var rating: String?
    @Option(
        help: ArgumentHelp("An image file to use as the cover (JPEG or PNG).", valueName: "file"),
        completion: .file())
    var cover: String?
    @Flag(
        name: [.long, .customLong("lock")], inversion: .prefixedNo,
        help: ArgumentHelp(
            "Lock or unlock the book in the reader app. A locked book can still be changed from "
                + "this computer."))
    var locked: Bool?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("The number of words in the book.", valueName: "number"))
    var wordCount: String?

    /// The requested changes; a cleared rating, position or number of words becomes 0. Reads the file of the cover.
    func changes() throws(HostError) -> BookChanges {
        var changes = BookChanges()
        changes.title = title
        changes.titleSort = titleSort
        changes.authors = Self.list(author)
        changes.authorSort = authorSort
        changes.series = series
        changes.seriesIndex = try Self.number(seriesIndex, "Series index", "--series-index", 0...1_000_000)
        changes.publisher = publisher
        changes.pubdate = try Self.day(pubdate)
        changes.description = description
        changes.tags = Self.list(tag)
        changes.rating = try Self.number(rating, "Rating", "--rating", 0...5)
        changes.isLocked = locked
        changes.wordCount = try Self.count(wordCount)
        if let cover { changes.cover = try CoverFile.read(cover) }
        return changes
    }

    /// Whether no field is set.
    var isEmpty: Bool {
        let texts = [
            title, titleSort, authorSort, series, seriesIndex, publisher, pubdate, description, rating, cover,
            wordCount,
        ]
        return texts.allSatisfy { $0 == nil } && author.isEmpty && tag.isEmpty && locked == nil
    }

    /// The texts without empty ones; nil if the option was not given.
    private static func list(_ texts: [String]) -> [String]? {
        texts.isEmpty ? nil : texts.filter { !$0.isEmpty }
    }

    private static func number(
        _ text: String?, _ name: String, _ option: String, _ range: ClosedRange<Double>
    ) throws(HostError) -> Double? {
        guard let text else { return nil }
        if text.isEmpty { return 0 }
        guard let number = Double(text), range.contains(number) else {
            throw HostError(
                .usage,
                "\(name) must be \(plain(range.lowerBound))–\(plain(range.upperBound)), not '\(text)'.",
                subject: option)
        }
        return number
    }

    private static func plain(_ number: Double) -> String { "\(Int(number))" }

    private static func count(_ text: String?) throws(HostError) -> UInt64? {
        guard let text else { return nil }
        if text.isEmpty { return 0 }
        guard let count = UInt64(text), count <= UInt64(Int32.max) else {
            throw HostError(
                .usage, "The word count must be a whole number from 0, not '\(text)'.",
                subject: "--word-count")
        }
        return count
    }

    /// A valid day of the calendar.
    private static func day(_ text: String?) throws(HostError) -> String? {
        guard let text, !text.isEmpty else { return text }
        guard CivilDay.isDay(text) else {
            throw HostError(
                .usage, "The date must look like 2023-02-15, not '\(text)'.", subject: "--pubdate")
        }
        return text
    }
}
