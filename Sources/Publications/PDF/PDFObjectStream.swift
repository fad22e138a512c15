/// A stream of objects that are compressed together (ISO 32000-1, 7.5.7).
struct PDFObjectStream {
    private let bytes: [UInt8]
    private let first: Int
    /// The number and the position of each object.
    private let index: [(number: Int, offset: Int)]

    /// Nil if the stream does not state where its objects are. If the index ends early, its beginning is used.
    init?(dictionary: [String: PDFObject], bytes: [UInt8]) {
        guard let count = dictionary["N"]?.integer, let first = dictionary["First"]?.integer,
            count >= 0, first >= 0, first <= bytes.count
        else { return nil }
        var index: [(number: Int, offset: Int)] = []
        var parser = PDFParser(bytes, isWhole: true)
        while index.count < count {
            do {
                guard let number = try parser.unsigned(), let offset = try parser.unsigned() else { break }
                index.append((number, offset))
            } catch {
                break
            }
        }
        self.bytes = bytes
        self.first = first
        self.index = index
    }

    /// The numbers of the objects in the stream.
    var numbers: [Int] { index.map(\.number) }

    /// The object at the index `hint` if it has the number, or else the first object with that number.
    func object(_ number: Int, index hint: Int, limits: PDFLimits) throws(PDFFault) -> PDFObject? {
        let place =
            hint >= 0 && hint < index.count && index[hint].number == number
            ? index[hint] : index.first { $0.number == number }
        guard let place else { return nil }
        let (position, overflow) = place.offset.addingReportingOverflow(first)
        guard !overflow, position < bytes.count else { return nil }
        var parser = PDFParser(bytes, at: position, isWhole: true, limits: limits)
        do {
            return try parser.value()
        } catch {
            switch error {
            case .tooLarge: throw .limit("Object \(number) has too many parts.")
            case .malformed, .unfinished: throw .malformed("Object \(number) is damaged.")
            }
        }
    }
}
