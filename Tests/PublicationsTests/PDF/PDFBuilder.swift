import CZlib

/// Writes valid and invalid PDF files for tests, byte by byte.
struct PDFBuilder {
    private(set) var bytes: [UInt8]
    private var entries: [Int: Entry] = [:]
    private var previous: Int?

    private enum Entry {
        case free
        case offset(Int)
        case inside(Int, Int)
    }

    init(header: String = "%PDF-1.5\n%\u{E2}\u{E3}\n") {
        bytes = Array(header.utf8)
    }

    /// A file with a catalogue, one page, and the entries of the document information.
    static func simple(info: String = "", catalogue: String = "") -> PDFBuilder {
        var builder = PDFBuilder()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R \(catalogue) >>")
        builder.object(2, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
        builder.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>")
        builder.object(4, "<< \(info) >>")
        return builder
    }

    /// The trailer of `simple`.
    static let trailer = "/Root 1 0 R /Info 4 0 R"

    /// `simple` with a table and its end.
    static func finished(info: String = "", catalogue: String = "") -> [UInt8] {
        var builder = simple(info: info, catalogue: catalogue)
        builder.table(trailer)
        return builder.bytes
    }

    mutating func text(_ text: String) { bytes += Array(text.utf8) }

    mutating func object(_ number: Int, _ body: String) {
        entries[number] = .offset(bytes.count)
        text("\(number) 0 obj\n\(body)\nendobj\n")
    }

    mutating func stream(_ number: Int, _ dictionary: String, _ data: [UInt8], length: Int? = nil) {
        entries[number] = .offset(bytes.count)
        text("\(number) 0 obj\n<< \(dictionary) /Length \(length ?? data.count) >>\nstream\n")
        bytes += data
        text("\nendstream\nendobj\n")
    }

    mutating func free(_ number: Int) { entries[number] = .free }

    /// Packs objects into an object stream, compressed or not.
    mutating func pack(_ number: Int, _ objects: [(Int, String)], compressed: Bool = true) {
        var index = ""
        var body = ""
        for (place, (inner, text)) in objects.enumerated() {
            index += "\(inner) \(body.utf8.count) "
            body += text + " "
            entries[inner] = .inside(number, place)
        }
        let data = Array((index + body).utf8)
        stream(
            number,
            "/Type /ObjStm /N \(objects.count) /First \(index.utf8.count)"
                + (compressed ? " /Filter /FlateDecode" : ""), compressed ? Self.deflated(data) : data)
    }

    /// Writes a table of everything since the last section, with its trailer and the end of the file.
    mutating func table(
        _ trailer: String, lineEnd: String = " \n", offsetBy shift: Int = 0, extra: String = ""
    ) {
        let start = bytes.count
        var all = entries
        if previous == nil { all[0] = .free }
        text("xref\n")
        for run in Self.runs(all.keys.sorted()) {
            text("\(run.lowerBound) \(run.count)\n")
            for number in run {
                switch all[number] {
                case .offset(let offset): text(Self.padded(offset + shift, 10) + " 00000 n" + lineEnd)
                default: text("0000000000 65535 f" + lineEnd)
                }
            }
        }
        finish(
            "trailer\n<< /Size 100 \(trailer)\(previous.map { " /Prev \($0)" } ?? "")\(extra) >>\n",
            start + shift)
    }

    /// Writes a cross-reference stream of everything since the last section, and the end of the file.
    @discardableResult
    mutating func entryStream(_ number: Int, _ trailer: String, predictor: Bool = false, ends: Bool = true)
        -> Int
    {
        let start = bytes.count
        entries[number] = .offset(start)
        var rows: [[UInt8]] = []
        let numbers = entries.keys.sorted()
        for key in numbers {
            let (kind, first, second): (Int, Int, Int) =
                switch entries[key] {
                case .offset(let offset): (1, offset, 0)
                case .inside(let stream, let index): (2, stream, index)
                default: (0, 0, 0)
                }
            rows.append(
                [kind, first >> 24, first >> 16, first >> 8, first, second >> 8, second].map {
                    UInt8($0 & 0xFF)
                })
        }
        var data: [UInt8] = []
        var above = [UInt8](repeating: 0, count: 7)
        for (index, row) in rows.enumerated() {
            guard predictor else {
                data += row
                continue
            }
            // All the five filters in turn.
            let kind = index % 5
            data.append(UInt8(kind))
            for column in 0..<7 {
                let (left, up) = (column > 0 ? row[column - 1] : 0, above[column])
                let corner = column > 0 ? above[column - 1] : 0
                data.append(row[column] &- Self.prediction(kind, Int(left), Int(up), Int(corner)))
            }
            above = row
        }
        let index = Self.runs(numbers).map { "\($0.lowerBound) \($0.count)" }.joined(separator: " ")
        var dictionary = "/Type /XRef /W [1 4 2] /Index [\(index)] /Size 100 /Filter /FlateDecode \(trailer)"
        if predictor { dictionary += " /DecodeParms << /Predictor 15 /Columns 7 >>" }
        if let previous { dictionary += " /Prev \(previous)" }
        stream(number, dictionary, Self.deflated(data))
        if ends { finish("", start) }
        return start
    }

    private mutating func finish(_ trailer: String, _ start: Int) {
        text(trailer + "startxref\n\(start)\n%%EOF\n")
        previous = start
        entries = [:]
    }

    private static func prediction(_ kind: Int, _ left: Int, _ up: Int, _ corner: Int) -> UInt8 {
        switch kind {
        case 1: return UInt8(left)
        case 2: return UInt8(up)
        case 3: return UInt8((left + up) / 2)
        case 4:
            let (a, b, c) = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
            return UInt8(a <= b && a <= c ? left : b <= c ? up : corner)
        default: return 0
        }
    }

    private static func runs(_ numbers: [Int]) -> [ClosedRange<Int>] {
        numbers.reduce(into: []) { runs, number in
            if let last = runs.last, last.upperBound == number - 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }

    /// The bytes compressed by zlib.
    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        compress2(&result, &count, bytes, UInt(bytes.count), 9)
        return Array(result.prefix(Int(count)))
    }
}
