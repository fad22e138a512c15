/// Whether a book is on the device.
enum UploadVerdict: Equatable {
    /// It is, under that path.
    case there(String)
    /// Its file is among the documents, and Marvin's library does not know of it.
    case unlisted
    case missing

    /// Where the book is; nil: it is not there.
    var path: String? {
        guard case .there(let path) = self else { return nil }
        return path
    }
}
