import Archives

/// Serves files and folders of the host under HREFs (fetcher reference section 8).
///
/// Nothing outside the mapped paths can be reached: not by `..`, not by links, not by a sibling whose name begins alike.
public final class FileFetcher: Fetcher {
    private let mappings: [FileMapping]
    private let life = FetcherLifetime()
    private let listing = FileListing()

    /// Serves each path under its HREF; with a folder everything below it.
    ///
    /// - Parameter paths: HREF to path. HREFs without `/` at the start are treated as having it.
    public init(paths: [String: String]) {
        mappings = paths.compactMap { FileMapping(href: $0.key, path: $0.value) }
            // The longest first, so that a mapping inside another one wins.
            .sorted { ($1.segments.count, $0.href) < ($0.segments.count, $1.href) }
    }

    /// Serves one path under one HREF.
    public convenience init(href: String, path: String) { self.init(paths: [href: path]) }

    /// The regular files below the mapped paths, hidden ones included, sorted by HREF. May take long for large folders.
    ///
    /// Links are listed if they lead to a file inside; folders behind links are not walked through. What cannot be read is left out.
    public var links: [Link] {
        listing.links(life.isClosed ? nil : mappings)
    }

    /// The file that the HREF names; nothing is opened yet. An HREF below no mapping fails with `notFound`.
    public func get(_ link: Link, parameters: [String: String]) -> any Resource {
        let expanded: Link
        switch link.expandedForNames(with: parameters) {
        case .success(let link): expanded = link
        case .failure(let error): return FailureResource(link: link, error: error)
        }
        guard !life.isClosed else {
            return FailureResource(link: expanded, error: .unavailable(RequestProblem.closed))
        }
        let files = LocalPath.candidates(expanded.href).compactMap { candidate in
            LocalPath.segments(candidate).flatMap { FileMapping.file($0, in: mappings) }
        }
        guard !files.isEmpty else {
            return FailureResource(
                link: expanded,
                error: .notFound(RequestProblem(.noSuchResource, "No path is mapped to this link.", subject: expanded.href)))
        }
        return FileResource(link: expanded, candidates: files, life: life)
    }

    /// Closes every file that is open. Resources handed out fail with `unavailable`.
    public func close() { life.close() }
}
