/// A reference to an indirect object (ISO 32000-1, 7.3.10).
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

    /// The value as an integer, also if it is a real number without a fraction.
    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The value as a number, integer or real.
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

/// A stream: its dictionary, and the position of its data in the file.
struct PDFStream: Equatable {
    var dictionary: [String: PDFObject]
    /// The offset of the data from the first byte of the file.
    var dataOffset: Int
    /// The object number of the stream, which decryption needs.
    var reference: PDFReference
}
