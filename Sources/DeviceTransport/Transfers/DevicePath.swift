import Platform

/// A validated path inside a root.
struct DevicePath {
    /// The largest length of a path in bytes, which is the limit of iOS.
    static let maximumLength = 1023

    /// The path with a leading slash and without empty parts, `.` or a trailing slash.
    let text: String

    /// Throws `.invalidArgument` for a path that is empty or too long, contains a NUL, or has `..` as a part.
    init(_ path: String) throws(TransportError) {
        func refuse(_ why: String) -> TransportError {
            TransportError(.invalidArgument, "This is not a valid path on a device: \(why).", subject: path)
        }
        guard !path.isEmpty else { throw refuse("it is empty") }
        guard !path.utf8.contains(0) else { throw refuse("it contains a NUL") }
        text = Self.isPlain(path) ? path : Self.plain(path)
        guard text.allPathParts({ !$0.isDotName }) else { throw refuse("it contains ..") }
        guard text.allPathParts({ $0.count <= 255 }) else {
            throw refuse("a name is longer than 255 bytes")
        }
        guard text.utf8.count <= Self.maximumLength else { throw refuse("it is too long") }
    }

    /// Whether a path has the form of `text`. Nearly all paths do.
    private static func isPlain(_ path: String) -> Bool {
        var isFirst = true
        return path.isAbsolutePath
            && path.allPathParts { part in
                defer { isFirst = false }
                return isFirst || !part.isEmpty && !part.isDotName
            }
    }

    /// The path in the form of `text`.
    ///
    /// It is split by bytes, as the device does: a slash followed by a combining character is not a separate
    /// `Character`.
    private static func plain(_ path: String) -> String {
        "/" + path.pathNames.filter { !$0.utf8.elementsEqual(".".utf8) }.joined(separator: "/")
    }

    private var parts: [Substring] { text.pathNames }

    /// Whether this is the root.
    var isRoot: Bool { text.utf8.count == 1 }

    /// The folders that contain it, the topmost first, without the root.
    var ancestors: [String] {
        let parts = parts
        return (1..<max(parts.count, 1)).map { "/" + parts[..<$0].joined(separator: "/") }
    }

    /// The temporary name of a new file with this path. It is always the same for a path, so that the next upload
    /// replaces the remains of an interrupted one. It is hidden, and short even if the final name is long.
    var temporarySibling: String { temporarySibling("") }

    /// The temporary name of an upload that is repeated because its connection was lost.
    var secondTemporarySibling: String { temporarySibling("-2") }

    private func temporarySibling(_ mark: String) -> String {
        sibling(".overlayhost-" + Hex.text(FNV1a.of((parts.last ?? "").utf8)) + mark + ".part")
    }

    /// The name of content that is kept if it is interrupted, so that another write of the same content continues it.
    ///
    /// - Parameter digest: the SHA-256 of the content in hexadecimal.
    func partialSibling(_ digest: String) -> String { sibling(".overlayhost-\(digest.prefix(40)).begun") }

    private func sibling(_ name: String) -> String {
        "/" + (parts.dropLast().map(String.init) + [name]).joined(separator: "/")
    }
}
