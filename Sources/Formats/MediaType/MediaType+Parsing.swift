extension MediaType {
    /// Reads a media type; nil if type or subtype is missing or holds a byte that no token has.
    static func parse(_ text: String) -> MediaType? {
        // A text that is normalised already, as nearly all are, becomes the value without a copy.
        if let solidus = solidusOfNormalisedEssence(text) {
            return MediaType(essence: text, solidus: solidus, parameters: [:])
        }
        var text = text
        return text.withUTF8 { bytes in
            var scanner = MediaTypeScanner(bytes)
            return scanner.mediaType()
        }
    }

    /// Where the solidus stands if the text is a lower-case `type/subtype` and nothing else.
    private static func solidusOfNormalisedEssence(_ text: String) -> Int? {
        var solidus: Int?
        var count = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "/") {
                guard solidus == nil else { return nil }
                solidus = count
            } else if !HTTPToken.contains(byte) || HTTPToken.lowered(byte) != byte {
                return nil
            }
            count += 1
        }
        guard let solidus, solidus > 0, solidus < count - 1 else { return nil }
        return solidus
    }
}

/// Reads the bytes of one media type.
private struct MediaTypeScanner {
    private var text: HeaderScanner

    init(_ bytes: UnsafeBufferPointer<UInt8>) { text = HeaderScanner(bytes) }

    mutating func mediaType() -> MediaType? {
        let piece = text.untilSeparator(nil)
        guard let solidus = piece.firstIndex(of: UInt8(ascii: "/")),
            let type = token(piece[..<solidus]), let subtype = token(piece[(solidus + 1)...])
        else { return nil }
        var essence = type
        essence.append(UInt8(ascii: "/"))
        essence.append(contentsOf: subtype)
        var parameters: [String: String] = [:]
        while let (name, value) = text.nextParameter() {
            guard parameters[name] == nil else { continue }
            parameters[name] = name == "charset" ? MediaType.canonicalCharset(value) : value
        }
        return MediaType(
            essence: String(decoding: essence, as: UTF8.self), solidus: type.count, parameters: parameters)
    }

    /// The bytes in lower case, nil if they are not a token.
    private func token(_ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> [UInt8]? {
        guard !bytes.isEmpty, bytes.allSatisfy(HTTPToken.contains) else { return nil }
        return bytes.map(HTTPToken.lowered)
    }
}
