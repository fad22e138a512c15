/// Delivers the resources of a publication (Readium's composite fetcher proposal).
///
/// Fetchers form a tree: leaves touch bytes, others delegate. Any thread may call any member at any time.
///
/// ```swift
/// let book: any Fetcher = ArchiveFetcher(path: "/books/emma.epub")
/// defer { book.close() }
/// for link in book.links { print(link.href, link.type ?? "") }
/// print(try book.get(href: "/META-INF/container.xml").readAsString().get())
/// ```
public protocol Fetcher: Sendable {
    /// The resources known to be there, in the order of the medium, else sorted by HREF. Not necessarily all. May block.
    ///
    /// After `close()` the last list that was known.
    var links: [Link] { get }

    /// The resource of a link. Does no work and never fails: failures show when the resource is used.
    ///
    /// After `close()` the resource fails with `unavailable`.
    ///
    /// `parameters`: decoded values for a templated HREF, or further query parameters for HTTP.
    func get(_ link: Link, parameters: [String: String]) -> any Resource

    /// Closes handles and removes temporary files. Resources handed out before fail with `unavailable` when they need them. A
    /// second call does nothing.
    func close()
}

extension Fetcher {
    /// The resource of a link without parameters.
    public func get(_ link: Link) -> any Resource { get(link, parameters: [:]) }

    /// The resource of an HREF.
    public func get(href: String) -> any Resource { get(Link(href: href), parameters: [:]) }
}
