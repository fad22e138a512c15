/// Whether a book is on the device.
enum UploadVerdict: Equatable {
    /// It is, under that path.
    case there(String)
    case missing
}
