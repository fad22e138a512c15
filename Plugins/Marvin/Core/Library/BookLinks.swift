import Platform

/// The names, such as subjects or collections, that a table links to books. Each name is stored once.
struct BookLinks {
    private struct Link: BitwiseCopyable {
        var book: Int64
        var name: UInt32
    }

    private var names: [String] = []
    private var numbers: [ExactText: UInt32] = [:]
    private var links: [Link] = []
    /// Whether the links are complete: false if the table is missing or different, or a row was not understood.
    var isWhole = false

    /// Links a name to a book.
    mutating func add(_ name: String, to book: Int64) {
        let text = ExactText(name)
        let number = numbers[text] ?? UInt32(names.count)
        if number == names.count {
            names.append(name)
            numbers[text] = number
        }
        links.append(Link(book: book, name: number))
    }

    /// Sorts the links for lookups; call after the last was added.
    mutating func sort() {
        links.sort { ($0.book, $0.name) < ($1.book, $1.name) }
    }

    /// The names of a book.
    func names(of book: Int64) -> Set<String> {
        var (low, high) = (0, links.count)
        while low < high {
            let middle = (low + high) / 2
            if links[middle].book < book { low = middle + 1 } else { high = middle }
        }
        return Set(links[low...].prefix { $0.book == book }.map { names[Int($0.name)] })
    }
}
