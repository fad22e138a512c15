public import FoundationEssentials

extension MediaType {
    /// The normalized text: `type/subtype`, then `;name=value` for each parameter, sorted by name.
    ///
    /// A value that is not a token is quoted and escaped, so that parsing the text gives an equal value.
    public var string: String {
        guard !sortedParameters.isEmpty else { return essence }
        var text = essence
        for parameter in sortedParameters {
            text += ";\(parameter.name)="
            let isToken = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(HTTPToken.contains)
            text += isToken ? parameter.value : MediaType.quoted(parameter.value)
        }
        return text
    }

    private static func quoted(_ value: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MediaType: LosslessStringConvertible {
    /// The normalized text.
    public var description: String { string }
}

extension MediaType: Codable {
    /// Decodes the text form. A text that is not a media type is a decoding error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = MediaType(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a media type")
        }
        self = value
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}

extension MediaType {
    /// The encoding that `charset` names; nil if there is none or it is unknown.
    public var encoding: String.Encoding? {
        guard let charset = parameter("charset") else { return nil }
        return String.Encoding(ianaName: charset)
    }

    /// The registered name of an encoding in upper case. An unknown name is only converted to upper case.
    static func canonicalCharset(_ name: String) -> String {
        switch HTTPToken.lowered(name) {
        case "utf8": "UTF-8"
        case "ascii", "us-ascii", "ansi_x3.4-1968": "US-ASCII"
        case "latin1", "iso8859-1", "iso_8859-1": "ISO-8859-1"
        default: String(decoding: name.utf8.map(HTTPToken.raised), as: UTF8.self)
        }
    }
}
