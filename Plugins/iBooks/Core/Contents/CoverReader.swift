import OverlayKit
import Platform

/// Reads the bytes of covers.
struct CoverReader {
    /// Larger files are not covers. This limit also bounds the memory for a batch of hostile files.
    private static let largest: UInt64 = 8 << 20

    let host: HostServices

    /// The cover of each book, in order; nil for a book without one.
    func covers(_ books: [(item: BooksLibrary.Item, inspection: BookInspection)]) throws(OverlayError)
        -> [[UInt8]?]
    {
        var covers = [[UInt8]?](repeating: nil, count: books.count)
        var (loose, inside): ([Int], [Int]) = ([], [])
        for (index, book) in books.enumerated() {
            guard
                let size = book.inspection.book.coverSize
                    ?? (book.inspection.book.coverMediaType == nil ? nil : 0),
                size <= Self.largest
            else { continue }
            if book.inspection.coverPath != nil { loose.append(index) } else { inside.append(index) }
        }
        if !loose.isEmpty {
            let requests = loose.compactMap { index in
                books[index].inspection.coverPath.map {
                    ReadRequest($0, length: books[index].inspection.book.coverSize ?? Self.largest)
                }
            }
            for (index, result) in zip(loose, try host.transport.readMany(.media, requests)) {
                switch result {
                case .success(let bytes): covers[index] = bytes.isEmpty ? nil : bytes
                case .failure(let error): remark(books[index].item, error)
                }
            }
        }
        if !inside.isEmpty {
            let sources = inside.map { ContentSource.device(.media, books[$0].item.devicePath) }
            for (index, result) in zip(inside, try host.metadata.read(sources, covers: true)) {
                switch result {
                case .success(let metadata): covers[index] = metadata.book.coverData
                case .failure(let error): remark(books[index].item, error)
                }
            }
        }
        return covers
    }

    /// A book is listed even without its cover.
    private func remark(_ item: BooksLibrary.Item, _ error: OverlayError) {
        host.log.notice("ibooks", "Cannot read a cover: \(error.message)", ["book": item.path.text])
    }
}

extension PictureFormat {
    /// Recognises a cover; nil if Books does not show such pictures as covers.
    init?(cover bytes: some Collection<UInt8>) {
        guard let format = PictureFormat(bytes), [.jpeg, .png, .gif].contains(format) else { return nil }
        self = format
    }
}
