import Formats

/// Which files are images that can be a cover or a page.
enum ImageType {
    /// The type by the extension of a path; nil when it is none of an image.
    static func of(path: String) -> MediaType? {
        byExtension[EntryPath.fileExtension(of: path)]
    }

    /// The type as stated if it is one of an image, else by the extension.
    static func of(stated: String?, path: String) -> MediaType? {
        if let stated, stated.hasPrefix(ignoringCase: "image/") {
            // A name that is often written and never registered.
            if stated.equals(ignoringCase: "image/jpg") { return .jpeg }
            if let type = MediaType(stated) { return type }
        }
        return of(path: path)
    }

    private static let byExtension: [String: MediaType] = [
        "jpg": .jpeg, "jpeg": .jpeg, "jpe": .jpeg, "jfif": .jpeg, "jif": .jpeg, "png": .png, "gif": .gif,
        "webp": .webp, "svg": .svg, "bmp": .bmp, "dib": .bmp, "tif": .tiff, "tiff": .tiff, "avif": .avif,
        "jxl": .jxl,
    ]
}
