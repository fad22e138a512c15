import Archives
import Formats
import Glibc
import Synchronization

/// Lists the files below mapped paths, and keeps the last list.
final class FileListing: Sendable {
    /// The deepest nesting of folders that is searched.
    private static let deepest = 128
    /// The largest number of files that are listed.
    private static let most = 1_000_000

    private let last = Mutex<[Link]>([])

    /// The links of all files, sorted by the bytes of their HREFs. If `mappings` is nil, the last list.
    func links(_ mappings: [FileMapping]?) -> [Link] {
        guard let mappings else { return last.withLock { $0 } }
        var links: [Link] = []
        for mapping in mappings {
            Self.collect(mapping, among: mappings, into: &links)
        }
        links.sort { $0.href.utf8.lexicographicallyPrecedes($1.href.utf8) }
        last.withLock { $0 = links }
        return links
    }

    private static func collect(
        _ mapping: FileMapping, among mappings: [FileMapping], into links: inout [Link]
    ) {
        var status = stat()
        guard !mapping.path.utf8.contains(0), stat(mapping.path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard !mapping.href.isEmpty else { return }
            links.append(link(mapping.href, path: mapping.path))
        case S_IFDIR:
            do throws(ByteSourceError) {
                let folder = try ContainedFolder(path: mapping.path)
                walk(folder, mapping, among: mappings, into: &links)
            } catch {
                // A folder that cannot be read has no files in the list.
                return
            }
        default: return
        }
    }

    private static func walk(
        _ folder: borrowing ContainedFolder, _ mapping: FileMapping, among mappings: [FileMapping],
        into links: inout [Link]
    ) {
        var waiting: [(path: String, depth: Int)] = [("", 0)]
        while let (parent, depth) = waiting.popLast(), links.count < most {
            for (name, kind) in folder.children(of: parent) {
                let path = parent.isEmpty ? name : parent + "/" + name
                let href = mapping.href + "/" + path
                switch kind {
                case .folder: if depth < deepest { waiting.append((path, depth + 1)) }
                case .other: continue
                case .link where !isFile(path, in: folder): continue
                case .file, .link:
                    // A file that another mapping hides cannot be reached by this HREF.
                    guard isServed(href, by: mapping, among: mappings) else { continue }
                    links.append(link(href, path: mapping.path + "/" + path))
                }
            }
        }
    }

    private static func isFile(_ path: String, in folder: borrowing ContainedFolder) -> Bool {
        do throws(ByteSourceError) {
            try FileByteSource(owning: try folder.open(path), path: path).close()
            return true
        } catch {
            return false
        }
    }

    private static func isServed(_ href: String, by mapping: FileMapping, among mappings: [FileMapping])
        -> Bool
    {
        guard mappings.count > 1, let segments = LocalPath.mappedSegments(href) else { return true }
        return mappings.first { segments.starts(with: $0.segments) }?.href == mapping.href
    }

    private static func link(_ href: String, path: String) -> Link {
        let type = MediaTypeByExtension.type(ofPath: path) ?? Format.guess(path: path)?.mediaType
        return Link(href: href, type: type?.string)
    }
}
