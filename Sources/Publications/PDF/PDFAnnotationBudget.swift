/// What reading the annotations of one file may cost. Objects of a file are kept once they are read, so that a small file can name one
/// of them any number of times.
struct PDFAnnotationBudget {
    private static let mostEntries = 200_000
    private static let mostText = 8 << 20

    /// Entries of lists of pages and of annotations that may still be looked at.
    private var entries = mostEntries
    /// Bytes of text that may still be read.
    private var text = mostText

    /// Counts entries of a list.
    ///
    /// - Throws: `.limit` if they are too many.
    mutating func takeEntries(_ count: Int) throws(PDFFault) {
        guard count <= entries else {
            throw .limit("It has more than \(Self.mostEntries) pages and annotations.")
        }
        entries -= count
    }

    /// The text of a string; nil if the object is something else, or nothing of it is left.
    ///
    /// - Throws: `.limit` if the strings of the file are too long.
    mutating func text(_ object: PDFObject, _ decode: ([UInt8]) -> String?) throws(PDFFault) -> String? {
        guard let string = object.string else { return nil }
        guard string.count <= text else {
            throw .limit("Its annotations have more than \(Self.mostText) bytes of text.")
        }
        text -= string.count
        return decode(string)
    }
}
