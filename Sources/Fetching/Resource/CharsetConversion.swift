import FoundationEssentials
import Glibc

/// A conversion of a named character set to UTF-8 by iconv(3). For one thread and one text.
struct CharsetConversion: ~Copyable {
    private let descriptor: iconv_t

    /// A conversion from a character set by its registered name; nil if the C library does not know it.
    init?(from charset: String) {
        // glibc takes options behind a solidus, which no character set has in its name.
        let isPlain = charset.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: ",")
        }
        guard isPlain, !charset.isEmpty, charset.utf8.count <= 64, let opened = iconv_open("UTF-8", charset),
            opened != iconv_t(bitPattern: -1)
        else { return nil }
        descriptor = opened
    }

    deinit { _ = iconv_close(descriptor) }

    /// The text, nil if a byte is not valid or the last character is incomplete.
    func text(_ data: Data) -> String? {
        var output: [UInt8] = []
        var chunk = [CChar](repeating: 0, count: 16 << 10)
        var input = [CChar](unsafeUninitializedCapacity: data.count) { buffer, count in
            count = data.copyBytes(to: buffer)
        }
        let isComplete = input.withUnsafeMutableBufferPointer { input in
            var next = input.baseAddress
            var left = input.count
            while left > 0 {
                let status = convert(&next, &left, through: &chunk, into: &output)
                if status == -1, errno != E2BIG { return false }
            }
            // What a stateful encoding still holds back.
            next = nil
            return convert(&next, &left, through: &chunk, into: &output) != -1
        }
        return isComplete ? String(validating: output, as: UTF8.self) : nil
    }

    private func convert(
        _ next: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, through chunk: inout [CChar],
        into output: inout [UInt8]
    ) -> Int {
        chunk.withUnsafeMutableBufferPointer { chunk in
            var target = chunk.baseAddress
            var room = chunk.count
            let status = iconv(descriptor, &next, &left, &target, &room)
            output += UnsafeRawBufferPointer(chunk)[..<(chunk.count - room)]
            return Int(truncatingIfNeeded: status)
        }
    }
}
