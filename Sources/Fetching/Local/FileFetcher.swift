import Archives

/// Serves files and folders of the host under HREFs.
///
/// Nothing outside the mapped paths can be reached: not by `..`, not by links, and not by a sibling whose name has
/// the same beginning.
///
/// ```swift
/// let folder = FileFetcher(paths: ["/": "/home/reader/book", "/cover.jpg": "/home/reader/cover.jpg"])
/// print(folder.links.map(\.href))
/// ```
public final class FileFetcher: Fetcher {
    private let mappings: [FileMapping]
    private let life = FetcherLifetime()
    private let listing = FileListing()

    /// Serves each path under its HREF. A folder includes everything below it.
    ///
    /// - Parameter paths: paths by HREF. A `/` is added to HREFs that do not start with one.
    public init(paths: [String: String]) {
        mappings = paths.compactMap { FileMapping(href: $0.key, path: $0.value) }
            // The longest mapping comes first, so that a mapping inside another one has precedence.
            .sorted { ($1.segments.count, $0.href) < ($0.segments.count, $1.href) }
    }

    /// Serves one path under one HREF.
    public convenience init(href: String, path: String) { self.init(paths: [href: path]) }

    /// The regular files below the mapped paths, including hidden ones, sorted by HREF. May take long for large
    /// folders.
    ///
    /// Links are listed if they point to a file inside. Folders behind links are not searched. Files and folders that
    /// cannot be read are left out.
    public var links: [Link] {
        listing.links(life.isClosed ? nil : mappings)
    }

    /// Returns the file that the HREF names. It is not opened yet. An HREF outside all mappings fails with
    /// `notFound`.
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

    /// Closes all open files. Existing resources fail with `unavailable`.
    public func close() { life.close() }
}

/// An HREF and the path that is served under it.
struct FileMapping: Sendable {
    /// The HREF with a leading `/` and without a trailing one; empty for the root.
    let href: String
    /// The segments of the HREF.
    let segments: [Substring]
    /// The path of a file or folder.
    let path: String

    /// Nil if the HREF leaves the root or contains a NUL, so that it cannot match anything.
    init?(href: String, path: String) {
        guard let segments = LocalPath.mappedSegments(href) else { return nil }
        self.segments = segments
        self.href = segments.map { "/" + $0 }.joined()
        self.path = path
    }

    /// The file for some segments, by the first mapping whose segments they begin with.
    static func file(_ segments: [Substring], in mappings: [FileMapping]) -> MappedFile? {
        guard let mapping = mappings.first(where: { segments.starts(with: $0.segments) }) else { return nil }
        return MappedFile(root: mapping.path, segments: Array(segments.dropFirst(mapping.segments.count)))
    }
}
