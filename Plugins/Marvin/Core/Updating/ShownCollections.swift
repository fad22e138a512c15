/// The collections of each book as the host was shown them.
///
/// A host hands the full list back, as it was or edited, and meanwhile somebody else may have put the book into others: what the
/// host wishes is what differs between the two lists.
struct ShownCollections {
    private var byPath: [[UInt8]: [String]] = [:]

    /// What the host was shown of a book; nil: nothing, so that its list is the wish as a whole.
    func of(_ path: String) -> [String]? { byPath[path.bytes] }

    /// Notes what the host believes from here on.
    mutating func note(_ path: String, _ collections: [String]) { byPath[path.bytes] = collections }

    /// Notes that it is not known what the host believes of a book.
    mutating func forget(_ path: String) { byPath[path.bytes] = nil }
}
