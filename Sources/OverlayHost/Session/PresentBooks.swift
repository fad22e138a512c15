/// The books of a reader app, for the question which files of an upload need no room on the device.
struct PresentBooks {
    private var contents: Set<String> = []
    /// The sizes of the files of each uuid; nil where one of them is unknown.
    private var sizes: [String: Set<UInt64?>] = [:]

    init(_ books: BookList) {
        for book in books {
            if let content = book.contentID { contents.insert(content) }
            if let uuid = book.uuid { sizes[uuid.lowercased(), default: []].insert(book.size) }
        }
    }

    /// Whether a file is there already, as far as a listing tells: by its content, else by its uuid and size.
    ///
    /// - Parameter protecting: whether a book of the same uuid is left alone, so that its size does not matter.
    func spares(_ book: LocalBook, protecting: Bool) -> Bool {
        if contents.contains(book.contentID) { return true }
        guard let sizes = sizes[book.uuid] else { return false }
        return protecting || sizes.contains(nil) || sizes.contains(book.identity.size)
    }
}
