/// Formats of files that Marvin's library may hold.
enum MarvinFormat {
    static let epub = "application/epub+zip"

    /// The media type a name stands for; nil when it stands for none Marvin knows.
    static func mediaType(ofName name: String) -> String? {
        let lower = name.lowercased()
        if lower.hasSuffix(".epub") { return epub }
        if lower.hasSuffix(".cbz") { return "application/vnd.comicbook+zip" }
        if lower.hasSuffix(".cbr") { return "application/vnd.comicbook-rar" }
        return nil
    }
}
