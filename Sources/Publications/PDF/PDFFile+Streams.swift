/// Reads the data of streams: finds their end, decrypts and decodes them.
extension PDFFile {
    /// The decoded data of a stream.
    ///
    /// - Parameter limit: the largest number of bytes to return, both stored and decoded. The rest is dropped without
    ///   an error.
    /// - Throws: `.limit` if the stream is too large, `.malformed` if its coding is unknown. Damaged data are decoded
    ///   up to the damage, and the damage is noted.
    func data(of stream: PDFStream, limit: Int? = nil) throws(PDFFault) -> [UInt8] {
        let stored = try storedData(of: stream, limit: limit ?? limits.streamBytes, isPart: limit != nil)
        return try decode(stored, filters: try filters(of: stream), limit: limit)
    }

    /// The length that the stream states, in bytes, without a check. If it states none, the end is searched for.
    func expectedLength(of stream: PDFStream) throws(PDFFault) -> Int {
        if let stated = try resolve(stream.dictionary["Length"]).integer, stated > 0,
            stated <= input.length - stream.dataOffset
        {
            return stated
        }
        return try searchedLength(of: stream, stated: nil)
    }

    private func decode(_ stored: [UInt8], filters: [PDFFilter], limit: Int?) throws(PDFFault) -> [UInt8] {
        var bytes = stored
        for filter in filters {
            let most = min(limits.decodedBytes, decodedLeft)
            guard most > 0 else { throw .limit("Its streams become too large when they are decoded.") }
            let result = try filter.decode(bytes, limit: min(limit ?? most, most))
            decodedLeft -= result.bytes.count
            if result.isTooLarge, limit == nil {
                throw .limit("A stream becomes too large when it is decoded.")
            }
            if result.isDamaged, limit == nil || stored.count < limit ?? 0 {
                note("A compressed stream is damaged.")
            }
            bytes = result.bytes
        }
        return bytes
    }

    /// The filters of a stream, outermost first, without `Crypt`, which only concerns encryption.
    func filters(of stream: PDFStream) throws(PDFFault) -> [PDFFilter] {
        let names = try list(stream.dictionary["Filter"] ?? stream.dictionary["F"])
        let parameters = try list(stream.dictionary["DecodeParms"] ?? stream.dictionary["DP"])
        guard names.count <= 8 else { throw .limit("A stream is encoded more than 8 times.") }
        var filters: [PDFFilter] = []
        for (index, name) in names.enumerated() {
            guard let name = name.name else { throw .malformed("A stream has an unnamed encoding.") }
            guard name != "Crypt" else { continue }
            var values: [String: Int] = [:]
            if index < parameters.count, let entries = parameters[index].dictionary {
                for key in ["Predictor", "Colors", "BitsPerComponent", "Columns", "EarlyChange"] {
                    values[key] = try resolve(entries[key]).integer
                }
            }
            filters.append(PDFFilter(name: name, parameters: values))
        }
        return filters
    }

    /// The values of an array, or a single value as an array of one; empty for null.
    private func list(_ object: PDFObject?) throws(PDFFault) -> [PDFObject] {
        let object = try resolve(object)
        guard let array = object.array else { return object == .null ? [] : [object] }
        var values: [PDFObject] = []
        for element in array.prefix(16) { values.append(try resolve(element)) }
        return values
    }

    /// The data as stored in the file, after decryption.
    private func storedData(of stream: PDFStream, limit: Int, isPart: Bool) throws(PDFFault) -> [UInt8] {
        var count = try storedLength(of: stream)
        guard count <= limit || isPart else { throw .limit("A stream has more than \(limit) bytes.") }
        count = min(count, limit)
        let bytes = try input.bytes(at: stream.dataOffset, count: count)
        if bytes.count < count { note("The file ends in the middle of a stream.") }
        return try decrypt(bytes, of: stream)
    }

    /// The stated length if the stream ends there; otherwise the length up to the `endstream` keyword.
    private func storedLength(of stream: PDFStream) throws(PDFFault) -> Int {
        let left = input.length - stream.dataOffset
        var stated: Int?
        do {
            stated = try resolve(stream.dictionary["Length"]).integer
        } catch {
            // The object that holds the length may be damaged or not yet known.
            if case .source = error { throw error }
        }
        if let stated, stated >= 0, stated <= left {
            let end = try input.bytes(at: stream.dataOffset + stated, count: 16)
            if end.drop(while: PDFSyntax.isSpace).starts(with: "endstream".utf8)
                || end.drop(while: PDFSyntax.isSpace).starts(with: "endobj".utf8)
            {
                return stated
            }
        }
        return try searchedLength(of: stream, stated: stated)
    }

    private func searchedLength(of stream: PDFStream, stated: Int?) throws(PDFFault) -> Int {
        let step = 64 << 10
        var position = stream.dataOffset
        let most = min(input.length - stream.dataOffset, limits.streamBytes)
        while position - stream.dataOffset < most {
            // The pieces overlap by the length of the keyword, which may cross their boundary.
            let bytes = try input.bytes(at: position, count: step + 16)
            if let found = bytes.firstRange(of: "endstream") {
                note("A stream does not have its stated length.")
                var end = position + found.lowerBound
                let before = try input.bytes(
                    at: max(end - 2, stream.dataOffset), count: min(2, end - stream.dataOffset))
                if before.last == 0x0A {
                    end -= before.first == 0x0D && before.count == 2 ? 2 : 1
                } else if before.last == 0x0D {
                    end -= 1
                }
                return end - stream.dataOffset
            }
            if bytes.count < step { break }
            position += step
        }
        note("A stream does not end.")
        return min(stated.map { max($0, 0) } ?? most, most)
    }
}
