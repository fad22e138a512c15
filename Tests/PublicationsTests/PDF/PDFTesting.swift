import Archives
import Formats
import Foundation
import Platform
import Publications
import Synchronization
import TestSupport

@testable import Publications

/// A source that counts reads, and is not a local file, so that reading it completely is an error.
final class FarSource: ByteSource {
    private let bytes: [UInt8]
    /// Offset and length of each request.
    private let log = Mutex<[(offset: Int, count: Int)]>([])
    /// The number of the first request that fails.
    private let failsFrom: Int

    init(_ bytes: [UInt8], failsFrom: Int = .max) {
        self.bytes = bytes
        self.failsFrom = failsFrom
    }

    var length: Int64 { Int64(bytes.count) }
    var requests: [(offset: Int, count: Int)] { log.withLock { $0 } }
    var bytesRead: Int { requests.reduce(0) { $0 + $1.count } }

    func read(at offset: Int64, count: Int) throws(ByteSourceError) -> Data {
        let start = min(max(Int(offset), 0), bytes.count)
        let end = min(start + count, bytes.count)
        let number = log.withLock {
            $0.append((start, end - start))
            return $0.count
        }
        guard number < failsFrom else { throw ByteSourceError(.unavailable, "the cable was pulled") }
        return Data(bytes[start..<end])
    }

    func close() {}
}

/// The metadata of a PDF file in memory, which counts as local.
func readPDF(_ bytes: [UInt8], name: String? = nil) throws -> PublicationInfo {
    try PDFReader.read(
        PublicationInput(source: DataByteSource(Data(bytes)), name: name, format: .pdf))
}

/// The metadata of a PDF file on a device.
func readFarPDF(_ source: FarSource) throws -> PublicationInfo {
    try PDFReader.read(PublicationInput(source: source, format: .pdf))
}

/// The metadata of a simple file with this document information.
func metadata(info: String) throws -> PublicationMetadata {
    try readPDF(PDFBuilder.finished(info: info)).metadata
}

/// The warnings of `qpdf`.
struct QPDFFailure: Error {
    var message: String
}

/// Changes a PDF file with the program `qpdf`, which must be installed.
func qpdf(_ arguments: [String], _ bytes: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: folder.url.appendingPathComponent("in.pdf"))
    let result = try runProgram("qpdf", arguments + [folder.path("in.pdf"), folder.path("out.pdf")])
    // Status 3 means warnings.
    guard result.status == 0 || result.status == 3 else { throw QPDFFailure(message: result.errors) }
    return [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("out.pdf")))
}

/// The bytes as a hexadecimal string of a PDF file.
func hex(_ bytes: [UInt8]) -> String {
    "<" + Hex.text(bytes) + ">"
}

/// UTF-16 with a byte-order mark, as a hexadecimal string of a PDF file.
func utf16Hex(_ text: String, littleEndian: Bool = false) -> String {
    hex(
        ([0xFEFF] + Array(text.utf16)).flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return littleEndian ? pair.reversed() : pair
        })
}
