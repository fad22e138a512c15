extension JSONOutline {
    /// The outline of a whole document in memory; nil if it is no JSON or its root neither object nor array.
    init?(document: [UInt8]) {
        var document = document
        if WideText.isMarked(document) {
            guard let text = WideText.validUTF8(document) else { return nil }
            document = text
        }
        var offset = 0
        let outline = JSONOutline.read { _ in
            let piece = document[offset..<min(document.count, offset + SniffLimits.head)]
            offset += piece.count
            return Array(piece)
        }
        guard let outline else { return nil }
        self = outline
    }

    /// The outline of a document in a source, of which no more is read than settles the format.
    ///
    /// A document of up to 64 KiB is read whole. Of a longer one reading stops there, if the format is settled; else it
    /// is read on to its end, if that is no farther than 16 MiB.
    init?(reading source: SniffedSource) {
        if WideText.isMarked(source.head(4).bytes) {
            // Pieces could end inside a character, and such documents are rare: read the document whole.
            // One that is known to be too long is not read in vain.
            guard source.knownLength.map({ $0 <= Int64(SniffLimits.document) }) ?? true,
                let data = source.data(0..<Int64(SniffLimits.document + 1)),
                data.count <= SniffLimits.document
            else { return nil }
            self.init(document: [UInt8](data))
            return
        }
        var pieces = Pieces(source)
        let outline = JSONOutline.read { pieces.next(isSettled: $0.isSettled) }
        guard let outline, outline.isComplete || outline.isSettled else { return nil }
        self = outline
    }

    /// The pieces of a document in a source.
    private struct Pieces {
        private let source: SniffedSource
        private let isTooLong: Bool
        private var offset = 0

        init(_ source: SniffedSource) {
            self.source = source
            isTooLong = source.knownLength.map { $0 > Int64(SniffLimits.document) } ?? false
        }

        /// The next piece, empty at the end; nil if no more is to be read.
        mutating func next(isSettled: Bool) -> [UInt8]? {
            let (head, isAll) = source.head(offset == 0 ? SniffLimits.firstLook : SniffLimits.head)
            if offset < head.count {
                defer { offset = head.count }
                return offset == 0 ? head : Array(head[offset...])
            }
            if isAll { return [] }
            guard !isSettled, !isTooLong else { return nil }
            // One byte more than may be, to learn whether the document ends where it must.
            let end = min(offset + SniffLimits.chunk, SniffLimits.document + 1)
            guard let data = source.data(Int64(offset)..<Int64(end)) else { return nil }
            offset += data.count
            return offset > SniffLimits.document ? nil : [UInt8](data)
        }
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
