import FoundationEssentials
import Platform

/// Converts bytes to text by the rules of the proposal.
package enum TextDecoding {
    /// Decodes bytes by their byte order mark, or else by the given encoding, or else by the charset, or else as
    /// UTF-8.
    ///
    /// An unknown charset counts as UTF-8. Invalid bytes cause the error `other`; they are never replaced or dropped.
    package static func text(
        _ data: Data, encoding: String.Encoding?, charset: String?
    ) -> Result<String, ResourceError> {
        let encoding = encoding ?? charset.flatMap { String.Encoding(ianaName: $0) }
        if let (marked, length) = markedEncoding(data, isUTF32: encoding.map(isUTF32) ?? false) {
            return decoded(data.dropFirst(length), as: marked)
        }
        if let encoding { return decoded(data, as: encoding) }
        if let charset, let converter = TextConverter(charset: charset) {
            return result(converter.text(data), charset: charset)
        }
        return decoded(data, as: .utf8)
    }

    /// The encoding that a byte order mark indicates, and the length of the mark in bytes.
    private static func markedEncoding(_ data: Data, isUTF32: Bool) -> (String.Encoding, Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        // The mark of UTF-32 begins like that of UTF-16, which is far more common.
        if isUTF32, data.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LittleEndian, 4) }
        if isUTF32, data.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    private static func isUTF32(_ encoding: String.Encoding) -> Bool {
        [.utf32, .utf32LittleEndian, .utf32BigEndian].contains(encoding)
    }

    private static func decoded(_ data: Data, as encoding: String.Encoding) -> Result<String, ResourceError> {
        let name = encoding.ianaName
        if encoding == .utf8 { return result(String(validating: data, as: UTF8.self), charset: "UTF-8") }
        // The C library supports more encodings than FoundationEssentials, and rejects invalid bytes.
        if let name, let converter = TextConverter(charset: name) {
            return result(converter.text(data), charset: name)
        }
        return result(String(data: data, encoding: encoding), charset: name ?? "text")
    }

    private static func result(_ text: String?, charset: String) -> Result<String, ResourceError> {
        guard let text else {
            return .failure(.other(RequestProblem(.encoding, "The bytes are not valid \(charset).")))
        }
        return .success(text)
    }
}

extension TextConverter {
    /// Creates a converter from a character set with its registered name to UTF-8; nil if the C library does not know
    /// it.
    fileprivate init?(charset: String) {
        // glibc accepts options after a slash, which does not occur in the name of a character set.
        let isPlain = charset.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: ",")
        }
        guard isPlain, !charset.isEmpty, charset.utf8.count <= 64 else { return nil }
        self.init(from: charset, to: "UTF-8")
    }

    /// The converted text; nil if a byte is invalid or the last character is incomplete.
    fileprivate func text(_ data: Data) -> String? {
        convert(data.bytes, .valid).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
