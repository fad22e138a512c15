public import FoundationEssentials
import Synchronization

/// A file with what is known about where it came from, and its format, guessed when first asked for.
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
    /// The address the file was fetched from; its extension is a hint if it is an address.
    public let sourceURL: String?
    /// Media types that others told.
    let mediaTypes: [String]
    /// The sniffers to ask.
    let formatSniffers: [Format.Sniffer]
    /// Extensions of paths it had before.
    let formerExtensions: [String]
    /// The answer once it is known, which may be that there is none.
    let guessed: Mutex<Format??>

    /// A file at a path.
    public convenience init(
        path: String, sourceURL: String? = nil, mediaTypes: [String] = [],
        formatSniffers: [Format.Sniffer] = Format.defaultSniffers
    ) {
        self.init(
            path: path, sourceURL: sourceURL, mediaTypes: mediaTypes, formatSniffers: formatSniffers,
            formerExtensions: [], guessed: nil)
    }

    /// A file at a path, with the address as a value.
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

    /// The format, guessed once by path, address, media types and content; a nil answer is kept too.
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
    /// Whether path and address are equal.
    public static func == (left: File, right: File) -> Bool {
        left.path.utf8.elementsEqual(right.path.utf8) && left.sourceURL == right.sourceURL
    }
}
