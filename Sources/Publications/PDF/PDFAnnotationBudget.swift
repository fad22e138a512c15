/// Limits the work of reading the annotations of one file. Objects are cached once they are read, so a small file can
/// refer to one of them any number of times.
struct PDFAnnotationBudget {
    private static let mostEntries = 200_000
    private static let mostText = 8 << 20

    /// The number of entries in lists of pages and of annotations that may still be examined.
    private var entries = mostEntries
    /// The number of bytes of text that may still be read.
    private var text = mostText

    /// Counts the entries of a list.
    ///
    /// - Throws: `.limit` if there are too many.
    mutating func takeEntries(_ count: Int) throws(PDFFault) {
        guard count <= entries else {
            throw .limit("It has more than \(Self.mostEntries) pages and annotations.")
        }
        entries -= count
    }

    /// The text of a string; nil if the object is not a string or the text is empty.
    ///
    /// - Throws: `.limit` if the strings of the file are too long in total.
    mutating func text(_ object: PDFObject, _ decode: ([UInt8]) -> String?) throws(PDFFault) -> String? {
        guard let string = object.string else { return nil }
        guard string.count <= text else {
            throw .limit("Its annotations have more than \(Self.mostText) bytes of text.")
        }
        text -= string.count
        return decode(string)
    }
}
