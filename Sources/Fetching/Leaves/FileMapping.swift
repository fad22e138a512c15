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
