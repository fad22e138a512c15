import HostContract
import Platform

extension ReferenceValues {
    /// The files of a book to fetch: the file at its path, and the other papers of a reference, in their order.
    ///
    /// The name of an additional paper consists of the title and the name of its file, such as `On Engines -
    /// Appendix.pdf`.
    static func files(of record: BookRecord) -> [BookRecord] {
        [record] + furtherPapers(of: record).map { paper($0, of: record) }
    }

    /// The papers of a reference on the device, except the one at its path, in their order. Each has a path.
    static func furtherPapers(of record: BookRecord) -> [File] {
        let present = (ReferenceValues(record.book).files ?? []).filter { $0.isOnDevice && $0.path != nil }
        guard present.count > 1 else { return [] }
        // If another reference has the same first paper, the path of this reference contains the name of its library,
        // and refers to its first paper.
        let own = present.first { $0.path == record.path } ?? present[0]
        var taken: Set<ExactText> = [ExactText(own.path ?? "")]
        return present.filter { taken.insert(ExactText($0.path ?? "")).inserted }
    }

    private static func paper(_ file: File, of record: BookRecord) -> BookRecord {
        let path = file.path ?? ""
        let name = String(path.pathNames.last ?? "")
        let ending = LocalBook.fileExtension(of: name)
        let stem = ending.isEmpty ? name : String(name.dropLast(ending.count + 1))
        return BookRecord(
            path: path, Book(title: record.title.map { "\($0) - \(stem)" } ?? stem, size: file.size))
    }
}
