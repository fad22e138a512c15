import OverlayKit

/// Reads images from the folder of covers.
struct CoverContents {
    /// Covers are about 25 kB; larger ones need a second read.
    private static let firstRead: UInt64 = 64 << 10
    /// Larger files are no small covers; it also bounds what a batch of hostile ones takes of the memory.
    static let largest: UInt64 = 1 << 20

    /// What a file turned out to be.
    enum Content {
        case image(BookCover)
        /// Something else, of so many bytes or more.
        case noImage(size: UInt64)
        /// It could not be read.
        case unread
    }

    private let device: MarvinDevice

    init(_ device: MarvinDevice) { self.device = device }

    /// What the files at `paths` are, in their order.
    func contents(_ paths: [String]) throws(OverlayError) -> [Content] {
        var bytes = [[UInt8]?](repeating: [], count: paths.count)
        // One read is enough for an image that ends as images do; any other is read on until its end is certain.
        try read(Array(paths.indices), paths, once: true, into: &bytes)
        let others = paths.indices.filter { bytes[$0].map { !$0.isEmpty && !Self.endsWhole($0) } ?? false }
        try read(others, paths, once: false, into: &bytes)
        return paths.indices.map { index in
            guard let image = bytes[index] else { return .unread }
            guard UInt64(image.count) <= Self.largest else {
                device.host.log.notice("marvin", "A cover is too large to be one.", ["file": paths[index]])
                return .noImage(size: UInt64(image.count))
            }
            return BookCover(image: image).map { .image($0) } ?? .noImage(size: UInt64(image.count))
        }
    }

    private func read(
        _ indices: [Int], _ paths: [String], once: Bool, into bytes: inout [[UInt8]?]
    ) throws(OverlayError) {
        guard !indices.isEmpty else { return }
        let requests = indices.map { index in
            ReadRequest(
                paths[index], offset: UInt64(bytes[index]?.count ?? 0),
                length: once ? Self.firstRead : Self.largest, once: once)
        }
        for (index, result) in zip(indices, try device.host.transport.readMany(device.root, requests)) {
            switch result {
            case .success(let piece): bytes[index]? += piece
            case .failure(let error):
                // A book is worth listing without its cover.
                bytes[index] = nil
                device.host.log.notice(
                    "marvin", "A cover could not be read: \(error.message)", ["file": paths[index]])
            }
        }
    }

    /// Whether the bytes end with the end of a JPEG or PNG image.
    private static func endsWhole(_ bytes: [UInt8]) -> Bool {
        // Compared with `==` the type checker takes the suffix of a sequence, which walks through all of the bytes.
        bytes.suffix(2).elementsEqual([0xFF, 0xD9])
            || bytes.suffix(8).elementsEqual([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }
}
