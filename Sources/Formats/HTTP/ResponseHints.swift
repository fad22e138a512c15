/// The hints that an HTTP response gives, in the order of the proposal (format reference, section 9).
///
/// Pure: made of texts, so that any HTTP client can use it.
public struct ResponseHints: Sendable, Equatable {
    /// Extensions: of the suggested file name, of the addresses, and further ones.
    public let fileExtensions: [String]
    /// Media types: `Content-Type`, and further ones.
    public let mediaTypes: [String]

    /// Hints of the values of headers and of addresses.
    ///
    /// `addresses`: the addresses of the response, after redirects the last one first.
    public init(
        contentDisposition: String?, contentType: String?, addresses: [String], fileExtensions: [String] = [],
        mediaTypes: [String] = []
    ) {
        var extensions: [String] = []
        if let name = contentDisposition.flatMap(ContentDisposition.fileName),
            let own = FileExtension.ofPath(name)
        {
            extensions.append(own)
        }
        for address in addresses {
            if let own = AddressExtension.of(address), !extensions.contains(own) { extensions.append(own) }
        }
        self.fileExtensions = extensions + fileExtensions
        self.mediaTypes = (contentType.map { [$0] } ?? []) + mediaTypes
    }

    /// Hints of all headers of a response; the case of their names does not matter, the first of a repeated one counts.
    public init(
        headers: [(String, String)], addresses: [String],
        fileExtensions: [String] = [],
        mediaTypes: [String] = []
    ) {
        var disposition: String?
        var type: String?
        for (name, value) in headers {
            switch HTTPToken.lowered(name) {
            case "content-disposition": disposition = disposition ?? value
            case "content-type": type = type ?? value
            default: break
            }
        }
        self.init(
            contentDisposition: disposition, contentType: type, addresses: addresses,
            fileExtensions: fileExtensions,
            mediaTypes: mediaTypes)
    }
}
