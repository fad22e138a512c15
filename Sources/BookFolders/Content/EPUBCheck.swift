import OverlayKit

/// Whether an EPUB that is to be sent can be opened at all: the same answer for every app.
///
/// A file that ends too early, such as a download that was cut off, lacks the directory of its archive. An app may take it in
/// and show nothing of it.
public struct EPUBCheck {
    private let host: HostServices

    /// A check with the services of the running method.
    public init(_ host: HostServices) { self.host = host }

    /// Refuses an EPUB that cannot be opened. A file that is not an archive, or not an EPUB by its name, passes.
    ///
    /// - Throws: `damaged`, and what ends the call.
    public func requireWhole(_ item: UploadItem) throws(OverlayError) {
        guard item.name.lowercased().hasSuffix(".epub") else { return }
        do throws(OverlayError) {
            _ = try entries(item.file)
        } catch {
            // A host of an older version opens no files; another format than its name says is the app's to judge.
            guard ![.notSupported, .unsupportedFormat].contains(error.status) else { return }
            throw error
        }
    }

    /// The entries of the archive that an EPUB is.
    ///
    /// - Throws: `damaged` when the archive cannot be opened, `unsupportedFormat` when the file is none.
    public func entries(_ file: HostFile) throws(OverlayError) -> [ResourceInfo] {
        do throws(OverlayError) {
            return try host.fetch.links(.file(file))
        } catch {
            guard error.status == .damaged else { throw error }
            host.log.info("books", "Cannot open an EPUB: \(error.message)")
            throw OverlayError(
                .damaged, "Cannot open the EPUB: it is damaged or truncated.",
                hint: "Get a new copy of the book.")
        }
    }
}
