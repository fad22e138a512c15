/// The metadata that a publication states about itself.
///
/// Each value is as the publication states it, without white space at the ends; nil or an empty list means that it
/// states nothing. Nothing is guessed, with one exception: the title of a publication that has none may be its file
/// name, and `Shortcoming.Code.missingTitle` is then listed.
public struct PublicationMetadata: Hashable, Sendable {
    /// The main title.
    public var title: String?
    /// The form of the title for sorting, such as "Hobbit, The".
    public var titleSort: String?
    /// The subtitle, if it is stated separately from the title.
    public var subtitle: String?
    /// The title in other languages or scripts, by language tag (BCP 47).
    public var alternateTitles: [String: String]
    /// The authors; the main author is the first.
    public var authors: [Contributor]
    /// All other contributors, such as translators and illustrators, each with a role.
    public var contributors: [Contributor]
    /// The series that it belongs to, with its position there.
    public var series: PublicationSeries?
    /// Other series and sets that it belongs to.
    public var collections: [PublicationSeries]
    /// All identifiers, the main one first.
    public var identifiers: [PublicationIdentifier]
    /// Language tags (BCP 47) as written, the main one first.
    public var languages: [String]
    /// The publisher.
    public var publisher: String?
    /// The date of publication.
    public var published: PartialDate?
    /// The date when the file was last modified, as the file states it.
    public var modified: PartialDate?
    /// A description, in plain text or HTML as the publication states it.
    public var description: String?
    /// Subjects, each once.
    public var subjects: [String]
    /// A copyright or license statement.
    public var rights: String?
    /// The rating, 0 to 5 stars.
    public var rating: Double?
    /// The number of pages, for formats that have pages.
    public var pageCount: Int?
    /// The playing time in seconds, for formats that have one.
    public var duration: Double?

    /// Creates metadata from the given values; all others are unknown.
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

    /// The UUID that identifies the publication, in lower case. This is the UUID from calibre if there is one,
    /// because a library recognizes a book by it; otherwise the first identifier that is stated to be a UUID;
    /// otherwise the main identifier if it has the form of a UUID. Other identifiers that only have the form of a
    /// UUID do not count.
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

    /// The sorted forms of the authors' names, joined by " & "; nil if no author has one.
    public var authorSort: String? {
        guard authors.contains(where: { $0.fileAs != nil }) else { return nil }
        // calibre stores the sorted form of all authors with each author.
        if let first = authors.first?.fileAs, authors.allSatisfy({ $0.fileAs == first }) { return first }
        return authors.map { $0.fileAs ?? $0.name }.joined(separator: " & ")
    }
}
