import Archives

/// Why a part of a PDF file could not be read.
///
/// Only `.source` ends the reading of the whole file; everything else becomes a shortcoming of the part it happened in.
enum PDFFault: Error {
    /// The bytes could not be had: the device is gone, the server refused, the file was removed.
    case source(ByteSourceError)
    /// The file says something that cannot be; one sentence.
    case malformed(String)
    /// Reading on would cost more than the limits allow; one sentence.
    case limit(String)
    /// The bytes are encrypted with a password that is not the empty one, or in a way that is not known.
    case locked(String)

    /// One sentence.
    var message: String {
        switch self {
        case .source(let error): "Cannot read the file: \(error)"
        case .malformed(let message), .limit(let message), .locked(let message): message
        }
    }
}
