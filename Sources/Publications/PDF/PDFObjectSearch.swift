/// The result of searching bytes for objects: where they begin, and which ones are the most important.
struct PDFObjectSearch {
    /// The number of bytes by which the inputs of consecutive calls must overlap.
    static let overlap = 2_048
    /// The largest number of objects that are examined.
    private static let most = 500_000
    /// The largest number of cross-reference streams that are kept; the last ones are kept.
    private static let mostTrailers = 64

    /// The last position of each object, by number.
    private(set) var objects: [Int: Int] = [:]
    /// The positions of trailer dictionaries, in file order.
    private(set) var trailers: [Int] = []
    /// The numbers of the objects that are cross-reference streams, in file order.
    private(set) var trailerStreams: [Int] = []
    /// The position in the search order at which each object stream was last seen.
    private var containers: [Int: Int] = [:]
    private var seen = 0
    /// The number of the last object that has the type of a catalogue.
    private(set) var catalogue: Int?
    /// The number of the last object that looks like the document information.
    private(set) var information: Int?

    /// The numbers of the objects that are object streams, in file order.
    var objectStreams: [Int] { containers.sorted { $0.value < $1.value }.map(\.key) }

    /// Searches bytes that begin at `offset` in the file.
    mutating func scan(_ bytes: [UInt8], from offset: Int) {
        var position = 0
        while let found = bytes.firstRange(of: "obj", from: position) {
            position = found.upperBound
            guard let (number, start) = Self.header(bytes, before: found.lowerBound) else { continue }
            guard seen < Self.most else { break }
            seen += 1
            objects[number] = offset + start
            classify(number, Array(bytes[found.upperBound..<min(found.upperBound + 1_024, bytes.count)]))
        }
        position = 0
        while let found = bytes.firstRange(of: "trailer", from: position), trailers.count < 4_096 {
            position = found.upperBound
            if trailers.last ?? -1 < offset + position { trailers.append(offset + position) }
        }
    }

    /// The number of the object whose `obj` keyword is at `end`, and the start of its header.
    private static func header(_ bytes: [UInt8], before end: Int) -> (number: Int, start: Int)? {
        var index = end - 1
        func skipSpaces() -> Int {
            let start = index
            while index >= 0, PDFSyntax.isSpace(bytes[index]) { index -= 1 }
            return start - index
        }
        func digits() -> Int? {
            var (value, unit, count) = (0, 1, 0)
            while index >= 0, count < 10, let digit = PDFSyntax.decimal(bytes[index]) {
                value += digit * unit
                unit *= 10
                count += 1
                index -= 1
            }
            return count > 0 ? value : nil
        }
        guard skipSpaces() > 0, digits() != nil, skipSpaces() > 0, let number = digits() else { return nil }
        return (number, index + 1)
    }

    /// Determines the kind of an object from the first bytes after `obj`.
    private mutating func classify(_ number: Int, _ bytes: [UInt8]) {
        let end = bytes.firstRange(of: "endobj")?.lowerBound ?? bytes.count
        let head = Array(bytes[..<min(end, bytes.firstRange(of: "stream")?.lowerBound ?? end)])
        func has(_ word: StaticString) -> Bool { head.firstRange(of: word) != nil }
        if has("/XRef") {
            trailerStreams.append(number)
            if trailerStreams.count > Self.mostTrailers { trailerStreams.removeFirst() }
        } else if has("/ObjStm") {
            containers[number] = seen
        } else if has("/Catalog") {
            catalogue = number
        } else if !has("/Type"), has("/Producer") || has("/CreationDate") || (has("/Author") && has("/Title"))
        {
            information = number
        }
    }
}
