import CZlib
import Foundation

/// A ZIP archive made in memory, as tests need them.
struct TestArchive {
    private var body = Data()
    private var directory = Data()
    private var count = 0
    /// Whether checksum and lengths stand behind the data, as in archives that were written to a pipe.
    private var hasDescriptors = false

    init() {}

    init(_ entries: KeyValuePairs<String, String>, hasDescriptors: Bool = false) {
        self.hasDescriptors = hasDescriptors
        for (path, text) in entries { add(path, Data(text.utf8)) }
    }

    /// Adds an entry; `isEncrypted` sets the flag alone.
    mutating func add(
        _ path: String, _ content: Data, deflated: Bool = true, isEncrypted: Bool = false,
        hasWrongChecksum: Bool = false
    ) {
        let stored = deflated ? TestArchive.deflate(content) : content
        var checksum = UInt32(
            content.withUnsafeBytes {
                crc32(0, $0.bindMemory(to: UInt8.self).baseAddress, UInt32($0.count))
            })
        if hasWrongChecksum { checksum = ~checksum }
        let name = Array(path.utf8)
        let flags: UInt16 = (isEncrypted ? 1 : 0) | 1 << 11 | (hasDescriptors ? 8 : 0)
        var common = Data()
        common.append(20, 2)
        common.append(UInt32(flags), 2)
        common.append(deflated ? 8 : 0, 2)
        common.append(0, 4)
        common.append(checksum, 4)
        common.append(UInt32(stored.count), 4)
        common.append(UInt32(content.count), 4)
        common.append(UInt32(name.count), 2)
        common.append(0, 2)
        directory.append(0x0201_4B50, 4)
        directory.append(20, 2)
        directory += common
        directory.append(0, 2)
        directory.append(0, 2)
        directory.append(0, 2)
        directory.append(0, 4)
        directory.append(UInt32(body.count), 4)
        directory += name
        body.append(0x0403_4B50, 4)
        if hasDescriptors {
            // At this point only the bytes before the checksum, and the length of the name, are known.
            body += common.prefix(10) + Data(repeating: 0, count: 12) + common.suffix(4)
        } else {
            body += common
        }
        body += name
        body += stored
        if hasDescriptors {
            body.append(0x0807_4B50, 4)
            body.append(checksum, 4)
            body.append(UInt32(stored.count), 4)
            body.append(UInt32(content.count), 4)
        }
        count += 1
    }

    mutating func add(_ path: String, _ text: String) { add(path, Data(text.utf8)) }

    /// The whole archive.
    var data: Data {
        var data = body + directory
        data.append(0x0605_4B50, 4)
        data.append(0, 4)
        data.append(UInt32(count), 2)
        data.append(UInt32(count), 2)
        data.append(UInt32(directory.count), 4)
        data.append(UInt32(body.count), 4)
        data.append(0, 2)
        return data
    }

    private static func deflate(_ content: Data) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        var input = Array(content)
        var output = [UInt8](repeating: 0, count: content.count + content.count / 100 + 64)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                CZlib.deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        deflateEnd(&stream)
        return Data(output.prefix(written))
    }
}

extension Data {
    fileprivate mutating func append(_ number: UInt32, _ width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
