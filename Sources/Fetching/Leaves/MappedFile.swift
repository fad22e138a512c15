import Archives

/// A place that an HREF may mean: a mapped path, or something below it.
struct MappedFile: Sendable {
    /// The path that was mapped.
    let root: String
    /// The segments below it, none for the mapped path itself.
    let segments: [Substring]

    /// Opens the file: by the same bytes first, then by a canonically equal name (fetcher reference 7.3).
    func open() throws(ByteSourceError) -> FileByteSource {
        guard !segments.isEmpty else { return try FileByteSource(path: root) }
        let folder = try ContainedFolder(path: root)
        let relative = segments.joined(separator: "/")
        do throws(ByteSourceError) {
            return try FileByteSource(owning: try folder.open(relative), path: root + "/" + relative)
        } catch {
            guard error.code == .notFound, let equal = folder.canonicalPath(segments),
                !equal.utf8.elementsEqual(relative.utf8)
            else { throw error }
            return try FileByteSource(owning: try folder.open(equal), path: root + "/" + equal)
        }
    }
}
