import BookModel
import HostContract
import OverlayABI
import OverlayBridge

/// Collects the results of `collections` in order.
final class CollectionCollector {
    /// The bytes that count for each collection and each of its paths, in addition to their texts.
    private static let overhead = 64

    /// The collections received so far.
    private(set) var collections: [BookCollection] = []
    private var bytes = 0

    func put(_ pointer: UnsafePointer<ovl_collection>) throws(ContractBreach) {
        let record = try ovl_collection.read(pointer)
        guard collections.count < BoundaryLimits.books else {
            throw ContractBreach(.limit, "There are more than \(BoundaryLimits.books) collections.")
        }
        let name = try record.name.readRequired("collection.name")
        let kind = try record.kind.readRequired("collection.kind", limit: BoundaryLimits.path)
        let books = try record.books.read("collection.books", limit: BoundaryLimits.books) ?? []
        bytes += name.utf8.count + kind.utf8.count + Self.overhead
        bytes += books.reduce(0) { $0 + $1.utf8.count + Self.overhead }
        guard bytes <= BoundaryLimits.booklistBytes else {
            throw ContractBreach(
                .limit, "The collections are larger than \(BoundaryLimits.booklistBytes) bytes.")
        }
        collections.append(BookCollection(name, BookCollection.Kind(rawValue: kind), books: books))
    }
}
