import BookFolders

/// How the library spells the names of its collections.
///
/// Marvin compares names by their bytes: told a name that is composed in another way, it would make a second collection that
/// looks the same.
struct CollectionNames {
    private var names = NameTable<String>()

    /// The collections that books are in.
    init(_ library: [LibraryBook]) {
        for book in library {
            for name in book.collections { names[name] = name }
        }
    }

    /// Each name as the library spells it; a new one as it is.
    func asListed(_ names: [String]) -> [String] { names.map { self.names[$0] ?? $0 } }
}
