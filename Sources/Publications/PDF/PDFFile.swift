import Archives

/// An opened PDF file: its cross-reference, its trailer, and its objects on request.
///
/// Apart from the end of the file, it reads only what is requested. Used by one thread.
final class PDFFile {
    let input: PDFInput
    let limits: PDFLimits
    /// The newest trailer, with missing entries taken from older ones.
    var trailer: [String: PDFObject] = [:]
    /// The sections of the cross-reference, newest first.
    var sections: [PDFSection] = []
    /// The position that offsets in the file are counted from. It is not 0 if other bytes precede the header.
    var origin = 0
    /// The decryption of strings and streams; nil while the file is not known to be encrypted.
    var security: PDFSecurity?
    /// The damage that was found, one full sentence each, without repetitions.
    private(set) var damages: [String] = []

    var hasSearched = false
    private var objectsLeft: Int
    var decodedLeft: Int
    private var loading: Set<Int> = []
    private var objects: [Int: PDFObject] = [:]
    private var objectStreams: [Int: PDFObjectStream] = [:]

    /// Reads the end of the file and its cross-reference.
    ///
    /// - Throws: `.malformed` if the file has no cross-reference and no objects from which one can be rebuilt.
    init(_ input: PDFInput, limits: PDFLimits) throws(PDFFault) {
        self.input = input
        self.limits = limits
        objectsLeft = limits.objects
        decodedLeft = limits.allDecodedBytes
        try open()
        try unlock()
    }

    /// Records damage; each description is recorded once.
    func note(_ damage: String) {
        if !damages.contains(damage) { damages.append(damage) }
    }

    /// The value itself, or the object that it refers to; null if there is none.
    func resolve(_ object: PDFObject?) throws(PDFFault) -> PDFObject {
        var object = object ?? .null
        for _ in 0..<16 {
            guard case .reference(let reference) = object else { return object }
            object = try self.object(reference.number)
        }
        throw .malformed("References form a loop.")
    }

    /// The object with that number; null if the file has none.
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

    /// Discards the cached objects, which are no longer valid.
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

    /// The object stream with that number, with its index parsed.
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
            // The `stream` keyword ends with CR LF or LF (7.3.8.1). Some files have spaces before that, or a bare CR.
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

    /// Runs a parser on the file from `offset`. If the parser needs more bytes, runs it again with more.
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

/// The limits on the work that one PDF file may cause.
///
/// Real files stay far below them. They prevent a hostile file from costing more than a large ordinary one.
struct PDFLimits: Sendable {
    /// The total number of bytes that may be read from the source.
    var readBytes = 32 << 20
    /// The largest file, in bytes, that is searched byte by byte for objects if its cross-reference is damaged; 0 for
    /// never.
    ///
    /// The search reads the whole file, which is acceptable for a file on disk but not for one on a connected device.
    var recoveryBytes = 0
    /// The largest encoded size of an object, in bytes, without the data of a stream.
    var objectBytes = 1 << 20
    /// How deep arrays and dictionaries may be nested.
    var depth = 64
    /// The number of values that one object may hold.
    var values = 100_000
    /// The number of objects that may be loaded.
    var objects = 4_096
    /// The number of sections (updates of the file) that the cross-reference may have.
    var sections = 1_024
    /// The largest stored size of a stream, in bytes.
    var streamBytes = 16 << 20
    /// The largest decoded size of one stream, in bytes.
    var decodedBytes = 16 << 20
    /// The largest decoded size of all streams together, in bytes.
    var allDecodedBytes = 64 << 20
    /// The largest cover, in bytes.
    var coverBytes = 32 << 20
}

/// Why a part of a PDF file could not be read.
///
/// Only `.source` stops reading the whole file. All other faults become a shortcoming of the part where they occur.
enum PDFFault: Error {
    /// The source could not supply the bytes: the device is gone, the server refused, or the file was removed.
    case source(ByteSourceError)
    /// The file contains an invalid value; the text is one sentence.
    case malformed(String)
    /// Further reading would exceed the limits; the text is one sentence.
    case limit(String)
    /// The bytes are encrypted in an unknown way, or with a password that is not empty; the text is one sentence.
    case locked(String)

    /// The reason as one sentence.
    var message: String {
        switch self {
        case .source(let error): "Cannot read the file: \(error)"
        case .malformed(let message), .limit(let message), .locked(let message): message
        }
    }
}
