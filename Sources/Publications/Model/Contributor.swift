/// A person or organisation that made a publication.
public struct Contributor: Hashable, Sendable {
    /// The name as it is displayed.
    public var name: String
    /// The form of the name for sorting, such as "Verne, Jules".
    public var fileAs: String?
    /// The roles of the contributor: MARC relator codes in lower case, such as `aut` and `trl`. Other texts stay as
    /// written.
    public var roles: [String]
    /// The name in other languages or scripts, by language tag (BCP 47).
    public var alternateNames: [String: String]

    /// Creates a contributor with a name.
    public init(
        _ name: String, fileAs: String? = nil, roles: [String] = [], alternateNames: [String: String] = [:]
    ) {
        self.name = name
        self.fileAs = fileAs
        self.roles = roles
        self.alternateNames = alternateNames
    }

    /// MARC relator codes for the role names that other formats use.
    public enum Role {
        /// Author.
        public static let author = "aut"
        /// Artist.
        public static let artist = "art"
        /// Book producer: the program or person that made the file.
        public static let bookProducer = "bkp"
        /// Colorist.
        public static let colorist = "clr"
        /// Contributor whose role is not specified.
        public static let contributor = "ctb"
        /// Editor.
        public static let editor = "edt"
        /// Illustrator.
        public static let illustrator = "ill"
        /// Inker.
        public static let inker = "ink"
        /// Letterer.
        public static let letterer = "ltr"
        /// Narrator.
        public static let narrator = "nrt"
        /// Penciller.
        public static let penciller = "pnc"
        /// Translator.
        public static let translator = "trl"
        /// Cover artist.
        public static let coverArtist = "cov"
    }
}

extension Contributor.Role {
    /// The MARC relator code, in lower case, for the name of a role; the name itself if no code is known.
    package static func code(for word: String) -> String {
        var word = word.trimmingSpace().lowercased()
        // `marc:aut`, `http://id.loc.gov/vocabulary/relators/aut`
        if let end = word.lastIndex(where: { $0 == ":" || $0 == "/" }) {
            let last = word[word.index(after: end)...]
            if !last.isEmpty { word = String(last) }
        }
        return words[word] ?? word
    }

    private static let words = [
        "author": author, "writer": author, "creator": author, "artist": artist,
        "book producer": bookProducer, "colorist": colorist, "colourist": colorist,
        "contributor": contributor, "editor": editor, "illustrator": illustrator, "inker": inker,
        "letterer": letterer, "narrator": narrator, "penciler": penciller, "penciller": penciller,
        "translator": translator, "coverartist": coverArtist, "cover artist": coverArtist,
    ]
}
