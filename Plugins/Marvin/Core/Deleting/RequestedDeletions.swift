/// The books to delete: those that paths name, each once, in the order of the paths.
struct RequestedDeletions {
    private(set) var books: [LibraryBook] = []
    private var places: [[UInt8]: [Int]] = [:]

    /// Finds the books; a path that is none of the library gets its row.
    init(_ paths: [String], _ library: [LibraryBook], _ rows: inout ResultRows) {
        let known = Dictionary(
            library.map { ($0.fileName.bytes, $0) }, uniquingKeysWith: { first, _ in first })
        let copies = Dictionary(
            library.compactMap { $0.uuid?.lowercased() }.map { ($0, 1) }, uniquingKeysWith: +)
        for (index, path) in paths.enumerated() {
            guard var book = known[path.bytes] else {
                rows.add(.failed(index, .noSuchBook(nil)))
                continue
            }
            // Marvin may look for a book by its uuid when the file has just gone; another book that has it must not go instead.
            if let uuid = book.uuid, copies[uuid.lowercased()] ?? 0 > 1 { book.uuid = nil }
            if places[path.bytes] == nil { books.append(book) }
            places[path.bytes, default: []].append(index)
        }
    }

    /// The items that name a path.
    func indices(of path: String) -> [Int] { places[path.bytes] ?? [] }
}
