import Formats
import Archives
import Platform

/// An annotation that a reader made on a page of a PDF file (ISO 32000-1, 12.5).
public struct PDFAnnotation: Hashable, Sendable {
    /// The kind of an annotation.
    public enum Kind: Sendable {
        /// Text that was highlighted, underlined or struck out.
        case highlight
        /// A note on the page, or the comment on a drawing.
        case note
    }

    /// The kind of the annotation.
    public var kind: Kind
    /// The number of its page; the first page is 1.
    public var page: Int
    /// The text that the reader wrote. Some programs store the marked words of the page here.
    public var note: String?
    /// The author of the annotation, as the file states it.
    public var author: String?
    /// The color as `#rrggbb`.
    public var color: String?
    /// When it was last changed, in seconds since 1970-01-01 00:00 UTC. A time without a zone counts as UTC.
    public var modified: Int64?
    /// The marked areas of the page, usually one for each line; empty for a note.
    public var areas: [PDFArea] = []
}

/// The annotations that readers made in a PDF file.
public struct PDFAnnotations: Sendable {
    /// The annotations in page order; those of one page are in file order.
    public private(set) var annotations: [PDFAnnotation] = []
    /// The parts that could not be read, with the reasons.
    public private(set) var shortcomings: [Shortcoming] = []

    /// The largest number of annotations of one file that are read.
    private static let most = 10_000
    /// The largest number of annotations of one page that are examined, including links and form fields.
    private static let mostOnPage = 5_000
    /// The largest number of shortcomings that are listed.
    private static let mostShortcomings = 20

    /// Reads the annotations of a PDF file by ranges. It reads the dictionaries of the pages, but not their content.
    ///
    /// Blocks while reading; may be called from any thread.
    ///
    /// - Parameters:
    ///   - source: the bytes.
    ///   - name: the file's name, for error messages.
    /// - Throws: `unreadable` if the source fails, `damaged` if it is not a PDF file, `tooLarge` if nothing can be
    ///   read within the limits. Damage to parts of the file becomes a shortcoming.
    public init(from source: any ByteSource, name: String? = nil) throws(PublicationError) {
        var limits = PDFLimits()
        limits.readBytes = 64 << 20
        limits.objects = 50_000
        limits.allDecodedBytes = 64 << 20
        if source.isNear { limits.recoveryBytes = PDFReader.localRecoveryBytes }
        do throws(PDFFault) {
            let file = try PDFFile(try PDFInput(source, limit: limits.readBytes), limits: limits)
            if let refusal = file.security?.refusal {
                shortcomings.append(Shortcoming(.encrypted, subject: "", message: refusal))
                return
            }
            try read(file)
        } catch {
            throw PDFReader.refusal(error, PublicationInput(source: source, name: name, format: .pdf))
        }
    }

    private mutating func read(_ file: PDFFile) throws(PDFFault) {
        var budget = PDFAnnotationBudget()
        var pages = PDFPages(of: file)
        var number = 0
        var isAtEnd = false
        do throws(PDFFault) {
            while !isAtEnd {
                // An entry of the page tree that cannot be read counts as one page.
                number += 1
                try attempt("page \(number)") { (result) throws(PDFFault) in
                    guard let page = try pages.next(&budget) else {
                        isAtEnd = true
                        return
                    }
                    try result.read(page, number, file, &budget)
                }
                if annotations.count == Self.most {
                    throw .limit("Only the first \(Self.most) annotations were read.")
                }
            }
        } catch {
            if case .source = error { throw error }
            note(Shortcoming(error.code, subject: "page \(number)", message: error.message))
        }
        for damage in file.damages { note(Shortcoming(.damagedPart, subject: "", message: damage)) }
    }

    /// Adds a shortcoming unless the list is full. `tooLarge` is always added because it ends the reading.
    private mutating func note(_ shortcoming: Shortcoming) {
        guard shortcomings.count < Self.mostShortcomings || shortcoming.code == .tooLarge else { return }
        shortcomings.append(shortcoming)
    }

    /// Runs `read` for one part. Damage to that part becomes a shortcoming; a failing source or an exceeded limit is
    /// thrown.
    private mutating func attempt(
        _ subject: String, _ read: (inout PDFAnnotations) throws(PDFFault) -> Void
    ) throws(PDFFault) {
        do throws(PDFFault) {
            try read(&self)
        } catch {
            switch error {
            case .source, .limit: throw error
            case .malformed, .locked:
                note(Shortcoming(error.code, subject: subject, message: error.message))
            }
        }
    }

