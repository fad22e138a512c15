/// The name of an indirect object (ISO 32000-1, 7.3.10).
struct PDFReference: Hashable {
    var number: Int
    var generation: Int
}

/// A value of a PDF file (ISO 32000-1, 7.3).
indirect enum PDFObject: Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string([UInt8])
    case name(String)
    case array([PDFObject])
    case dictionary([String: PDFObject])
    case reference(PDFReference)
    case stream(PDFStream)

    /// The whole number, also of a real number that is one.
    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, whole or not.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// The name without its slash.
    var name: String? {
        guard case .name(let value) = self else { return nil }
        return value
    }

    /// The bytes of a string.
    var string: [UInt8]? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The values of an array.
    var array: [PDFObject]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The entries of a dictionary, or of a stream's dictionary.
    var dictionary: [String: PDFObject]? {
        switch self {
        case .dictionary(let value): value
        case .stream(let stream): stream.dictionary
        default: nil
        }
    }
}

/// A stream: its dictionary, and where its data lie in the file.
struct PDFStream: Equatable {
    var dictionary: [String: PDFObject]
    /// Where the data begin, counted from the file's first byte.
    var dataOffset: Int
    /// The object that the stream is, which encryption needs to know.
    var reference: PDFReference
}
