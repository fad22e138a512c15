// Constants that later texts added, and the type of the proposal's own ZAB format, for which it has no constant.
extension MediaType {
    /// `image/avif`
    public static let avif = MediaType(known: "image/avif")
    /// `application/vnd.comicbook-rar`
    public static let cbr = MediaType(known: "application/vnd.comicbook-rar")
    /// `audio/flac`
    public static let flac = MediaType(known: "audio/flac")
    /// `image/jxl`
    public static let jxl = MediaType(known: "image/jxl")
    /// `application/lpf+zip`
    public static let lpf = MediaType(known: "application/lpf+zip")
    /// `audio/mp4`
    public static let mp4 = MediaType(known: "audio/mp4")
    /// `application/x-dtbncx+xml`
    public static let ncx = MediaType(known: "application/x-dtbncx+xml")
    /// `application/opds-authentication+json`
    public static let opdsAuthentication = MediaType(known: "application/opds-authentication+json")
    /// `application/problem+json`
    public static let problemDetails = MediaType(known: "application/problem+json")
    /// `application/vnd.rar`
    public static let rar = MediaType(known: "application/vnd.rar")
    /// `application/smil+xml`
    public static let smil = MediaType(known: "application/smil+xml")
    /// `application/x.readium.w3c.wpub+json`
    public static let w3cWpubManifest = MediaType(known: "application/x.readium.w3c.wpub+json")
    /// `application/vnd.zab+zip`
    public static let zab = MediaType(known: "application/vnd.zab+zip")

    /// A type written in this module in its normalised form.
    ///
    /// - Parameter parameters: in the order of their names.
    init(known essence: StaticString, _ parameters: KeyValuePairs<String, String> = [:]) {
        let text = essence.description
        let solidus = text.utf8.prefix { $0 != UInt8(ascii: "/") }.count
        self.init(
            essence: text, solidus: solidus,
            sortedParameters: parameters.map { Parameter(name: $0.key, value: $0.value) })
    }
}
