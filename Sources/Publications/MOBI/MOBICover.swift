import Archives
import Formats
import FoundationEssentials

/// The cover in a record that holds an image. The first bytes of the record show whether it is one.
struct MOBICover {
    /// The cover. It reads the record when its bytes are requested.
    let cover: Cover

    /// Reads the first bytes of a record; nil if they are not those of an image.
    init?(_ database: PalmDatabase, record: Int, source: any ByteSource) throws(MOBIFault) {
        guard let range = database.range(of: record), range.count > 16, range.count <= Cover.largest else {
            return nil
        }
        guard let type = Self.imageType(try database.record(record, limit: 16)) else { return nil }
        cover = Cover(mediaType: type, href: "record \(record)", size: Int64(range.count)) {
            () throws(PublicationError) in
            let data: Data
            do {
                data = try source.read(at: Int64(range.lowerBound), count: range.count)
            } catch {
                throw PublicationError(
                    .unreadable, "Cannot read the cover.", subject: "record \(record)", underlying: error)
            }
            guard Self.imageType(data) == type else {
                throw PublicationError(
                    .damaged, "The cover is no longer an image.", subject: "record \(record)")
            }
            return data
        }
    }

    private static func imageType(_ data: Data) -> MediaType? {
        if data.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if data.starts(with: "GIF87a".utf8) || data.starts(with: "GIF89a".utf8) { return .gif }
        if data.starts(with: "BM".utf8) { return .bmp }
        return nil
    }
}
