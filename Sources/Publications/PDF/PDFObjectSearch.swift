/// What a search through bytes finds: where objects begin, and which of them matter most.
struct PDFObjectSearch {
    /// How far the bytes of one call must reach into those of the next.
    static let overlap = 2_048
    /// How many beginnings of objects are looked at.
    private static let most = 500_000
    /// How many cross-reference streams are remembered, the last ones.
    private static let mostTrailers = 64

    /// The last position of each object.
    private(set) var objects: [Int: Int] = [:]
    /// Where dictionaries of trailers begin, in the order of the file.
    private(set) var trailers: [Int] = []
    /// Objects that are cross-reference streams, in the order of the file.
    private(set) var trailerStreams: [Int] = []
    /// When each object stream was seen last.
    private var containers: [Int: Int] = [:]
    private var seen = 0
    /// The last object that says it is the catalogue.
    private(set) var catalogue: Int?
    /// The last object that looks like the document information.
    private(set) var information: Int?

    /// Objects that are object streams, in the order of the file.
    var objectStreams: [Int] { containers.sorted { $0.value < $1.value }.map(\.key) }

    /// Goes through bytes that stand at `offset` in the file.
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

    /// The number of the object whose word `obj` stands at `end`, and where its header begins.
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

    /// Looks at the first bytes after `obj`.
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
