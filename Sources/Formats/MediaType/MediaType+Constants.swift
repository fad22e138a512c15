// The constants of the proposal, in its order.
extension MediaType {
    /// `audio/aac`
    public static let aac = MediaType(known: "audio/aac")
    /// `application/vnd.adobe.adept+xml`
    public static let acsm = MediaType(known: "application/vnd.adobe.adept+xml")
    /// `audio/aiff`
    public static let aiff = MediaType(known: "audio/aiff")
    /// `application/audiobook+zip`
    public static let audiobook = MediaType(known: "application/audiobook+zip")
    /// `application/audiobook+json`
    public static let audiobookManifest = MediaType(known: "application/audiobook+json")
    /// `video/x-msvideo`
    public static let avi = MediaType(known: "video/x-msvideo")
    /// `application/octet-stream`
    public static let binary = MediaType(known: "application/octet-stream")
    /// `image/bmp`
    public static let bmp = MediaType(known: "image/bmp")
    /// `application/vnd.comicbook+zip`
    public static let cbz = MediaType(known: "application/vnd.comicbook+zip")
    /// `text/css`
    public static let css = MediaType(known: "text/css")
    /// `application/divina+zip`
    public static let diViNa = MediaType(known: "application/divina+zip")
    /// `application/divina+json`
    public static let diViNaManifest = MediaType(known: "application/divina+json")
    /// `application/epub+zip`
    public static let epub = MediaType(known: "application/epub+zip")
    /// `image/gif`
    public static let gif = MediaType(known: "image/gif")
    /// `application/gzip`
    public static let gz = MediaType(known: "application/gzip")
    /// `text/javascript`
    public static let javaScript = MediaType(known: "text/javascript")
    /// `image/jpeg`
    public static let jpeg = MediaType(known: "image/jpeg")
    /// `text/html`
    public static let html = MediaType(known: "text/html")
    /// `application/atom+xml;profile=opds-catalog`
    public static let opds1 = MediaType(known: "application/atom+xml", ["profile": "opds-catalog"])
    /// `application/atom+xml;profile=opds-catalog;type=entry`
    public static let opds1Entry = MediaType(
        known: "application/atom+xml", ["profile": "opds-catalog", "type": "entry"])
    /// `application/opds+json`
    public static let opds2 = MediaType(known: "application/opds+json")
    /// `application/opds-publication+json`
    public static let opds2Publication = MediaType(known: "application/opds-publication+json")
    /// `application/json`
    public static let json = MediaType(known: "application/json")
    /// `application/audiobook+lcp`
    public static let lcpProtectedAudiobook = MediaType(known: "application/audiobook+lcp")
    /// `application/pdf+lcp`
    public static let lcpProtectedPdf = MediaType(known: "application/pdf+lcp")
    /// `application/vnd.readium.lcp.license.v1.0+json`
    public static let lcpLicenseDocument = MediaType(known: "application/vnd.readium.lcp.license.v1.0+json")
    /// `application/vnd.readium.license.status.v1.0+json`
    public static let lcpStatusDocument = MediaType(known: "application/vnd.readium.license.status.v1.0+json")
    /// `audio/mpeg`
    public static let mp3 = MediaType(known: "audio/mpeg")
    /// `video/mpeg`
    public static let mpeg = MediaType(known: "video/mpeg")
    /// `audio/ogg`
    public static let ogg = MediaType(known: "audio/ogg")
    /// `video/ogg`
    public static let ogv = MediaType(known: "video/ogg")
    /// `audio/opus`
    public static let opus = MediaType(known: "audio/opus")
    /// `font/otf`
    public static let otf = MediaType(known: "font/otf")
    /// `application/pdf`
    public static let pdf = MediaType(known: "application/pdf")
    /// `image/png`
    public static let png = MediaType(known: "image/png")
    /// `image/svg+xml`
    public static let svg = MediaType(known: "image/svg+xml")
    /// `text/plain`
    public static let text = MediaType(known: "text/plain")
    /// `image/tiff`
    public static let tiff = MediaType(known: "image/tiff")
    /// `font/ttf`
    public static let ttf = MediaType(known: "font/ttf")
    /// `audio/wav`
    public static let wav = MediaType(known: "audio/wav")
    /// `audio/webm`
    public static let webmAudio = MediaType(known: "audio/webm")
    /// `video/webm`
    public static let webmVideo = MediaType(known: "video/webm")
    /// `image/webp`
    public static let webp = MediaType(known: "image/webp")
    /// `application/webpub+zip`
    public static let webPub = MediaType(known: "application/webpub+zip")
    /// `application/webpub+json`
    public static let webPubManifest = MediaType(known: "application/webpub+json")
    /// `font/woff`
    public static let woff = MediaType(known: "font/woff")
    /// `font/woff2`
    public static let woff2 = MediaType(known: "font/woff2")
    /// `application/xhtml+xml`
    public static let xhtml = MediaType(known: "application/xhtml+xml")
    /// `application/xml`
    public static let xml = MediaType(known: "application/xml")
    /// `application/zip`
    public static let zip = MediaType(known: "application/zip")
}

// Constants that later specifications added, and the type of the proposal's ZAB format, for which it has no constant.
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

    /// Creates a type from a literal in normalized form.
    ///
    /// - Parameter parameters: the parameters, sorted by name.
    init(known essence: StaticString, _ parameters: KeyValuePairs<String, String> = [:]) {
        let text = essence.description
        let solidus = text.utf8.prefix { $0 != UInt8(ascii: "/") }.count
        self.init(
            essence: text, solidus: solidus,
            sortedParameters: parameters.map { Parameter(name: $0.key, value: $0.value) })
    }
}
