import HostContract
import Platform

extension ReferenceValues {
    /// The files of a book that are fetched: the one that its path means, and the other papers of a reference, in their order.
    ///
    /// A further paper is called after the title and its own file, such as `On Engines - Appendix.pdf`.
    static func files(of record: BookRecord) -> [BookRecord] {
        let present = (ReferenceValues(record.book).files ?? []).filter(\.isOnDevice).compactMap(\.path)
        guard present.count > 1 else { return [record] }
        // A reference whose first paper another one has already is called after its library; its path means the first paper.
        let own = present.first { $0 == record.path } ?? present[0]
        var taken: Set<ExactText> = [ExactText(own)]
        let others = present.filter { taken.insert(ExactText($0)).inserted }
        return [record] + others.map { paper(at: $0, of: record) }
    }

    private static func paper(at path: String, of record: BookRecord) -> BookRecord {
        let name = String(path.pathNames.last ?? "")
        let ending = LocalBook.fileExtension(of: name)
        let stem = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
        return BookRecord(path: path, Book(title: record.title.map { "\($0) - \(stem)" } ?? stem))
    }
}
