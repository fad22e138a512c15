extension Contributor.Role {
    /// The MARC relator code that a publication's word for a role means, in lower case; the word itself if none is known.
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
