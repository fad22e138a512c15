import Archives
import Formats
import FoundationEssentials
import Platform

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
        switch PictureFormat(data) {
        case .jpeg: .jpeg
        case .png: .png
        case .gif: .gif
        case .bmp: .bmp
        case .webp, nil: nil
        }
    }
}
