import OverlayKit

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

/// The image formats of covers, recognised by their first bytes.
enum ImageKind {
    case jpeg, png, gif

    /// Nil if the bytes are not such an image.
    init?(_ bytes: some Collection<UInt8>) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            self = .png
        } else if bytes.starts(with: Array("GIF8".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }

    var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .gif: "image/gif"
        }
    }
}
