// The 18 formats of the proposal.
extension Format {
    /// An audiobook packaged in ZIP.
    public static let audiobook = Format(
        mediaType: .audiobook, name: "Audiobook", fileExtension: "audiobook")
    /// The manifest of an audiobook.
    public static let audiobookManifest = Format(
        mediaType: .audiobookManifest, name: "Audiobook", fileExtension: "json")
    /// An archive of images in ZIP.
    public static let cbz = Format(
        mediaType: .cbz, name: "Comic Book Archive", fileExtension: "cbz")
    /// A visual narrative packaged in ZIP.
    public static let diViNa = Format(
        mediaType: .diViNa, name: "Digital Visual Narratives", fileExtension: "divina")
    /// The manifest of a visual narrative.
    public static let diViNaManifest = Format(
        mediaType: .diViNaManifest, name: "Digital Visual Narratives", fileExtension: "json")
    /// EPUB of any version and layout.
    public static let epub = Format(
        mediaType: .epub, name: "EPUB", fileExtension: "epub")
    /// HTML and XHTML.
    public static let html = Format(
        mediaType: .html, name: "HTML", fileExtension: "html")
    /// An Atom feed.
    public static let opds1Feed = Format(
        mediaType: .opds1, name: "OPDS", fileExtension: "atom")
    /// An Atom entry.
    public static let opds1Entry = Format(
        mediaType: .opds1Entry, name: "OPDS", fileExtension: "atom")
    /// An OPDS 2 feed.
    public static let opds2Feed = Format(
        mediaType: .opds2, name: "OPDS", fileExtension: "json")
    /// An OPDS 2 publication.
    public static let opds2Publication = Format(
        mediaType: .opds2Publication, name: "OPDS", fileExtension: "json")
    /// An audiobook protected with LCP.
    public static let lcpProtectedAudiobook = Format(
        mediaType: .lcpProtectedAudiobook, name: "LCP Protected Audiobook", fileExtension: "lcpa")
    /// A PDF protected with LCP.
    public static let lcpProtectedPdf = Format(
        mediaType: .lcpProtectedPdf, name: "LCP Protected PDF", fileExtension: "lcpdf")
    /// An LCP license document.
    public static let lcpLicense = Format(
        mediaType: .lcpLicenseDocument, name: "LCP License", fileExtension: "lcpl")
    /// PDF.
    public static let pdf = Format(
        mediaType: .pdf, name: "PDF", fileExtension: "pdf")
    /// A web publication packaged in ZIP.
    public static let webPub = Format(
        mediaType: .webPub, name: "Web Publication", fileExtension: "webpub")
    /// The manifest of a web publication.
    public static let webPubManifest = Format(
        mediaType: .webPubManifest, name: "Web Publication", fileExtension: "json")
    /// An archive of audio files in ZIP.
    public static let zab = Format(
        mediaType: .zab, name: "Zipped Audio Book", fileExtension: "zab")
}

// Formats of later specifications, which only `extendedSniffers` recognize.
extension Format {
    /// The format of `MediaType.acsm`.
    public static let acsm = Format(
        mediaType: .acsm, name: "Adobe Content Server Message", fileExtension: "acsm")
    /// The format of `MediaType.avif`.
    public static let avif = Format(mediaType: .avif, name: "AVIF", fileExtension: "avif")
    /// The format of `MediaType.bmp`.
    public static let bmp = Format(mediaType: .bmp, name: "BMP", fileExtension: "bmp")
    /// The format of `MediaType.gif`.
    public static let gif = Format(mediaType: .gif, name: "GIF", fileExtension: "gif")
    /// The format of `MediaType.jpeg`.
    public static let jpeg = Format(mediaType: .jpeg, name: "JPEG", fileExtension: "jpg")
    /// The format of `MediaType.jxl`.
    public static let jxl = Format(mediaType: .jxl, name: "JPEG XL", fileExtension: "jxl")
    /// The format of `MediaType.png`.
    public static let png = Format(mediaType: .png, name: "PNG", fileExtension: "png")
    /// The format of `MediaType.tiff`.
    public static let tiff = Format(mediaType: .tiff, name: "TIFF", fileExtension: "tiff")
    /// The format of `MediaType.webp`.
    public static let webp = Format(mediaType: .webp, name: "WebP", fileExtension: "webp")
    /// The format of `MediaType.lpf`.
    public static let lpf = Format(
        mediaType: .lpf, name: "Lightweight Packaging Format", fileExtension: "lpf")
    /// The format of `MediaType.w3cWpubManifest`.
    public static let w3cWpubManifest = Format(
        mediaType: .w3cWpubManifest, name: "Web Publication", fileExtension: "json")
    /// The format of `MediaType.opdsAuthentication`.
    public static let opdsAuthentication = Format(
        mediaType: .opdsAuthentication, name: "OPDS Authentication Document", fileExtension: "json")
    /// The format of `MediaType.cbr`.
    public static let cbr = Format(mediaType: .cbr, name: "Comic Book Archive (RAR)", fileExtension: "cbr")
    /// The format of `MediaType.rar`.
    public static let rar = Format(mediaType: .rar, name: "RAR", fileExtension: "rar")
    /// The format of `MediaType.aac`.
    public static let aac = Format(mediaType: .aac, name: "AAC", fileExtension: "aac")
    /// The format of `MediaType.aiff`.
    public static let aiff = Format(mediaType: .aiff, name: "AIFF", fileExtension: "aiff")
    /// The format of `MediaType.flac`.
    public static let flac = Format(mediaType: .flac, name: "FLAC", fileExtension: "flac")
    /// The format of `MediaType.mp3`.
    public static let mp3 = Format(mediaType: .mp3, name: "MP3", fileExtension: "mp3")
    /// The format of `MediaType.mp4`.
    public static let mp4 = Format(mediaType: .mp4, name: "MPEG-4 Audio", fileExtension: "m4a")
    /// The format of `MediaType.ogg`.
    public static let ogg = Format(mediaType: .ogg, name: "Ogg", fileExtension: "oga")
    /// The format of `MediaType.opus`.
    public static let opus = Format(mediaType: .opus, name: "Opus", fileExtension: "opus")
    /// The format of `MediaType.wav`.
    public static let wav = Format(mediaType: .wav, name: "WAV", fileExtension: "wav")
    /// The format of `MediaType.webmAudio`.
    public static let webmAudio = Format(mediaType: .webmAudio, name: "WebM Audio", fileExtension: "webm")
    /// The format of `MediaType.xhtml`.
    public static let xhtml = Format(mediaType: .xhtml, name: "XHTML", fileExtension: "xhtml")
    /// The format of `MediaType.css`.
    public static let css = Format(mediaType: .css, name: "CSS", fileExtension: "css")
    /// The format of `MediaType.javaScript`.
    public static let javaScript = Format(mediaType: .javaScript, name: "JavaScript", fileExtension: "js")
    /// The format of `MediaType.problemDetails`.
    public static let problemDetails = Format(
        mediaType: .problemDetails, name: "JSON Problem Details", fileExtension: "json")
    /// The format of `MediaType.json`.
    public static let json = Format(mediaType: .json, name: "JSON", fileExtension: "json")
    /// The format of `MediaType.xml`.
    public static let xml = Format(mediaType: .xml, name: "XML", fileExtension: "xml")
    /// The format of `MediaType.zip`.
    public static let zip = Format(mediaType: .zip, name: "ZIP", fileExtension: "zip")
}
