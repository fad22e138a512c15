public import FoundationEssentials

extension MediaType {
    /// The encoding that `charset` names; nil without one, and for a name that is not known.
    public var encoding: String.Encoding? {
        guard let charset = parameter("charset") else { return nil }
        return String.Encoding(ianaName: charset)
    }

    /// The registered name of an encoding in upper case; a name that is not known is only made upper case.
    static func canonicalCharset(_ name: String) -> String {
        switch HTTPToken.lowered(name) {
        case "utf8": "UTF-8"
        case "ascii", "us-ascii", "ansi_x3.4-1968": "US-ASCII"
        case "latin1", "iso8859-1", "iso_8859-1": "ISO-8859-1"
        default: String(decoding: name.utf8.map(HTTPToken.raised), as: UTF8.self)
        }
    }
}
