import ArgumentParser
import JSON
import OverlayHost
import Platform

/// `books [WORDS]`: the booklist of the reader app, or the books that match.
struct BooksCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "books", abstract: "List the books in the reader app.",
        usage: "overlayhost books [<word> ...] [--sort <field>] [<options>]",
        discussion: """
            With words, lists only books with all of them in title, authors, series, tags or \
            collections, ignoring case and accents. --search searches all metadata, also \
            inside words, and lists the best matches first. It understands "a phrase", -word, a OR b, and \
            fields such as author:name or year:2024.
            """)

    @Argument(
        help: ArgumentHelp("What to look for; quote a phrase.", valueName: "word"),
        completion: .custom(KnownNames.books))
    var words: [String] = []
    @OptionGroup(title: "Books") var listing: BookListingOptions
    @OptionGroup var global: GlobalOptions<BooksCommand>

    func validate() throws {
        try listing.check()
        if listing.csv, global.json {
            throw ValidationError("--json and --csv cannot be used together.")
        }
    }

    func checkForMany() throws(HostError) {
        guard !listing.csv else {
            throw HostError(
                .usage, "--csv can list the books of one device only.",
                hint: "Choose one device with --device.")
        }
    }

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        var query = listing.query
        // Quotes that the shell has kept also mark a phrase, as in --search.
        query.words = words.map { word in
            word.utf8.count > 2 && word.hasPrefix("\"") && word.hasSuffix("\"")
                ? String(word.dropFirst().dropLast()) : word
        }
        let session = try invocation.openSession()
        defer { session.close() }
        let books = try session.books()
        invocation.progress.clear()
        invocation.setup.known?.keep(
            books.prefix(KnownNames.most).compactMap(\.title), .books, replacing: true)
        let collections = Set(books.lazy.flatMap { ($0.collections ?? []).map { ExactText($0) } })
        invocation.setup.known?.keep(collections.sorted().map(\.text), .collections, replacing: true)
        let (places, matching) = try session.places(of: query, in: books)
        let rows = BookListing(places.lazy.map { books[$0] }, fields: listing.fieldNames)
        let console = invocation.console
        console.result(BookOrigin(session).members, "books", of: rows.documents) { print in
            if listing.csv {
                rows.writeCSV(print)
            } else if books.isEmpty {
                print("\(TerminalText.sanitized(session.app.name)) has no books.")
            } else if places.isEmpty {
                print("No book matches.")
            } else {
                rows.writeText(width: console.width, print)
            }
        }
        if places.count < matching, !console.isJSON {
            console.note("Showing \(places.count) of \(matching) books.")
        }
        return .done
    }
}

/// The options of `books` that filter, sort and format the list.
struct BookListingOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Search all fields of the books.", valueName: "query"))
    var search: String?
    @Flag(
        help:
            "Also search the text of PDF files. The first search fetches and reads every PDF."
    )
    var text = false
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Only books in this collection. Repeatable: any of them.", valueName: "name"),
        completion: .custom(KnownNames.collections))
    var collection: [String] = []
    @Option(
        help: ArgumentHelp("Only books by an author with this in the name. Repeatable.", valueName: "name"))
    var author: [String] = []
    @Option(
        help: ArgumentHelp(
            "Only books of this format: an extension such as epub, or a media type. Repeatable.",
            valueName: "format"))
    var format: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sort by this field; -FIELD sorts in descending order.", valueName: "field"),
        completion: .list(BookListingFields.names))
    var sort: String?
    @Flag(help: "Reverse the order.") var reverse = false
    @Option(
        help: ArgumentHelp(
            "The fields to show, separated by commas, such as title,series,rating.", valueName: "fields"),
        completion: .list(BookListingFields.names))
    var fields: String?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("List at most this many books.", valueName: "number"))
    var limit: Int?
    @Flag(help: "Print CSV for spreadsheets.") var csv = false

    /// The fields of `--fields`; nil if it was not given.
    var fieldNames: [String]? { fields.map(Self.names) }

    /// The query without the words.
    var query: BookQuery {
        var query = BookQuery()
        (query.search, query.searchesTexts) = (search, text)
        (query.collections, query.authors, query.formats) = (collection, author, format)
        (query.limit, query.isDescending) = (limit, reverse)
        if let sort {
            let isDescending = sort.hasPrefix("-")
            query.sortField = Self.names(isDescending ? String(sort.dropFirst()) : sort).first
            query.isDescending = isDescending != reverse
        }
        return query
    }

    /// Refuses unknown fields, and lists the valid ones.
    func check() throws {
        if text, search == nil { throw ValidationError("--text needs --search.") }
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if fieldNames?.isEmpty == true { throw ValidationError("--fields needs at least one field.") }
        let sorted = sort.map { [$0.hasPrefix("-") ? String($0.dropFirst()) : $0] } ?? []
        for name in sorted.map({ Self.names($0).first ?? "" }) + (fieldNames ?? [])
        where !BookListingFields.names.contains(name) {
            let meant =
                NearestName.find(name, in: BookListingFields.names).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError(
                "Books have no field '\(name)'.\(meant) The fields are: "
                    + BookListingFields.names.joined(separator: ", ") + ".")
        }
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: ",").map {
            $0.split(whereSeparator: \.isWhitespace).joined(separator: "_").replacing("-", with: "_")
                .lowercased()
        }.filter { !$0.isEmpty }
    }
}
