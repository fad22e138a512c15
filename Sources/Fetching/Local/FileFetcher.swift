import Archives

/// Serves files and folders of the host under HREFs.
///
/// Nothing outside the mapped paths can be reached: not by `..`, not by links, not by a sibling with a name that begins alike.
///
/// ```swift
/// let folder = FileFetcher(paths: ["/": "/home/reader/book", "/cover.jpg": "/home/reader/cover.jpg"])
/// print(folder.links.map(\.href))
/// ```
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
                error: .notFound(
                    RequestProblem(.noSuchResource, "No path is mapped to this link.", subject: expanded.href)
                ))
        }
        return FileResource(link: expanded, candidates: files, life: life)
    }

    /// Closes every file that is open. Resources handed out fail with `unavailable`.
    public func close() { life.close() }
}

/// An HREF and the path that is served under it.
struct FileMapping: Sendable {
    /// The HREF with `/` at the start and none at the end; empty for the root.
    let href: String
    /// Its segments.
    let segments: [Substring]
    /// The path of a file or folder.
    let path: String

    /// Nil if the HREF climbs above the root or contains a NUL, so that nothing can match it.
    init?(href: String, path: String) {
        guard let segments = LocalPath.mappedSegments(href) else { return nil }
        self.segments = segments
        self.href = segments.map { "/" + $0 }.joined()
        self.path = path
    }

    /// The place that segments mean by the first mapping that they begin with, at the boundary of a segment.
    static func file(_ segments: [Substring], in mappings: [FileMapping]) -> MappedFile? {
        guard let mapping = mappings.first(where: { segments.starts(with: $0.segments) }) else { return nil }
        return MappedFile(root: mapping.path, segments: Array(segments.dropFirst(mapping.segments.count)))
    }
}
