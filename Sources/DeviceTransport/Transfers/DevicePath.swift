import Platform

/// A checked path inside a root.
struct DevicePath {
    /// Most bytes of a path, as on iOS itself.
    static let maximumLength = 1023

    /// Beginning with a slash, without empty parts, `.` or a slash at its end.
    let text: String
    private let parts: [Substring]

    /// Throws `.invalidArgument` for a path that is empty, too long, has a NUL, or `..` as a part.
    init(_ path: String) throws(TransportError) {
        func refuse(_ why: String) -> TransportError {
            TransportError(.invalidArgument, "This is not a valid path on a device: \(why).", subject: path)
        }
        guard !path.isEmpty else { throw refuse("it is empty") }
        guard !path.utf8.contains(0) else { throw refuse("it contains a NUL") }
        // Split as bytes, as the device does: a slash before a combining character is not a `Character` of
        // its own.
        parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
            .filter { !$0.utf8.elementsEqual(".".utf8) }
        guard !parts.contains(where: { $0.utf8.elementsEqual("..".utf8) }) else {
            throw refuse("it contains ..")
        }
        guard parts.allSatisfy({ $0.utf8.count <= 255 }) else {
            throw refuse("a name is longer than 255 bytes")
        }
        text = "/" + parts.joined(separator: "/")
        guard text.utf8.count <= Self.maximumLength else { throw refuse("it is too long") }
    }

    /// Whether this is the root itself.
    var isRoot: Bool { parts.isEmpty }

    /// The folders above, the highest first, without the root.
    var ancestors: [String] {
        (1..<max(parts.count, 1)).map { "/" + parts[..<$0].joined(separator: "/") }
    }

    /// The name under which a new file of this path is written; always the same for a path, so that the next
    /// upload replaces the remains of a broken one. Hidden, and short even if the final name is long.
    var temporarySibling: String { temporarySibling("") }

    /// The name for an upload that is sent again because its connection was lost.
    var secondTemporarySibling: String { temporarySibling("-2") }

    private func temporarySibling(_ mark: String) -> String {
        sibling(".overlayhost-" + Hex.text(FNV1a.of((parts.last ?? "").utf8)) + mark + ".part")
    }

    /// The name under which content is written that stays if it is cut off, so that another write of the same content goes on with
    /// it.
    ///
    /// - Parameter digest: the SHA-256 of the content in hexadecimal.
    func begunSibling(_ digest: String) -> String { sibling(".overlayhost-\(digest.prefix(40)).begun") }

    private func sibling(_ name: String) -> String {
        "/" + (parts.dropLast().map(String.init) + [name]).joined(separator: "/")
    }
}
