import Glibc

/// The end of what a worker has written, however much it was.
struct CapturedOutput {
    /// Bytes that are kept.
    static let kept = 8192

    private var bytes: [UInt8] = []
    /// Bytes that were written in all.
    private(set) var count = 0

    /// Reads what is there; false once nobody can write any more.
    mutating func read(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let size = Glibc.read(descriptor, &buffer, buffer.count)
        if size < 0 { return errno == EINTR || errno == EAGAIN }
        if size == 0 { return false }
        count += size
        bytes += buffer[..<size]
        if bytes.count > Self.kept { bytes.removeFirst(bytes.count - Self.kept) }
        return true
    }

    /// The last lines, without characters that terminals obey; nil if nothing was written.
    func tail(lines: Int = 8) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        let last = text.split(whereSeparator: \.isNewline).suffix(lines).joined(separator: "\n")
        let shown = last.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }
        let result = String(String.UnicodeScalarView(shown))
        return result.isEmpty ? nil : result
    }
}
