import Archives
import Formats
import FoundationEssentials

/// The remains of a ZIP archive without a usable directory, usually because a copy was interrupted.
///
/// The files at its beginning still have their local headers (ZIP specification 4.3.7). A directory is built from
/// those, so that the normal reader can read them with all its checks.
struct SalvagedArchive {
    /// The complete files at the beginning, as an archive in memory.
    let bytes: Data
    /// The number of those files.
    let count: Int

    /// The largest number of bytes that are searched. The metadata of a book are usually near its beginning.
    static let mostBytes = 4 << 20
    private static let mostFiles = 4096

    /// Salvages an archive without a usable directory; nil if the archive is intact or no file can be saved.
    init?(damaged source: any ByteSource) {
        do throws(ArchiveError) {
            try ZipArchive.open(source: BorrowedByteSource(source)).close()
            return nil
        } catch {
            guard error.code == .malformed else { return nil }
        }
        do throws(ByteSourceError) {
            self.init(beginning: try source.read(at: 0, count: Self.mostBytes))
        } catch {
            return nil
        }
    }

    /// Nil if not a single file is complete.
    init?(beginning: Data) {
        var directory = Data()
        var end = 0
        var count = 0
        beginning.withUnsafeBytes { bytes in
            while count < SalvagedArchive.mostFiles, let file = SalvagedFile(bytes, at: end) {
                file.appendRecord(to: &directory, bytes)
                end = file.end
                count += 1
            }
        }
        guard count > 0 else { return nil }
        var bytes = Data(beginning.prefix(end))
        bytes += directory
        bytes.append(number: 0x0605_4B50, width: 4)
        bytes.append(number: 0, width: 4)
        bytes.append(number: count, width: 2)
        bytes.append(number: count, width: 2)
        bytes.append(number: directory.count, width: 4)
        bytes.append(number: end, width: 4)
        bytes.append(number: 0, width: 2)
        self.bytes = bytes
        self.count = count
    }
}

/// A complete file that was found by its local header.
private struct SalvagedFile {
    private static let headerSize = 30
    private static let signature = 0x0403_4B50
    private static let descriptorSignature = 0x0807_4B50
    private static let descriptorSize = 16

    private let start: Int
    private let nameLength: Int
    private var checksum: Int
    private var storedLength: Int
    private var length: Int
    /// The offset of the next file.
    let end: Int

    init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard start + SalvagedFile.headerSize <= bytes.count,
            bytes.number(at: start, width: 4) == SalvagedFile.signature
        else { return nil }
        self.start = start
        nameLength = bytes.number(at: start + 26, width: 2)
        checksum = bytes.number(at: start + 14, width: 4)
        storedLength = bytes.number(at: start + 18, width: 4)
        length = bytes.number(at: start + 22, width: 4)
        let data = start + SalvagedFile.headerSize + nameLength + bytes.number(at: start + 28, width: 2)
        let hasDescriptor = bytes.number(at: start + 6, width: 2) & 8 != 0
        if hasDescriptor, storedLength == 0 {
            // The lengths follow the data. A descriptor is genuine if its stored length equals the distance from the
            // data to it.
            guard let place = SalvagedFile.descriptor(bytes, after: data) else { return nil }
            checksum = bytes.number(at: place + 4, width: 4)
            storedLength = place - data
            length = bytes.number(at: place + 12, width: 4)
            end = place + SalvagedFile.descriptorSize
        } else {
            guard storedLength < 0xFFFF_FFFF, data + storedLength <= bytes.count else { return nil }
            let after = data + storedLength
            let isDescribed =
                hasDescriptor && after + SalvagedFile.descriptorSize <= bytes.count
                && bytes.number(at: after, width: 4) == SalvagedFile.descriptorSignature
            end = isDescribed ? after + SalvagedFile.descriptorSize : after
        }
    }

    private static func descriptor(_ bytes: UnsafeRawBufferPointer, after data: Int) -> Int? {
        var place = data
        while place + descriptorSize <= bytes.count {
            if bytes[place] == 0x50, bytes.number(at: place, width: 4) == descriptorSignature,
                bytes.number(at: place + 8, width: 4) == place - data
            {
                return place
            }
            place += 1
        }
        return nil
    }

    /// Appends the record of the file for the directory (ZIP specification 4.3.12).
    func appendRecord(to directory: inout Data, _ bytes: UnsafeRawBufferPointer) {
        directory.append(number: 0x0201_4B50, width: 4)
        directory.append(number: 20, width: 2)
        directory.append(contentsOf: bytes[(start + 4)..<(start + 14)])
        directory.append(number: checksum, width: 4)
        directory.append(number: storedLength, width: 4)
        directory.append(number: length, width: 4)
        directory.append(number: nameLength, width: 2)
        // No extra fields, comment, disk or attributes.
        for _ in 0..<6 { directory.append(number: 0, width: 2) }
        directory.append(number: start, width: 4)
        let name = start + SalvagedFile.headerSize
        directory.append(contentsOf: bytes[name..<min(name + nameLength, bytes.count)])
    }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number of at most four bytes at an offset; all bytes must exist.
    fileprivate func number(at offset: Int, width: Int) -> Int {
        (0..<width).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}

extension Data {
    /// Appends the low bytes of a number in little-endian order.
    fileprivate mutating func append(number: Int, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
