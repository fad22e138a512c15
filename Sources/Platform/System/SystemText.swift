import Glibc

/// The system's sentence for an errno, such as `No such file or directory`. Any thread.
package func systemText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The same in lower case, as it stands inside our sentences.
package func systemMessage(_ code: Int32) -> String {
    let text = systemText(code)
    return text.prefix(1).lowercased() + text.dropFirst()
}

/// Writes all of the bytes where the descriptor stands; 0, or the errno of the failure.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        rest = rest.dropFirst(count)
    }
    return 0
}

/// Writes all of the bytes where the descriptor stands; 0, or the errno of the failure.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}
