public import Formats
public import Foundation
#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// The format of what the server sent, nil if no sniffer knows it.
    ///
    /// Extensions come from the file name that `Content-Disposition` suggests and from the address; media types from
    /// `Content-Type`. The status does not matter: the page of an error is HTML.
    ///
    /// - Parameter bytes: gives the body; called at most once, and only if the hints do not tell.
    /// - Parameter fileExtensions: further extensions.
    /// - Parameter mediaTypes: further media types, such as that of the link.
    /// - Parameter requestURL: the address that was asked for, if redirects may have led to another.
    public func guessFormat(
        bytes: @escaping () -> Data, fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Format.Sniffer] = Format.defaultSniffers, requestURL: URL? = nil
    ) -> Format? {
        let hints = hints(fileExtensions: fileExtensions, mediaTypes: mediaTypes, requestURL: requestURL)
        return Format.guess(
            bytes: bytes, fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes,
            sniffers: sniffers)
    }

    /// The format that the response's headers and address tell without its body.
    public func guessFormat(
        fileExtensions: [String] = [], mediaTypes: [String] = [],
        sniffers: [Format.Sniffer] = Format.defaultSniffers, requestURL: URL? = nil
    ) -> Format? {
        let hints = hints(fileExtensions: fileExtensions, mediaTypes: mediaTypes, requestURL: requestURL)
        return Format.guess(
            fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes, sniffers: sniffers)
    }

    private func hints(fileExtensions: [String], mediaTypes: [String], requestURL: URL?) -> ResponseHints {
        // The raw headers: `mimeType` drops parameters, and `suggestedFilename` invents names.
        ResponseHints(
            contentDisposition: value(forHTTPHeaderField: "Content-Disposition"),
            contentType: value(forHTTPHeaderField: "Content-Type"),
            addresses: [url, requestURL].compactMap { $0?.absoluteString }, fileExtensions: fileExtensions,
            mediaTypes: mediaTypes)
    }
}
