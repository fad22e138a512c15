import Formats
import FoundationEssentials

extension HTTPResponse {
    /// The format of the content, from the header, the URLs and, if those do not tell, the body (File and Format proposal;
    /// format reference, section 9).
    ///
    /// The status is not looked at: the format of an error page is that of the page.
    ///
    /// - `bytes`: the body, asked for at most once and only if the hints do not tell.
    /// - `requestedURL`: the URL before redirects, whose extension counts after that of the final one.
    /// - `fileExtensions`: extensions that other sources tell.
    /// - `mediaTypes`: media types that other sources tell, such as the type of a link.
    public func guessFormat(
        bytes: @escaping () -> Data, requestedURL: String? = nil, fileExtensions: [String] = [],
        mediaTypes: [String] = [], sniffers: [Format.Sniffer] = Format.defaultSniffers
    ) -> Format? {
        let hints = ResponseHints(
            headers: headers.fields.map { (name: $0.name, value: $0.value) },
            addresses: [url] + (requestedURL.map { [$0] } ?? []), fileExtensions: fileExtensions,
            mediaTypes: mediaTypes)
        return Format.guess(
            bytes: bytes, fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes,
            sniffers: sniffers)
    }
}