    private mutating func read(
        _ page: [String: PDFObject], _ number: Int, _ file: PDFFile, _ budget: inout PDFAnnotationBudget
    ) throws(PDFFault) {
        let entries = try file.resolve(page["Annots"]).array?.prefix(Self.mostOnPage) ?? []
        guard !entries.isEmpty else { return }
        var box: PDFPageBox?
        try attempt("page \(number)") { (_) throws(PDFFault) in box = try PDFPageBox(page, file) }
        for entry in entries {
            guard annotations.count < Self.most else { return }
            try budget.takeEntries(1)
            try attempt("page \(number)") { (result) throws(PDFFault) in
                guard let values = try file.resolve(entry).dictionary,
                    let annotation = try PDFAnnotation(values, page: number, box, file, &budget)
                else { return }
                result.annotations.append(annotation)
            }
        }
    }
}

extension PDFFault {
    fileprivate var code: Shortcoming.Code {
        switch self {
        case .source: .unreadablePart
        case .malformed: .damagedPart
        case .limit: .tooLarge
        case .locked: .encrypted
        }
    }
}

extension PDFAnnotation {
    private static let hidden = 2
    /// The longest date, in bytes. Longer values are not dates.
    private static let longestDate = 128

    /// Reads one annotation; nil for links, form fields, popups of other annotations, and notes without text.
    fileprivate init?(
        _ values: [String: PDFObject], page: Int, _ box: PDFPageBox?, _ file: PDFFile,
        _ budget: inout PDFAnnotationBudget
    ) throws(PDFFault) {
        guard try (file.resolve(values["F"]).integer ?? 0) & Self.hidden == 0 else { return nil }
        let kind: Kind
        var note: String?
        func readNote() throws(PDFFault) {
            note = try budget.text(file.resolve(values["Contents"]), PDFText.cleanLines)
        }
        switch try file.resolve(values["Subtype"]).name {
        case "Highlight", "Underline", "Squiggly", "StrikeOut":
            try readNote()
            kind = .highlight
        case "Text", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Ink", "Stamp", "Caret",
            "FileAttachment", "Sound":
            try readNote()
            guard note != nil else { return nil }
            kind = .note
        default: return nil
        }
        self.init(kind: kind, page: page)
        self.note = note
        if kind == .highlight, let box {
            areas = try Self.areas(file.resolve(values["QuadPoints"]).array ?? [], box, file, &budget)
        }
        author = try budget.text(file.resolve(values["T"]), PDFText.clean)
        color = try Self.color(file.resolve(values["C"]).array ?? [], file)
        var changed = try file.resolve(values["M"])
        if changed == .null { changed = try file.resolve(values["CreationDate"]) }
        modified = changed.string.flatMap {
            $0.count > Self.longestDate ? nil : PDFDate.parse(PDFText.decode($0))
        }.flatMap(\.secondsSince1970)
    }

    /// The largest number of areas of one highlight that are read, usually one for each line.
    private static let mostAreas = 500

    /// The areas of a list of corners; each area has four corners.
    private static func areas(
        _ corners: [PDFObject], _ box: PDFPageBox, _ file: PDFFile, _ budget: inout PDFAnnotationBudget
    ) throws(PDFFault) -> [PDFArea] {
        let corners = corners.prefix(8 * mostAreas)
        try budget.takeEntries(corners.count / 8)
        var numbers: [Double] = []
        for corner in corners { numbers.append(try file.resolve(corner).number ?? .nan) }
        return stride(from: 0, through: numbers.count - 8, by: 8).compactMap {
            box.area(numbers[$0..<$0 + 8])
        }
    }

    /// Converts one, three or four numbers: gray, RGB or CMYK.
    private static func color(_ parts: [PDFObject], _ file: PDFFile) throws(PDFFault) -> String? {
        guard [1, 3, 4].contains(parts.count) else { return nil }
        var numbers: [Double] = []
        for part in parts {
            guard let number = try file.resolve(part).number, number.isFinite else { return nil }
            numbers.append(min(max(number, 0), 1))
        }
        switch numbers.count {
        case 1: numbers = [numbers[0], numbers[0], numbers[0]]
        case 4: numbers = numbers[..<3].map { (1 - $0) * (1 - numbers[3]) }
        default: break
        }
        return "#" + Hex.text(numbers.map { UInt8(($0 * 255).rounded()) })
    }
}

extension PartialDate {
    /// The date in seconds since 1970-01-01 00:00 UTC. Without a time, the beginning of the day; nil without a day.
    fileprivate var secondsSince1970: Int64? {
        guard let month, let day else { return nil }
        let days = Int64(CivilDay.number(year: year, month: month, day: day))
        let minutes = (time?.hour ?? 0) * 60 + (time?.minute ?? 0) - (time?.offset ?? 0)
        return days * CivilTime.secondsPerDay + Int64(minutes * 60 + (time?.second ?? 0))
    }
}
