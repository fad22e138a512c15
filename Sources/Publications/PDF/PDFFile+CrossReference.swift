/// Finds and reads the cross-reference (ISO 32000-1, 7.5.4, 7.5.5 and 7.5.8).
extension PDFFile {
    /// Reads all sections of the cross-reference, or searches for objects if there is none.
    func open() throws(PDFFault) {
        guard input.length > 0 else { throw .malformed("The file is empty.") }
        do throws(PDFFault) {
            guard let start = try startOfCrossReference() else {
                throw PDFFault.malformed("The file does not give the position of its cross-reference.")
            }
            try input.readCrossReference(at: start)
            try readSections(from: start)
            guard trailer["Root"] != nil else {
                throw PDFFault.malformed("The trailer does not name a catalogue.")
            }
        } catch {
            if case .source = error { throw error }
            note(error.message)
            guard try search() else { throw error }
        }
    }

    /// The entry for an object from the newest section that lists it.
    func entry(_ number: Int) throws(PDFFault) -> PDFEntry? {
        guard number >= 0 else { return nil }
        for section in sections {
            switch section {
            case .list(let entries):
                if let entry = entries[number] { return entry }
            case .stream(let stream):
                if let entry = stream.entry(number) { return entry }
            case .table(let subsections):
                guard
                    let part = subsections.first(where: { number >= $0.first && number - $0.first < $0.count }
                    )
                else { continue }
                let offset = part.offset + (number - part.first) * part.width
                let line = try input.bytes(at: offset, count: 18)
                guard let entry = Self.tableEntry(line) else {
                    throw .malformed("The cross-reference entry of object \(number) is damaged.")
                }
                return entry
            }
        }
        return nil
    }

    /// The bytes at each end of a file that are searched for what is not in its place.
    static let searchedBytes = 64 << 10

    /// The number after the last `startxref`.
    private func startOfCrossReference() throws(PDFFault) -> Int? {
        // Other bytes may follow the end of the file.
        for count in [PDFInput.tailBytes, Self.searchedBytes] {
            let count = min(input.length, count)
            let tail = try input.bytes(at: input.length - count, count: count)
            guard let found = tail.lastRange(of: "startxref") else { continue }
            var parser = PDFParser(tail, at: found.upperBound, isWhole: true)
            do { return try parser.unsigned() } catch { return nil }
        }
        return nil
    }

    private func readSections(from start: Int) throws(PDFFault) {
        var seen: Set<Int> = []
        var next: Int? = start
        while let offset = next {
            guard seen.insert(offset).inserted else {
                note("The cross-reference sections form a loop.")
                break
            }
            guard sections.count < limits.sections else {
                note("The cross-reference has more than \(limits.sections) sections.")
                break
            }
            let part: [String: PDFObject]
            do {
                part = try readSection(at: offset)
            } catch {
                // Older sections may be damaged without affecting objects that were updated since.
                guard case .malformed = error, !sections.isEmpty else { throw error }
                note("An older section of the cross-reference is damaged.")
                break
            }
            trailer.merge(part) { newer, _ in newer }
            next = part["Prev"]?.integer
        }
    }

    /// Reads the section at a position, which may be a table or a stream, and returns its trailer.
    private func readSection(at offset: Int) throws(PDFFault) -> [String: PDFObject] {
        if sections.isEmpty { try findOrigin(of: offset) }
        let (start, overflow) = offset.addingReportingOverflow(origin)
        guard !overflow else { throw .malformed("The cross-reference has an invalid position.") }
        let (isTable, end) = try parse(at: start) { parser throws(PDFParser.Stop) -> Bool in
            try parser.skipSpace()
            return try parser.skip("xref")
        }
        guard isTable else {
            let (stream, dictionary) = try entryStream(at: start)
            sections.append(.stream(stream))
            return dictionary
        }
        let (section, dictionary) = try table(at: end)
        // In a hybrid file, a stream has the entries that the table marks as free (7.5.8.4).
        if let extra = dictionary["XRefStm"]?.integer {
            do throws(PDFFault) {
                let (sum, overflow) = extra.addingReportingOverflow(origin)
                guard !overflow else {
                    throw PDFFault.malformed("The cross-reference has an invalid position.")
                }
                sections.append(.stream(try entryStream(at: sum).0))
            } catch {
                guard case .malformed = error else { throw error }
                note("The cross-reference stream next to a table is damaged.")
            }
        }
        sections.append(section)
        return dictionary
    }

