/// What a publication says about itself.
///
/// Everything is as the publication states it, with white space at the ends removed; nil or an empty list means that it
/// states nothing. Nothing here is guessed, with one exception: a publication without a title may get its file name as
/// one, and then lists `Shortcoming.Code.missingTitle`.
public struct PublicationMetadata: Hashable, Sendable {
    /// The main title.
    public var title: String?
    /// The title as it is sorted, such as "Hobbit, The".
    public var titleSort: String?
    /// The subtitle, when it is stated apart from the title.
    public var subtitle: String?
    /// The title in other languages or scripts, by language tag (BCP 47).
    public var alternateTitles: [String: String]
    /// Who wrote it, the first one first.
    public var authors: [Contributor]
    /// Everybody else, such as translators and illustrators, each with a role.
    public var contributors: [Contributor]
    /// The series it belongs to, with its place there.
    public var series: PublicationSeries?
    /// Further series and sets it belongs to.
    public var collections: [PublicationSeries]
    /// All identifiers, the main one first.
    public var identifiers: [PublicationIdentifier]
    /// Language tags (BCP 47) as written, the main one first.
    public var languages: [String]
    /// The publisher.
    public var publisher: String?
    /// When it was published.
    public var published: PartialDate?
    /// When the file was last modified, as it says itself.
    public var modified: PartialDate?
    /// A description; plain text or HTML, as it was written.
    public var description: String?
    /// Subjects, each once.
    public var subjects: [String]
    /// A statement about rights.
    public var rights: String?
    /// 0 to 5 stars.
    public var rating: Double?
    /// The number of pages, for formats that have pages.
    public var pageCount: Int?
    /// The playing time in seconds, for formats that have one.
    public var duration: Double?

    /// Metadata of which only what is given here is known.
    public init(
        title: String? = nil, titleSort: String? = nil, subtitle: String? = nil,
        alternateTitles: [String: String] = [:], authors: [Contributor] = [],
        contributors: [Contributor] = [], series: PublicationSeries? = nil,
        collections: [PublicationSeries] = [], identifiers: [PublicationIdentifier] = [],
        languages: [String] = [], publisher: String? = nil, published: PartialDate? = nil,
        modified: PartialDate? = nil, description: String? = nil, subjects: [String] = [],
        rights: String? = nil, rating: Double? = nil, pageCount: Int? = nil, duration: Double? = nil
    ) {
        self.title = title
        self.titleSort = titleSort
        self.subtitle = subtitle
        self.alternateTitles = alternateTitles
        self.authors = authors
        self.contributors = contributors
        self.series = series
        self.collections = collections
        self.identifiers = identifiers
        self.languages = languages
        self.publisher = publisher
        self.published = published
        self.modified = modified
        self.description = description
        self.subjects = subjects
        self.rights = rights
        self.rating = rating
        self.pageCount = pageCount
        self.duration = duration
    }

    /// The UUID that identifies the publication, in lower case: calibre's own if there is one, since that is what a
    /// library recognises a book by, else the first that is stated to be a UUID, else the main identifier if it is one. Another
    /// identifier that only has the form of a UUID identifies nothing.
    public var uuid: String? {
        let stated = identifiers.filter(\.isSchemeStated)
        return stated.lazy.filter { $0.scheme == PublicationIdentifier.Scheme.calibre }.compactMap(\.uuid)
            .first
            ?? stated.lazy.compactMap(\.uuid).first
            ?? identifiers.first.flatMap { PublicationIdentifier.canonicalUUID($0.value) }
    }

    /// The first valid ISBN, without hyphens.
    public var isbn: String? {
        identifiers.lazy.compactMap(\.isbn).first
    }

    /// The authors as they are sorted, joined by " & "; nil when no author says how.
    public var authorSort: String? {
        guard authors.contains(where: { $0.fileAs != nil }) else { return nil }
        // calibre says at each author how all of them are sorted.
        if let first = authors.first?.fileAs, authors.allSatisfy({ $0.fileAs == first }) { return first }
        return authors.map { $0.fileAs ?? $0.name }.joined(separator: " & ")
    }
}
