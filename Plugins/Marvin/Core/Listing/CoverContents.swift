import OverlayKit

/// Reads images from the folder of covers.
struct CoverContents {
    /// The bytes of the first read. Covers have about 25 kB; larger covers need a second read.
    private static let firstRead: UInt64 = 64 << 10
    /// The largest small cover in bytes. The limit also bounds the memory for a batch of hostile files.
    static let largest: UInt64 = 1 << 20

    /// The content of a file.
    enum Content {
        case image(CoverThumbnail)
        /// The file is not an image and has at least this many bytes.
        case noImage(size: UInt64)
        /// The file could not be read.
        case unread
    }

    private let device: MarvinDevice

    init(_ device: MarvinDevice) { self.device = device }

    /// Passes on the content of each of the files at `paths` as soon as it is known, in any order.
    func contents(
        _ paths: [String], each: (Int, Content) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        // One read is enough if the bytes end like an image, or if the answer is short and a JPEG ends before its
        // last byte. Otherwise the file is read on until its end is certain.
        var begun: [(place: Int, bytes: [UInt8])] = []
        let requests = paths.map { ReadRequest($0, length: Self.firstRead, once: true) }
        try device.host.transport.readMany(device.root, requests) {
            (place, result) throws(OverlayError) in
            guard let bytes = taken(result, paths[place]) else { return try each(place, .unread) }
            if bytes.isEmpty || Self.endsWhole(bytes)
                || (UInt64(bytes.count) < Self.firstRead && Self.holdsWholeJPEG(bytes))
            {
                try each(place, content(bytes, paths[place]))
            } else {
                begun.append((place, Array(bytes)))
            }
        }
        // Read few at once, because they may be large and stay in memory until the preceding covers are done.
        for start in stride(from: 0, to: begun.count, by: Self.largeAtOnce) {
            try goOn(Array(begun[start...].prefix(Self.largeAtOnce)), paths, each: each)
        }
    }

    /// The number of covers that are read to their ends at once.
    private static let largeAtOnce = 128

    /// Continues to read files after the first read.
    private func goOn(
        _ begun: [(place: Int, bytes: [UInt8])], _ paths: [String],
        each: (Int, Content) throws(OverlayError) -> Void
    ) throws(OverlayError) {
        let requests = begun.map {
            ReadRequest(paths[$0.place], offset: UInt64($0.bytes.count), length: Self.largest)
        }
        try device.host.transport.readMany(device.root, requests) {
            (number, result) throws(OverlayError) in
            let place = begun[number].place
            guard let rest = taken(result, paths[place]) else { return try each(place, .unread) }
            let bytes = begun[number].bytes + rest
            try each(place, bytes.withUnsafeBytes { content($0, paths[place]) })
        }
    }

    /// The bytes of a read; nil if it failed. A book is listed even without its cover.
    private func taken(
        _ result: Result<UnsafeRawBufferPointer, OverlayError>, _ path: String
    ) -> UnsafeRawBufferPointer? {
        switch result {
        case .success(let bytes): return bytes
        case .failure(let error):
            device.host.log.notice("marvin", "Cannot read a cover: \(error.message)", ["file": path])
            return nil
        }
    }

    private func content(_ bytes: UnsafeRawBufferPointer, _ path: String) -> Content {
        guard UInt64(bytes.count) <= Self.largest else {
            device.host.log.notice("marvin", "A cover is too large.", ["file": path])
            return .noImage(size: UInt64(bytes.count))
        }
        return CoverThumbnail(image: Array(bytes)).map { .image($0) } ?? .noImage(size: UInt64(bytes.count))
    }

    /// Whether the bytes end like a JPEG or PNG image.
    private static func endsWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // With `==`, the type checker would choose the suffix of a sequence, which iterates over all bytes.
        bytes.suffix(2).elementsEqual([0xFF, 0xD9])
            || bytes.suffix(8).elementsEqual([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }
    /// Whether a JPEG image ends within the bytes; more bytes may follow.
    ///
    /// Segments are skipped by their lengths, because the preview inside a photograph has an end marker of its own.
    private static func holdsWholeJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
        var position = 2
        while position + 1 < bytes.count {
            // Between segments there is only compressed data, in which 0xFF is always followed by 0 or a restart
            // marker.
            guard bytes[position] == 0xFF else {
                position += 1
                continue
            }
            switch bytes[position + 1] {
            case 0xD9: return true
            case 0xFF: position += 1
            case 0, 1, 0xD0...0xD8: position += 2
            default:
                guard position + 3 < bytes.count else { return false }
                position += 2 + max(2, Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
            }
        }
        return false
    }
}
