// The 18 formats of the proposal.
extension Format {
    /// An audiobook packaged in ZIP.
    public static let audiobook = Format(
        mediaType: .audiobook, name: "Audiobook", fileExtension: "audiobook")
    /// The manifest of an audiobook.
    public static let audiobookManifest = Format(
        mediaType: .audiobookManifest, name: "Audiobook", fileExtension: "json")
    /// Images in a ZIP.
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
    /// A licence of LCP.
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
    /// Audio files in a ZIP.
    public static let zab = Format(
        mediaType: .zab, name: "Zipped Audio Book", fileExtension: "zab")
}
