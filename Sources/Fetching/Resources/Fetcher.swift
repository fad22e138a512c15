/// Provides the resources of a publication (Readium's composite fetcher proposal).
///
/// Fetchers form a tree: leaves access bytes, and inner fetchers delegate. All members may be called from any thread
/// at any time.
///
/// ```swift
/// let book: any Fetcher = ArchiveFetcher(path: "/books/emma.epub")
/// defer { book.close() }
/// for link in book.links { print(link.href, link.type ?? "") }
/// print(try book.get(href: "/META-INF/container.xml").readAsString().get())
/// ```
public protocol Fetcher: Sendable {
    /// The known resources, in the order of the medium or else sorted by HREF. The list need not be complete. May
    /// block.
    ///
    /// After `close()`, the last known list.
    var links: [Link] { get }

    /// Returns the resource of a link. Does no work and never fails: errors are reported when the resource is used.
    ///
    /// After `close()`, the resource fails with `unavailable`.
    ///
    /// `parameters`: decoded values for a templated HREF, or additional query parameters for HTTP.
    func get(_ link: Link, parameters: [String: String]) -> any Resource

    /// Closes handles and removes temporary files. Existing resources fail with `unavailable` when they need them. A
    /// second call does nothing.
    func close()
}

extension Fetcher {
    /// Returns the resource of a link without parameters.
    public func get(_ link: Link) -> any Resource { get(link, parameters: [:]) }

    /// Returns the resource of an HREF.
    public func get(href: String) -> any Resource { get(Link(href: href), parameters: [:]) }
}