    /// Determines how many bytes precede the header if the cross-reference is not at the stated offset.
    private func findOrigin(of offset: Int) throws(PDFFault) {
        if try isSection(at: offset) { return }
        let head = try input.bytes(at: 0, count: 1_024)
        if let header = head.firstRange(of: "%PDF-"), header.lowerBound > 0,
            offset <= Int.max - header.lowerBound, try isSection(at: offset + header.lowerBound)
        {
            origin = header.lowerBound
            note("There are \(header.lowerBound) bytes before the file's header.")
            return
        }
        throw .malformed("The cross-reference is not where the file says it is.")
    }

    private func isSection(at offset: Int) throws(PDFFault) -> Bool {
        guard offset >= 0, offset < input.length else { return false }
        do {
            return try parse(at: offset) { parser throws(PDFParser.Stop) -> Bool in
                try parser.skipSpace()
                if try parser.skip("xref") { return true }
                guard try parser.unsigned() != nil, try parser.unsigned() != nil else { return false }
                try parser.skipSpace()
                return try parser.skip("obj")
            }.value
        } catch {
            if case .source = error { throw error }
            return false
        }
    }

    private func entryStream(at offset: Int) throws(PDFFault) -> (PDFEntryStream, [String: PDFObject]) {
        guard case .stream(let stream) = try indirectObject(at: offset).1 else {
            throw .malformed("The cross-reference is not where the file says it is.")
        }
        let bytes = try data(of: stream)
        guard let entries = PDFEntryStream(dictionary: stream.dictionary, bytes: bytes) else {
            throw .malformed("The cross-reference stream is damaged.")
        }
        return (entries, stream.dictionary)
    }

    /// Reads the headers of a table and its trailer. The entries are not read.
    private func table(at start: Int) throws(PDFFault) -> (PDFSection, [String: PDFObject]) {
        var subsections: [PDFSection.Subsection] = []
        var position = start
        while true {
            let (header, end) = try parse(at: position, first: 256) {
                parser throws(PDFParser.Stop) -> (first: Int, count: Int)? in
                try parser.skipSpace()
                if try parser.skip("trailer") { return nil }
                guard let first = try parser.unsigned(), let count = try parser.unsigned() else {
                    throw .malformed
                }
                try parser.skipSpace()
                return (first, count)
            }
            guard var header else {
                let (value, _) = try parse(at: end) { parser throws(PDFParser.Stop) -> PDFObject in
                    try parser.value()
                }
                guard let dictionary = value.dictionary else {
                    throw .malformed("The trailer is damaged.")
                }
                return (.table(subsections), dictionary)
            }
            guard header.count > 0 else {
                position = end
                continue
            }
            guard header.count <= (input.length - end) / 18, header.first <= Int.max - header.count,
                subsections.count < 100_000
            else { throw .malformed("The cross-reference table claims to be longer than the file.") }
            let width = try entryWidth(at: end, count: header.count)
            // Some writers number the objects from 1 although the first entry is the free entry 0.
            if header.first == 1, try input.bytes(at: end, count: 18).starts(with: "0000000000 65535 f".utf8)
            {
                header.first = 0
            }
            subsections.append(.init(first: header.first, count: header.count, offset: end, width: width))
            position = end + (header.count - 1) * width + 18
        }
    }

    /// The distance between entries in bytes, verified at the last entry.
    private func entryWidth(at offset: Int, count: Int) throws(PDFFault) -> Int {
        let line = try input.bytes(at: offset, count: 24)
        guard Self.tableEntry(line) != nil else { throw .malformed("The cross-reference table is damaged.") }
        guard count > 1 else { return 20 }
        let width = line.dropFirst(18).firstIndex { !PDFSyntax.isSpace($0) } ?? 20
        guard Self.tableEntry(try input.bytes(at: offset + (count - 1) * width, count: 18)) != nil else {
            throw .malformed("The cross-reference table is damaged.")
        }
        return width
    }

    /// Parses an entry: `nnnnnnnnnn ggggg n`.
    private static func tableEntry(_ line: [UInt8]) -> PDFEntry? {
        guard line.count >= 18, line[10] == 0x20, line[16] == 0x20 else { return nil }
        var offset = 0
        for byte in line[0..<10] {
            guard let digit = PDFSyntax.decimal(byte) else { return nil }
            offset = offset * 10 + digit
        }
        switch line[17] {
        case UInt8(ascii: "n"): return .offset(offset)
        case UInt8(ascii: "f"): return .free
        default: return nil
        }
    }
}
