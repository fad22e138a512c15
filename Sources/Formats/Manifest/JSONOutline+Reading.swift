extension JSONOutline {
    /// The outline of a whole document in memory; nil if it is no JSON or its root neither object nor array.
    init?(document: [UInt8]) {
        var pending: [UInt8]? = document
        guard
            let outline = JSONOutline.read(more: { _ in
                defer { pending = nil }; return pending ?? []
            })
        else { return nil }
        self = outline
    }

    /// The outline of a document in a source, of which no more is read than settles the format.
    ///
    /// A document of up to 64 KiB is read whole. Of a longer one reading stops there, if the format is settled; else it
    /// is read on to its end, if that is no farther than 16 MiB.
    init?(reading source: SniffedSource) {
        var (head, isAll) = source.head(SniffLimits.firstLook)
        if let wide = SniffedText.isWide(head) ? source.data(0..<Int64(SniffLimits.document + 1)) : nil {
            // Characters of several bytes cannot be cut anywhere, and are rare: read the document whole.
            guard wide.count <= SniffLimits.document, let text = WideText.utf8([UInt8](wide)) else {
                return nil
            }
            self.init(document: text)
            return
        }
        var offset = 0
        let isTooLong = source.knownLength.map { $0 > Int64(SniffLimits.document) } ?? false
        let outline = JSONOutline.read { outline in
            if offset == 0 {
                offset = head.count
                return head
            }
            if isAll { return [] }
            if offset < SniffLimits.head {
                (head, isAll) = source.head(SniffLimits.head)
                let more = head[offset...]
                offset = head.count
                if !more.isEmpty || isAll { return Array(more) }
            }
            if outline.isSettled { return nil }
            guard !isTooLong, offset <= SniffLimits.document,
                let data = source.data(Int64(offset)..<Int64(offset + SniffLimits.chunk))
            else { return nil }
            offset += data.count
            return [UInt8](data)
        }
        guard let outline, outline.isComplete ? offset <= SniffLimits.document : outline.isSettled else {
            return nil
        }
        self = outline
    }

    /// Reads a document of pieces.
    ///
    /// - Parameter more: the next piece, empty at the end, nil to stop reading; it is told what is known so far.
    private static func read(more: (JSONOutline) -> [UInt8]?) -> JSONOutline? {
        withoutActuallyEscaping(more) { more in
            let reader = OutlineReader(more)
            do throws(JSONWalker.Stop) {
                try reader.readDocument()
                reader.outline.isComplete = true
                return reader.outline
            } catch {
                switch error {
                case .malformed: return nil
                case .interrupted: return reader.outline
                }
            }
        }
    }
}

/// Texts by their first bytes.
enum SniffedText {
    /// Whether a byte order mark announces UTF-16 or UTF-32.
    static func isWide(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
    }
}
