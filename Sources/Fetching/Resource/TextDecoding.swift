import FoundationEssentials

/// Turns bytes into text by the rules of fetcher reference 4.4.
package enum TextDecoding {
    /// The text of some bytes: by their byte order mark, else the encoding given, else the charset named, else as UTF-8.
    ///
    /// An unknown charset counts as UTF-8. Bytes that are not valid are `other`, never a replacement or an empty text.
    package static func text(
        _ data: Data, encoding: String.Encoding?, charset: String?
    ) -> Result<String, ResourceError> {
        let encoding = encoding ?? charset.flatMap { String.Encoding(ianaName: $0) }
        if let (marked, length) = markedEncoding(data, isUTF32: encoding.map(isUTF32) ?? false) {
            return decoded(data.dropFirst(length), as: marked)
        }
        if let encoding { return decoded(data, as: encoding) }
        if let charset, let conversion = CharsetConversion(from: charset) {
            return result(conversion.text(data), charset: charset)
        }
        return decoded(data, as: .utf8)
    }

    /// The encoding that a byte order mark declares, and the bytes of the mark.
    private static func markedEncoding(_ data: Data, isUTF32: Bool) -> (String.Encoding, Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        // The mark of UTF-32 begins like that of UTF-16, which is by far more common.
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
        // The C library knows more encodings than FoundationEssentials, and refuses what is not valid.
        if let name, let conversion = CharsetConversion(from: name) {
            return result(conversion.text(data), charset: name)
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
