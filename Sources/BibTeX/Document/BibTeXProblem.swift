/// Why BibDesk's app for iPhone and iPad would refuse a file.
public struct BibTeXProblem: Sendable, Hashable, CustomStringConvertible {
    /// The entry in which reading stopped. Its mistake may be lines before that.
    public struct Entry: Sendable, Hashable {
        /// The cite key, at most 80 Unicode scalars of it.
        public let key: String
        /// The line with the entry's `@`, counted from 1.
        public let line: Int
    }

    /// The line, counted from 1.
    public let line: Int
    /// The column in letters, counted from 1.
    public let column: Int
    /// What is wrong, as a full sentence.
    public let message: String
    /// The entry; nil if the problem is elsewhere, such as in the text before an entry, or if the entry has no cite
    /// key.
    public let entry: Entry?

    /// The message; if the entry starts on an earlier line, with the entry.
    public var explanation: String {
        guard let entry, entry.line < line else { return message }
        return "\(message) The entry '\(entry.key)' starts on line \(entry.line)."
    }
    /// Place and explanation on one line.
    public var description: String { "line \(line), column \(column): \(explanation)" }
}

/// A problem at an offset of a file.
private struct LocatedMessage {
    let offset: Int
    let message: String
    /// The offset of the entry's `@`, and its cite key.
    var entry: (offset: Int, key: String)?

    init(_ offset: Int, _ message: String, in block: BibTeXBlock? = nil, from start: Int = 0) {
        (self.offset, self.message) = (offset, message)
        guard let block, let key = block.key, offset >= start + block.leading.count else { return }
        entry = (start + block.leading.count, String(String.UnicodeScalarView(key.unicodeScalars.prefix(80))))
    }
}

extension BibTeXDocument {
    /// What would keep BibDesk's app from loading the file as it is; empty if the app loads it. Reports at most one
    /// problem for each block.
    ///
    /// The app uses btparse, and refuses the whole file if one entry has an error. So this follows btparse's rules
    /// strictly, while the parser of this module is lenient. The app also refuses links to files in forms other than
    /// its own.
    ///
    /// - Parameter readsArchivesOnly: whether a link in another form is a problem, as it is for BibDesk's app.
    public func problemsForApp(readsArchivesOnly: Bool = true) -> [BibTeXProblem] {
        guard encoding == .utf8 || encoding.isOneByte else {
            return [BibTeXProblem(line: 1, column: 1, message: "The file is not in UTF-8.", entry: nil)]
        }
        let bytes = bytes
        if let unreadableEncoding, let place = Self.firstInvalid(bytes) ?? bytes.firstIndex(of: 0) {
            let message =
                "The file is in the encoding '\(unreadableEncoding)', which cannot be read. Save it in UTF-8."
            return Self.problems([LocatedMessage(place, message)], in: bytes)
        }
        var found: [LocatedMessage] = []
        if let place = Self.firstInvalid(bytes) {
            found.append(LocatedMessage(place, "This byte is not UTF-8."))
        }
        var start = 0
        for block in blocks {
            if let (place, message) = AppGrammar.problem(bytes, start..<(start + block.bytes.count)) {
                found.append(LocatedMessage(place, message, in: block, from: start))
            } else if readsArchivesOnly, let (place, message) = block.linkProblem {
                found.append(LocatedMessage(start + place, message, in: block, from: start))
            }
            start += block.bytes.count
        }
        return Self.problems(found, in: bytes)
    }

    /// What would keep BibDesk's app from loading the file in the form in which it is sent, with its position in this
    /// file; nil if the app loads it.
    ///
    /// - Parameter readsArchivesOnly: whether a link in another form is a problem, as it is for BibDesk's app.
    public func problemWhenSent(readsArchivesOnly: Bool = true) -> BibTeXProblem? {
        let sent = forApp(readsArchivesOnly: readsArchivesOnly)
        guard let problem = sent.problemsForApp(readsArchivesOnly: readsArchivesOnly).first else {
            return nil
        }
        guard unreadableEncoding == nil else { return problem }
        let bytes = blocks.reduce(into: []) { $0 += $1.bytes }
        let sentBytes = sent.bytes
        // A first block that contains only a byte order mark is not sent.
        let skipped = blocks.count - sent.blocks.count
        var start = blocks.prefix(skipped).reduce(0) { $0 + $1.bytes.count }
        var sentStart = 0
        for (block, twin) in zip(blocks.dropFirst(skipped), sent.blocks) {
            let (end, sentEnd) = (start + block.bytes.count, sentStart + twin.bytes.count)
            let found = AppGrammar.problem(sentBytes, sentStart..<sentEnd)
            if found != nil || (readsArchivesOnly && twin.linkProblem != nil) {
                let own = AppGrammar.problem(bytes, start..<end).flatMap { $0.1 == found?.1 ? $0.0 : nil }
                let place = own ?? start + block.leading.count
                return Self.problems(
                    [LocatedMessage(place, problem.message, in: block, from: start)], in: bytes)[0]
            }
            (start, sentStart) = (end, sentEnd)
        }
        return problem
    }

