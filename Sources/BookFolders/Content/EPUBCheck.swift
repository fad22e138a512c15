import OverlayKit

/// Checks that an EPUB can be opened before it is sent, in the same way for every app.
///
/// A truncated file, such as an interrupted download, lacks the archive's directory. An app may accept it and then show
/// nothing of it.
public struct EPUBCheck {
    private let host: HostServices

    /// Creates a check that uses the services of the running method.
    public init(_ host: HostServices) { self.host = host }

    /// Refuses an EPUB that cannot be opened. A file that is not an archive, or not named like an EPUB, passes.
    ///
    /// - Throws: `damaged`, and errors that end the call.
    public func requireWhole(_ item: UploadItem) throws(OverlayError) {
        guard item.name.lowercased().hasSuffix(".epub") else { return }
        do throws(OverlayError) {
            _ = try entries(item.file)
        } catch {
            // A host of an older version does not open files. The app decides whether to accept a file whose format
            // differs from its name.
            guard ![.notSupported, .unsupportedFormat].contains(error.status) else { return }
            throw error
        }
    }

    /// The entries of an EPUB archive.
    ///
    /// - Throws: `damaged` if the archive cannot be opened, `unsupportedFormat` if the file is not an archive.
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
