public import FoundationEssentials
import Synchronization

/// A file, the hints about its origin, and its format, which is guessed on first use.
///
/// Any thread may use it.
///
/// ```swift
/// let file = File(path: "/books/download", mediaTypes: ["application/epub+zip"])
/// print(file.format?.name ?? "unknown")
/// ```
public final class File: Sendable {
    /// The path, which need not exist.
    public let path: String
    /// The address from which the file was downloaded. If it is a valid address, its extension is a hint.
    public let sourceURL: String?
    /// Media types that other sources state.
    let mediaTypes: [String]
    /// The sniffers to run.
    let formatSniffers: [Format.Sniffer]
    /// The extensions of its earlier paths.
    let formerExtensions: [String]
    /// The result of the guess once it is known. The inner value is nil if no sniffer recognized the file.
    let guessed: Mutex<Format??>

    /// Creates a file at a path.
    public convenience init(
        path: String, sourceURL: String? = nil, mediaTypes: [String] = [],
        formatSniffers: [Format.Sniffer] = Format.defaultSniffers
    ) {
        self.init(
            path: path, sourceURL: sourceURL, mediaTypes: mediaTypes, formatSniffers: formatSniffers,
            formerExtensions: [], guessed: nil)
    }

    /// Creates a file at a path, with the address as a URL value.
    @_disfavoredOverload
    public convenience init(
        path: String, sourceURL: URL?, mediaTypes: [String] = [],
        formatSniffers: [Format.Sniffer] = Format.defaultSniffers
    ) {
        self.init(
            path: path, sourceURL: sourceURL?.absoluteString, mediaTypes: mediaTypes,
            formatSniffers: formatSniffers)
    }

    init(
        path: String, sourceURL: String?, mediaTypes: [String], formatSniffers: [Format.Sniffer],
        formerExtensions: [String], guessed: Format??
    ) {
        self.path = path
        self.sourceURL = sourceURL
        self.mediaTypes = mediaTypes
        self.formatSniffers = formatSniffers
        self.formerExtensions = formerExtensions
        self.guessed = Mutex(guessed)
    }

    /// The format, guessed once by path, address, media types and content. A nil result is kept too.
    public var format: Format? {
        guessed.withLock { guessed in
            if let known = guessed { return known }
            let answer = Format.guess(
                path: path,
                fileExtensions: (sourceURL.flatMap(AddressExtension.of).map { [$0] } ?? [])
                    + formerExtensions,
                mediaTypes: mediaTypes, sniffers: formatSniffers)
            guessed = .some(answer)
            return answer
        }
    }
}

extension File: Equatable {
    /// Whether the paths and the addresses are equal.
    public static func == (left: File, right: File) -> Bool {
        left.path.utf8.elementsEqual(right.path.utf8) && left.sourceURL == right.sourceURL
    }
}
