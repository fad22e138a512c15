import FoundationEssentials

/// Turns bytes into text by the rules of fetcher reference 4.4.
package enum TextDecoding {
    /// The text of some bytes: by their byte order mark, else the encoding given, else the charset named, else as UTF-8.
    ///
    /// An unknown charset counts as UTF-8. Bytes that are not valid are `other`, never a replacement or an empty text.
    package static func text(
        _ data: Data, encoding: String.Encoding?, charset: String?
    ) -> Result<String, ResourceError> {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            return decode(data.dropFirst(3), as: .utf8)
        }
        let encoding = encoding ?? charset.flatMap { String.Encoding(ianaName: $0) } ?? .utf8
        let isUTF32 = [.utf32, .utf32LittleEndian, .utf32BigEndian].contains(encoding)
        if isUTF32 {
            if data.starts(with: [0xFF, 0xFE, 0, 0]) {
                return decode(data.dropFirst(4), as: .utf32LittleEndian)
            }
            if data.starts(with: [0, 0, 0xFE, 0xFF]) {
                return decode(data.dropFirst(4), as: .utf32BigEndian)
            }
        }
        if data.starts(with: [0xFF, 0xFE]) { return decode(data.dropFirst(2), as: .utf16LittleEndian) }
        if data.starts(with: [0xFE, 0xFF]) { return decode(data.dropFirst(2), as: .utf16BigEndian) }
        return decode(data, as: encoding)
    }

    private static func decode(_ data: Data, as encoding: String.Encoding) -> Result<String, ResourceError> {
        let text =
            encoding == .utf8
            ? String(validating: data, as: UTF8.self) : String(data: data, encoding: encoding)
        guard let text else {
            return .failure(.other(RequestProblem("the text is not valid \(encoding.ianaName ?? "text")")))
        }
        return .success(text)
    }
}
