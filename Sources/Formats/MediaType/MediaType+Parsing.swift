extension MediaType {
    /// Parses a media type; nil if the type or subtype is missing or contains a byte that is invalid in a token.
    static func parse(_ text: String) -> MediaType? {
        // Nearly all texts are normalized already. They become the value without a copy.
        if let solidus = solidusOfNormalisedEssence(text) {
            return MediaType(essence: text, solidus: solidus, sortedParameters: [])
        }
        var text = text
        return text.withUTF8 { bytes in
            var scanner = MediaTypeScanner(bytes)
            return scanner.mediaType()
        }
    }

    /// The position of the slash if the text consists only of a lower-case `type/subtype`.
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

/// Parses the bytes of one media type.
private struct MediaTypeScanner {
    private var text: HeaderScanner

    init(_ bytes: UnsafeBufferPointer<UInt8>) { text = HeaderScanner(bytes) }

    mutating func mediaType() -> MediaType? {
        let piece = text.untilSeparator(nil)
        guard let solidus = piece.firstIndex(of: UInt8(ascii: "/")), isToken(piece[..<solidus]),
            isToken(piece[(solidus + 1)...])
        else { return nil }
        var parameters: [MediaType.Parameter] = []
        while let (name, value) = text.nextParameter() {
            parameters.append(
                MediaType.Parameter(
                    name: name, value: name == "charset" ? MediaType.canonicalCharset(value) : value))
        }
        return MediaType(
            essence: HTTPToken.loweredText(piece), solidus: solidus - piece.startIndex,
            sortedParameters: sorted(parameters))
    }

    /// The parameters sorted by name. If a name is repeated, the first one counts.
    private func sorted(_ parameters: [MediaType.Parameter]) -> [MediaType.Parameter] {
        guard parameters.count > 1 else { return parameters }
        if parameters.count == 2, parameters[0].name != parameters[1].name {
            return parameters[0].name < parameters[1].name ? parameters : parameters.reversed()
        }
        let order = parameters.indices.sorted { (parameters[$0].name, $0) < (parameters[$1].name, $1) }
        var result: [MediaType.Parameter] = []
        result.reserveCapacity(parameters.count)
        for place in order where result.last?.name != parameters[place].name {
            result.append(parameters[place])
        }
        return result
    }

    private func isToken(_ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(HTTPToken.contains)
    }
}