    /// Whether the file ends inside a block, as a truncated file does.
    public var isCutOff: Bool { blocks.last.map { AppGrammar.isCutOff(Array($0.bytes)) } ?? false }

    /// The diagnostics of a severity, with their positions. Macros that are defined twice or not at all are warnings.
    public func problems(_ severity: BibTeXDiagnostic.Severity) -> [BibTeXProblem] {
        var found: [LocatedMessage] = []
        var start = 0
        for block in blocks {
            for diagnostic in block.diagnostics where diagnostic.severity == severity {
                found.append(
                    LocatedMessage(start + diagnostic.offset, diagnostic.message, in: block, from: start))
            }
            start += block.bytes.count
        }
        if severity == .warning { found += macroWarnings.map { LocatedMessage($0.0, $0.1) } }
        guard !found.isEmpty else { return [] }
        return Self.problems(found, in: blocks.reduce(into: []) { $0 += $1.bytes })
    }

    /// The problems in the order of their places. Lines and columns are counted in one pass.
    private static func problems(_ found: [LocatedMessage], in bytes: [UInt8]) -> [BibTeXProblem] {
        let places = positions(
            of: found.flatMap { $0.entry.map { [$0.offset] } ?? [] } + found.map(\.offset), in: bytes)
        func place(_ offset: Int) -> (line: Int, column: Int) { places[offset] ?? (1, 1) }
        return found.sorted { $0.offset < $1.offset }.map { found in
            let (line, column) = place(found.offset)
            let entry = found.entry.map { BibTeXProblem.Entry(key: $0.key, line: place($0.offset).line) }
            return BibTeXProblem(line: line, column: column, message: found.message, entry: entry)
        }
    }

    /// Line and column of each offset. A line ends with LF, CR LF or CR.
    private static func positions(of offsets: [Int], in bytes: [UInt8]) -> [Int: (line: Int, column: Int)] {
        var places: [Int: (line: Int, column: Int)] = [:]
        var line = 1
        var column = 1
        var index = 0
        for offset in offsets.sorted() {
            while index < min(offset, bytes.count) {
                let byte = bytes[index]
                index += 1
                if byte == 0x0A || (byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A)) {
                    line += 1
                    column = 1
                } else if byte & 0xC0 != 0x80, byte != 0x0D {
                    column += 1
                }
            }
            places[offset] = (line, column)
        }
        return places
    }

    private static func firstInvalid(_ bytes: [UInt8]) -> Int? {
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var offset = 0
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while case .valid(let encoded) = parser.parseScalar(from: &iterator) { offset += encoded.count }
        return offset
    }

    /// The document in the form in which it is sent to the device: in UTF-8, with links in the form that the app
    /// reads, and with a comma after every key. Links without a path are left out, because only a Mac can follow
    /// them. `problemsForApp` says whether the app loads the result.
    ///
    /// - Parameter readsArchivesOnly: whether links are converted to the form of BibDesk's app; for other apps they
    ///   stay as they are.
    public func forApp(readsArchivesOnly: Bool = true) -> BibTeXDocument {
        var copy = inUTF8()
        let style = copy.fieldNameStyle
        for index in copy.blocks.indices where copy.blocks[index].kind == .entry {
            let block = copy.blocks[index]
            if let changed = block.withComma { copy.blocks[index] = changed }
            guard readsArchivesOnly else { continue }
            let links = block.linkedFiles
            let ready = links.compactMap(\.forApp)
            guard ready != links || !block.hasTidyLinks, !block.isOpaque,
                let changed = Self.setting(ready, of: block, named: style.written)
            else { continue }
            copy.blocks[index] = changed
        }
        return copy
    }
}

extension BibTeXBlock {
    /// The first link that the app cannot read.
    fileprivate var linkProblem: (Int, String)? {
        guard kind == .entry else { return nil }
        for (_, _, field) in linkedFileFields {
            let link = FileLink(value(of: field))
            if link.form != .keyedArchive || link.relativePath == nil {
                return (field.name.start, "The link to a file has a form that the app cannot read.")
            }
        }
        return nil
    }
}
