extension BuiltInSniffer {
    /// An archive of images (format reference 8.3).
    static let cbz = BuiltInSniffer(
        "cbz", .cbz, extensions: ["cbz"],
        mediaTypes: [.cbz, MediaType(known: "application/x-cbz"), MediaType(known: "application/x-cbr")]
    ) { context in
        context.contentAsZip?.holdsOnly(comicExtensions) == true ? "only images in the archive" : nil
    }

    private static let comicExtensions = ExtensionSet([
        "acbf", "gif", "jpeg", "jpg", "png", "tiff", "tif", "webp", "xml",
    ])
}
