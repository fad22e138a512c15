import Archives
import Formats
import FoundationEssentials

/// The image of a scanned first page, which is a JPEG file embedded in the PDF file.
///
/// Pages are not rendered, so there is a cover only if the page consists of a single upright JPEG image.
struct PDFCover: Sendable {
    private let source: any ByteSource
    private let offset: Int
    private let length: Int
    private let reference: PDFReference
    private let security: PDFSecurity?
    private let filters: [PDFFilter]
    private let limits: PDFLimits

    /// Finds the image; nil if the first page does not consist of one.
    init?(of file: PDFFile, source: any ByteSource) throws(PDFFault) {
        guard let page = try PDFFirstPage(of: file), !page.externalObjects.isEmpty, page.rotation % 360 == 0,
            let name = try Self.onlyImage(on: page, of: file),
            case .stream(let image) = try file.resolve(page.externalObjects[name]),
            image.dictionary["Subtype"]?.name == "Image"
        else { return nil }
        var filters = try file.filters(of: image)
        guard filters.popLast().map({ ["DCTDecode", "DCT"].contains($0.name) }) == true,
            try Self.hasCommonColours(image, of: file)
        else { return nil }
        self.source = source
        self.filters = filters
        offset = image.dataOffset
        length = try file.expectedLength(of: image)
        reference = image.reference
        security = file.security
        limits = file.limits
        guard length > 0, length <= limits.coverBytes, security == nil || security?.key != nil else {
            return nil
        }
    }

    /// The cover. It reads its bytes from the source when they are requested.
    var cover: Cover {
        Cover(
            mediaType: .jpeg, href: "object \(reference.number)",
            size: filters.isEmpty && security == nil ? Int64(length) : nil
        ) { () throws(PublicationError) in
            try read()
        }
    }

    private func read() throws(PublicationError) -> Data {
        let stored: Data
        do {
            stored = try source.read(at: Int64(offset), count: length)
        } catch {
            throw PublicationError(.unreadable, "Cannot read the cover.", underlying: error)
        }
        do throws(PDFFault) {
            guard !filters.isEmpty || security != nil else { return try checked(stored) }
            var bytes = [UInt8](stored)
            if let security { bytes = try security.decrypt(bytes, of: reference, by: security.streams) }
            for filter in filters {
                let result = try filter.decode(bytes, limit: limits.coverBytes)
                guard !result.isTooLarge else { throw PDFFault.limit("The image is too large.") }
                bytes = result.bytes
            }
            return try checked(Data(bytes))
        } catch {
            throw PublicationError(
                .damaged, "Cannot read the cover: \(error.message)", subject: "object \(reference.number)"
            )
        }
    }

    private func checked(_ data: Data) throws(PDFFault) -> Data {
        guard data.starts(with: [0xFF, 0xD8, 0xFF]) else { throw .malformed("The image is not a JPEG.") }
        return data
    }

    /// The name of the only object that the page paints, if it fills the page and is upright.
    private static func onlyImage(on page: PDFFirstPage, of file: PDFFile) throws(PDFFault) -> String? {
        var content: [UInt8] = []
        for part in page.contents.prefix(8) {
            guard case .stream(let stream) = try file.resolve(part) else { continue }
            content += try file.data(of: stream, limit: 64 << 10)
            content.append(0x0A)
        }
        let painting = PDFPainting(content)
        guard !painting.isUnclear, !painting.showsText, painting.painted.count == 1,
            let only = painting.painted.first, only.matrix.allSatisfy(\.isFinite)
        else { return nil }
        let (width, height) = (only.matrix[0], only.matrix[3])
        guard width > 0, height > 0, abs(only.matrix[1]) < width / 100, abs(only.matrix[2]) < height / 100,
            width * height >= page.area * 0.85
        else { return nil }
        return only.name
    }

    /// Whether JPEG viewers show the image in its correct colors: it is not CMYK and not inverted.
    private static func hasCommonColours(_ image: PDFStream, of file: PDFFile) throws(PDFFault) -> Bool {
        guard image.dictionary["Decode"] == nil else { return false }
        let space = try file.resolve(image.dictionary["ColorSpace"])
        var name = space.name
        if name == nil { name = try file.resolve(space.array?.first).name }
        switch name {
        case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB", "G", "RGB": return true
        case "ICCBased":
            guard let array = space.array, array.count > 1 else { return false }
            let count = try file.resolve(file.resolve(array[1]).dictionary?["N"]).integer
            return count == 1 || count == 3
        default: return false
        }
    }
}
