import HostContract
import HostErrors

/// Checks the paths on the device that overlays use.
package enum OverlayPath {
    /// Returns the path if it is absolute and does not contain `.`, `..` or NUL, so that it stays in its root.
    package static func checked(_ path: String) throws(HostError) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
        let climbs = parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        guard path.utf8.first == UInt8(ascii: "/"), !climbs, !path.utf8.contains(0),
            path.utf8.count <= BoundaryLimits.path
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
