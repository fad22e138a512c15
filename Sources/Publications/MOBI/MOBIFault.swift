import Archives

/// Why a part of a MOBI file could not be read.
enum MOBIFault: Error {
    /// The bytes could not be had.
    case source(ByteSourceError)
    /// The file says something that cannot be; one sentence.
    case malformed(String)
}
