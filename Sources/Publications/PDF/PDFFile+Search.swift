/// Repairs files whose cross-reference is missing or wrong.
extension PDFFile {
    /// Searches for objects, at most once per file. Searches the whole file if the limits allow it, or else its
    /// beginning and the parts that were read before.
    ///
    /// Returns false if the search finds nothing new.
    func search() throws(PDFFault) -> Bool {
        guard !hasSearched else { return false }
        hasSearched = true
        var search = PDFObjectSearch()
        if input.length <= limits.recoveryBytes {
            note("The cross-reference is damaged; the file was searched for its objects.")
            let step = 1 << 20
            var offset = 0
            while offset < input.length {
                // The pieces overlap, so that one of them has the complete beginning of each object.
                let bytes = try input.bytes(at: offset, count: step + PDFObjectSearch.overlap)
                search.scan(bytes, from: offset)
                offset += step
            }
        } else {
            note("The cross-reference is damaged; only the beginning and the end of the file were searched.")
            let count = min(Self.searchedBytes, input.length)
            _ = try input.bytes(at: 0, count: count)
            _ = try input.bytes(at: input.length - count, count: count)
            for part in input.loaded { search.scan(part.bytes, from: part.offset) }
        }
        guard !search.objects.isEmpty else { return false }
        origin = 0
        forget()
        let older = input.length <= limits.recoveryBytes ? [] : sections
        sections = [.list(search.objects.mapValues { .offset($0) })] + older
        for offset in search.trailers { try adoptTrailer(at: offset) }
        for number in search.trailerStreams { try adoptTrailerStream(number) }
        // In an encrypted file, the content of object streams is encrypted.
        if security == nil { try unlock() }
        try adoptObjectStreams(search.objectStreams)
        if trailer["Root"] == nil, let catalogue = search.catalogue {
            trailer["Root"] = .reference(PDFReference(number: catalogue, generation: 0))
        }
        if trailer["Info"] == nil, let information = search.information {
            trailer["Info"] = .reference(PDFReference(number: information, generation: 0))
        }
        return true
    }

    /// A trailer later in the file is newer, so it takes precedence.
    private func adoptTrailer(at offset: Int) throws(PDFFault) {
        do {
            let found = try parse(at: offset) { parser throws(PDFParser.Stop) -> PDFObject in
                try parser.value()
            }
            adopt(found.value.dictionary ?? [:])
        } catch {
            if case .source = error { throw error }
        }
    }

    private func adoptTrailerStream(_ number: Int) throws(PDFFault) {
        do {
            adopt(try object(number).dictionary ?? [:])
        } catch {
            if case .source = error { throw error }
        }
    }

    private func adopt(_ found: [String: PDFObject]) {
        for key in ["Root", "Info", "ID", "Encrypt"] {
            if let value = found[key], value != .null { trailer[key] = value }
        }
    }

    /// Adds the objects of object streams. Later streams take precedence over earlier ones.
    private func adoptObjectStreams(_ numbers: [Int]) throws(PDFFault) {
        guard case .list(var entries)? = sections.first else { return }
        for number in numbers.reversed().prefix(256) {
            do {
                let container = try objectStream(number)
                for (index, inner) in container.numbers.enumerated() where entries[inner] == nil {
                    entries[inner] = .inside(stream: number, index: index)
                    guard trailer["Root"] == nil else { continue }
                    let object = try container.object(inner, index: index, limits: limits)
                    if object?.dictionary?["Type"]?.name == "Catalog" {
                        trailer["Root"] = .reference(PDFReference(number: inner, generation: 0))
                    }
                }
            } catch {
                if case .source = error { throw error }
                note("Object stream \(number) is damaged.")
            }
        }
        sections[0] = .list(entries)
        forget()
    }
}
