/// The kinds of books that Books keeps as files.
enum BookFormat: String, CaseIterable {
    case epub
    /// What iBooks Author makes: an EPUB in a folder, with things in it that only Books shows.
    case ibooks
    case pdf

    /// The kind of a file or folder by its extension; nil for what is no book.
    init?(_ path: SafePath) { self.init(rawValue: path.fileExtension) }

    /// The media type.
    var mediaType: String {
        switch self {
        case .epub: "application/epub+zip"
        case .ibooks: "application/x-ibooks+zip"
        case .pdf: "application/pdf"
        }
    }
}
