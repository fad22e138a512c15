import Archives

/// An opened PDF file: its cross-reference, its trailer, and its objects when they are asked for.
///
/// Nothing is read that is not asked for, apart from the end of the file. Used by one thread.
final class PDFFile {
    let input: PDFInput
    let limits: PDFLimits
    /// The newest trailer, with what only older ones say.
    var trailer: [String: PDFObject] = [:]
    /// Newest first.
    var sections: [PDFSection] = []
    /// What offsets in the file are counted from: not 0 when something stands before the header.
    var origin = 0
    /// How strings and streams are decrypted; nil while the file is not known to be encrypted.
    var security: PDFSecurity?
    /// What is damaged, one sentence each without a full stop.
    private(set) var damages: [String] = []

    var hasSearched = false
    private var objectsLeft: Int
    var decodedLeft: Int
    private var loading: Set<Int> = []
    private var objects: [Int: PDFObject] = [:]
    private var objectStreams: [Int: PDFObjectStream] = [:]

    /// Reads the end of the file and its cross-reference.
    ///
    /// - Throws: `.malformed` when there is neither a cross-reference nor anything that could stand in for one.
    init(_ input: PDFInput, limits: PDFLimits) throws(PDFFault) {
        self.input = input
        self.limits = limits
        objectsLeft = limits.objects
        decodedLeft = limits.allDecodedBytes
        try open()
        try unlock()
    }

    /// Notes a damage, each only once.
    func note(_ damage: String) {
        if !damages.contains(damage) { damages.append(damage) }
    }

    /// The value itself, or what its reference leads to; null when nothing is there.
    func resolve(_ object: PDFObject?) throws(PDFFault) -> PDFObject {
        var object = object ?? .null
        for _ in 0..<16 {
            guard case .reference(let reference) = object else { return object }
            object = try self.object(reference.number)
        }
        throw .malformed("References form a loop.")
    }

    /// An object by its number; null when the file has none of that number.
    func object(_ number: Int) throws(PDFFault) -> PDFObject {
        if let object = objects[number] { return object }
        guard objectsLeft > 0 else {
            throw .limit("Reading it would take more than \(limits.objects) objects.")
        }
        objectsLeft -= 1
        guard loading.count < 32, loading.insert(number).inserted else {
            throw .malformed("Object \(number) is part of itself.")
        }
        defer { loading.remove(number) }
        let object: PDFObject
        do {
            object = try load(number)
        } catch {
            guard case .malformed = error, try search() else { throw error }
            object = try load(number)
        }
        objects[number] = object
        return object
    }

    /// What was known about objects does not hold any more.
    func forget() {
        objects = [:]
        objectStreams = [:]
    }

    private func load(_ number: Int) throws(PDFFault) -> PDFObject {
        switch try entry(number) {
        case nil, .free:
            return .null
        case .offset(let offset):
            let (sum, overflow) = offset.addingReportingOverflow(origin)
            guard !overflow else { throw .malformed("Object \(number) has an invalid position.") }
            let (reference, object) = try indirectObject(at: sum)
            guard reference.number == number else {
                throw .malformed("Object \(number) is not where the cross-reference says it is.")
            }
            return try decrypt(object, of: reference)
        case .inside(let stream, let index):
            let container = try objectStream(stream)
            guard let object = try container.object(number, index: index, limits: limits) else {
                throw .malformed("Object \(number) is not in its object stream.")
            }
            return object
        }
    }

    /// An object stream with its index read.
    func objectStream(_ number: Int) throws(PDFFault) -> PDFObjectStream {
        if let stream = objectStreams[number] { return stream }
        guard case .stream(let stream) = try object(number) else {
            throw .malformed("Object stream \(number) is missing.")
        }
        let bytes = try data(of: stream)
        guard let container = PDFObjectStream(dictionary: stream.dictionary, bytes: bytes) else {
            throw .malformed("Object stream \(number) is damaged.")
        }
        if objectStreams.count >= 16 { objectStreams = [:] }
        objectStreams[number] = container
        return container
    }

