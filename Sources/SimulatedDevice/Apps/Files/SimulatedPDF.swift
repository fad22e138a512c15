import FoundationEssentials
import Glibc
import Platform

/// A small but complete PDF file, which can be padded to any size without using disk space.
///
/// As in files of common programs, the first page is at the beginning, and the catalogue and the document information
/// are at the end. Between them is one long stream, which is a hole in the file.
public struct SimulatedPDF: Sendable, Equatable {
    /// The title in the document information; nil leaves it out.
    public var title: String?
    /// The author in the document information; nil leaves it out.
    public var author: String?
    /// The number of pages that the page tree states.
    public var pages: Int
    /// The size of the file in bytes. A size smaller than the content has no effect.
    public var size: Int
    /// A JPEG file that fills the first page, as in scanned books; nil if the first page is text.
    public var scan: [UInt8]?

    /// Creates a document. Without a size, it is as small as possible.
    public init(
        title: String? = nil, author: String? = nil, pages: Int = 1, size: Int = 0, scan: [UInt8]? = nil
    ) {
        self.title = title
        self.author = author
        self.pages = pages
        self.size = size
        self.scan = scan
    }

    /// Writes the file. The padding is a hole.
    public func write(to url: URL) throws {
        let parts = parts()
        try Data(parts.head).write(to: url)
        let file = open(url.path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(file) }
        let place = off_t(parts.head.count + parts.hole)
        guard pwrite(file, parts.tail, parts.tail.count, place) == parts.tail.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOSPC)
        }
    }

    /// The complete file in memory.
    public func bytes() -> [UInt8] {
        let parts = parts()
        return parts.head + [UInt8](repeating: 0, count: parts.hole) + parts.tail
    }

    /// The bytes before the hole, the length of the hole, and the bytes after it.
    private func parts() -> (head: [UInt8], hole: Int, tail: [UInt8]) {
        var head = Array("%PDF-1.4\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
        var offsets: [Int: Int] = [:]
        func put(_ number: Int, _ text: String, to bytes: inout [UInt8], at start: Int = 0) {
            offsets[number] = start + bytes.count
            bytes += Array("\(number) 0 obj\n\(text)\nendobj\n".utf8)
        }
        let painting = scan == nil ? "BT /F 12 Tf (Text) Tj ET" : "595 0 0 842 0 0 cm /I Do"
        let resources = scan == nil ? "/Font << >>" : "/XObject << /I 7 0 R >>"
        put(
            1,
            "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 595 842] /Contents 2 0 R /Resources << \(resources) >> >>",
            to: &head)
        put(2, "<< /Length \(painting.utf8.count) >>\nstream\n\(painting)\nendstream", to: &head)
        if let scan {
            offsets[7] = head.count
            let traits = "/Subtype /Image /Width 180 /Height 270 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
            head += Array(
                "7 0 obj\n<< /Type /XObject \(traits) /Filter /DCTDecode /Length \(scan.count) >>\nstream\n"
                    .utf8)
            head += scan + Array("\nendstream\nendobj\n".utf8)
        }
        let hole = max(0, size - head.count - 1_024)
        offsets[5] = head.count
        head += Array("5 0 obj\n<< /Length \(hole) >>\nstream\n".utf8)
        let start = head.count + hole
        var tail = Array("\nendstream\nendobj\n".utf8)
        put(3, "<< /Type /Pages /Kids [1 0 R] /Count \(pages) >>", to: &tail, at: start)
        put(4, "<< /Type /Catalog /Pages 3 0 R >>", to: &tail, at: start)
        let information = [("Title", title), ("Author", author)].compactMap { key, value in
            value.map { "/\(key) <\(Self.hexadecimal($0))>" }
        }
        put(
            6, "<< \(information.joined(separator: " ")) /Producer (A simulation) >>", to: &tail, at: start)
        let table = start + tail.count
        var text = "xref\n0 8\n0000000000 65535 f \n"
        for number in 1..<8 {
            guard let offset = offsets[number] else {
                text += "0000000000 00000 f \n"
                continue
            }
            text += offset.padded(10) + " 00000 n \n"
        }
        text += "trailer\n<< /Size 8 /Root 4 0 R /Info 6 0 R >>\nstartxref\n\(table)\n%%EOF\n"
        return (head, hole, tail + Array(text.utf8))
    }

    /// The text as UTF-16 with a byte-order mark, which can represent all characters.
    private static func hexadecimal(_ text: String) -> String {
        ([0xFEFF] + Array(text.utf16)).map { Hex.text($0) }.joined()
    }
}
