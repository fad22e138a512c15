import OverlayKit

/// The small covers of the library, wherever this version of Marvin keeps them.
struct CoverFolder {
    /// Covers are about 25 kB; larger ones need a second read.
    private static let firstRead: UInt64 = 64 << 10
    /// Larger files are no small covers; it also bounds what a batch of hostile ones takes of the memory.
    private static let largest: UInt64 = 1 << 20

    private let device: MarvinDevice
    /// The folder, and the names in it; a fresh Marvin has none.
    private let folder: String
    private let names: Set<[UInt8]>

    /// Looks into the folder: one listing tells which books have a cover.
    init(_ device: MarvinDevice) throws(OverlayError) {
        self.device = device
        for folder in device.paths.covers {
            if let names = try device.names(in: folder) {
                (self.folder, self.names) = (folder, Set(names.map(\.bytes)))
                return
            }
        }
        (folder, names) = ("", [])
    }

    /// The cover of each book, in their order.
    func covers(
        of books: [LibraryBook], withBytes: Bool, reader: LibraryReader
    ) throws(OverlayError) -> [BookCover?] {
        let paths = books.map { book -> String? in
            guard let hash = book.hash, names.contains((hash + ".jpg").bytes) else { return nil }
            return folder + "/" + hash + ".jpg"
        }
        var covers = try withBytes ? contents(paths) : sizes(paths)
        let blobs = books.indices.filter { covers[$0] == nil && books[$0].coverBlobSize > 0 }
        guard !blobs.isEmpty else { return covers }
        for index in blobs {
            covers[index] = BookCover(mediaType: "image/jpeg", size: UInt64(books[index].coverBlobSize))
        }
        guard withBytes else { return covers }
        // One statement for the batch; its ids follow each other, since books come in the order of the table.
        let ids = blobs.compactMap { books[$0].id }
        guard let first = ids.min(), let last = ids.max() else { return covers }
        let found = try device.readingLibrary { () throws(LibraryFailure) in
            try reader.coverBlobs(in: first...last, largest: Int(Self.largest))
        }
        for index in blobs {
            covers[index] = books[index].id.flatMap { found[$0] }.flatMap(Self.cover)
        }
        return covers
    }

    private func sizes(_ paths: [String?]) throws(OverlayError) -> [BookCover?] {
        let wanted = paths.indices.filter { paths[$0] != nil }
        var covers = [BookCover?](repeating: nil, count: paths.count)
        for (index, file) in zip(wanted, try device.files(wanted.compactMap { paths[$0] })) {
            guard let file, file.size > 0 else { continue }
            covers[index] = BookCover(mediaType: "image/jpeg", size: file.size)
        }
        return covers
    }

    private func contents(_ paths: [String?]) throws(OverlayError) -> [BookCover?] {
        let wanted = paths.indices.filter { paths[$0] != nil }
        var bytes = [[UInt8]](repeating: [], count: paths.count)
        // One read is enough for an image that ends as images do; any other is read on until its end is certain.
        try read(wanted, paths, once: true, into: &bytes)
        let others = wanted.filter { !bytes[$0].isEmpty && !Self.endsWhole(bytes[$0]) }
        try read(others, paths, once: false, into: &bytes)
        return paths.indices.map { index in
            guard UInt64(bytes[index].count) <= Self.largest else {
                device.host.log.notice(
                    "marvin", "A cover is too large to be one.", ["file": paths[index] ?? ""])
                return nil
            }
            return Self.cover(bytes[index])
        }
    }

    private func read(
        _ indices: [Int], _ paths: [String?], once: Bool, into bytes: inout [[UInt8]]
    ) throws(OverlayError) {
        guard !indices.isEmpty else { return }
        let requests = indices.compactMap { index in
            paths[index].map {
                ReadRequest(
                    $0, offset: UInt64(bytes[index].count), length: once ? Self.firstRead : Self.largest,
                    once: once)
            }
        }
        for (index, result) in zip(indices, try device.host.transport.readMany(.container, requests)) {
            switch result {
            case .success(let piece): bytes[index] += piece
            case .failure(let error):
                // A book is worth listing without its cover.
                bytes[index] = []
                device.host.log.notice(
                    "marvin", "A cover could not be read: \(error.message)", ["file": paths[index] ?? ""])
            }
        }
    }

    /// Whether the bytes end with the end of a JPEG or PNG image.
    private static func endsWhole(_ bytes: [UInt8]) -> Bool {
        // Compared with `==` the type checker takes the suffix of a sequence, which walks through all of the bytes.
        bytes.suffix(2).elementsEqual([0xFF, 0xD9])
            || bytes.suffix(8).elementsEqual([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }

    /// A cover of these bytes, or nil when they are no image.
    private static func cover(_ bytes: [UInt8]) -> BookCover? {
        let isPNG = bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
        guard isPNG || bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        return BookCover(
            mediaType: isPNG ? "image/png" : "image/jpeg", size: UInt64(bytes.count), bytes: bytes)
    }
}