    /// The object that begins at a position: `12 0 obj …`.
    func indirectObject(at offset: Int) throws(PDFFault) -> (PDFReference, PDFObject) {
        let (found, _) = try parse(at: offset) {
            parser throws(PDFParser.Stop) -> (PDFReference, PDFObject, Int) in
            guard let number = try parser.unsigned(), let generation = try parser.unsigned() else {
                throw .malformed
            }
            try parser.skipSpace()
            guard try parser.skip("obj") else { throw .malformed }
            let reference = PDFReference(number: number, generation: generation)
            try parser.skipSpace()
            if try parser.skip("endobj") { return (reference, .null, 0) }
            let value = try parser.value()
            guard case .dictionary = value else { return (reference, value, 0) }
            try parser.skipSpace()
            guard try parser.skip("stream") else { return (reference, value, 0) }
            // The word ends with CR LF or LF (7.3.8.1); blanks before it and a bare CR are seen too.
            while let byte = try parser.peek(), byte == 0x20 { parser.position += 1 }
            if try parser.peek() == 0x0D { parser.position += 1 }
            if try parser.peek() == 0x0A { parser.position += 1 }
            return (reference, value, parser.position)
        }
        guard found.2 > 0, let dictionary = found.1.dictionary else { return (found.0, found.1) }
        return (
            found.0,
            .stream(PDFStream(dictionary: dictionary, dataOffset: offset + found.2, reference: found.0))
        )
    }

    /// Runs a parser over the file from `offset` on, with more and more bytes as long as it finds them too few.
    func parse<Value>(
        at offset: Int, first: Int = 2_048, limit: Int? = nil,
        _ read: (inout PDFParser) throws(PDFParser.Stop) -> Value
    ) throws(PDFFault) -> (value: Value, end: Int) {
        guard offset >= 0, offset < input.length else {
            throw .malformed("A position is outside the file.")
        }
        let limit = limit ?? limits.objectBytes
        var count = min(first, limit)
        while true {
            let bytes = try input.bytes(at: offset, count: count)
            let isWhole = bytes.count < count || bytes.count == input.length - offset
            var parser = PDFParser(bytes, isWhole: isWhole, limits: limits)
            do {
                let value = try read(&parser)
                return (value, offset + parser.position)
            } catch {
                switch error {
                case .malformed: throw .malformed("Unexpected content at byte \(offset).")
                case .tooLarge: throw .limit("The object at byte \(offset) has too many parts.")
                case .unfinished:
                    guard !isWhole else { throw .malformed("The file ends in the middle of an object.") }
                    guard count < limit else { throw .limit("The object at byte \(offset) is too large.") }
                    count = min(count * 4, limit)
                }
            }
        }
    }
}

/// How much work one PDF file may cause.
///
/// Real files stay far below; the values only keep a hostile file from costing more than a large honest one.
struct PDFLimits: Sendable {
    /// How many bytes may be read from the source altogether.
    var readBytes = 32 << 20
    /// The largest file whose objects are searched for byte by byte when its cross-reference is damaged; 0 for never.
    ///
    /// The search reads the whole file: right for a file on a disk, wrong for one at the end of a cable.
    var recoveryBytes = 0
    /// The longest written form of an object, without the data of a stream.
    var objectBytes = 1 << 20
    /// How deep arrays and dictionaries may be nested.
    var depth = 64
    /// How many values one object may hold.
    var values = 100_000
    /// How many objects may be fetched.
    var objects = 4_096
    /// How many sections (updates of the file) the cross-reference may have.
    var sections = 1_024
    /// The most bytes of a stream as stored.
    var streamBytes = 16 << 20
    /// The most bytes that one stream may become when decoded.
    var decodedBytes = 16 << 20
    /// The most bytes that all streams together may become when decoded.
    var allDecodedBytes = 64 << 20
    /// The largest cover.
    var coverBytes = 32 << 20
}

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
