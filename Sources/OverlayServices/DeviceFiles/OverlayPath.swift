import HostContract
import HostErrors
import Platform

/// Checks the paths on the device that overlays use.
package enum OverlayPath {
    /// Returns the path if it is absolute and does not contain `.`, `..` or NUL, so that it stays in its root.
    package static func checked(_ path: String) throws(HostError) -> String {
        guard path.isAbsolutePath, path.utf8.count <= BoundaryLimits.path,
            path.allPathParts({ !$0.isDotName && !$0.contains(0) })
        else {
            throw HostError(
                .invalidArgument,
                "A path on the device must be absolute and must not contain . or .. "
                    + "parts.",
                subject: path)
        }
        return path
    }

    /// The last component; `/` for a path without components.
    package static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? "/"
    }
}
