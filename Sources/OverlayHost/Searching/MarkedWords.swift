import DeviceTransport
import HostErrors
import Publications

/// Reads the words that highlights in PDF files mark: the file itself has only places on the page, and what a person wrote.
struct MarkedWords {
    /// Reads texts; nil if it is not installed.
    let program: PDFTextProgram?

    /// Pages that are read in one run of the program.
    private static let pagesTogether = 16
    /// How long the words of one file may take.
    private static let time = Duration.seconds(60)
    /// Bytes of the words of one highlight, and of all highlights of a file.
    private static let most = (highlight: 16 << 10, file: 1 << 20)

    /// Words of highlights, if the program is installed.
    init(paths: HostPaths) {
        do throws(HostError) {
            program = try PDFTextProgram(paths)
        } catch {
            // Highlights have no words then.
            program = nil
        }
    }

    /// Whether the words of some of the annotations are to be read.
    static func areMissing(from annotations: [PDFAnnotation]) -> Bool {
        annotations.contains { !$0.areas.isEmpty }
    }

    /// The words of annotations, by their places.
    ///
    /// - Parameters:
    ///   - annotations: those of one file.
    ///   - file: its path on this computer.
    ///   - cancellation: ends the reading.
    /// - Throws: what `PDFTextProgram.words` throws.
    func read(
        _ annotations: [PDFAnnotation], of file: String, _ cancellation: Cancellation
    ) throws(HostError) -> [Int: String] {
        guard let program else { return [:] }
        let marked = Dictionary(
            grouping: annotations.indices.filter { !annotations[$0].areas.isEmpty },
            by: { annotations[$0].page })
        let end = ContinuousClock.now + Self.time
        var texts: [Int: String] = [:]
        var left = Self.most.file
        for pages in Self.ranges(marked.keys.sorted()) {
            let rest = end - .now
            guard rest > .zero else {
                throw HostError(.timedOut, "It takes longer than \(Self.time).", subject: file)
            }
            let words = try program.words(of: file, pages, within: rest, cancellation)
            for (page, words) in zip(pages, words) {
                for place in marked[page] ?? [] {
                    let text = Self.text(words, annotations[place].areas, min(left, Self.most.highlight))
                    guard !text.isEmpty else { continue }
                    left -= text.utf8.count
                    texts[place] = text
                }
            }
        }
        return texts
    }

    /// Pages that follow each other, some at a time.
    static func ranges(_ pages: [Int]) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        for page in pages {
            if let last = ranges.last, page == last.upperBound + 1, last.count < pagesTogether {
                ranges[ranges.count - 1] = last.lowerBound...page
            } else {
                ranges.append(page...page)
            }
        }
        return ranges
    }

    /// A highlight with the words that it marks. A note that repeats them, as some programs write it, goes.
    static func add(_ text: String, to annotation: inout Annotation) {
        annotation.text = text
        if let note = annotation.note, letters(note) == letters(text) { annotation.note = nil }
    }

    /// What two ways to write the same words share: lines may break, and words be divided, in different places.
    private static func letters(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// The words in some areas, in the order of the areas, as far as there is room for whole ones.
    static func text(_ words: [PDFWord], _ areas: [PDFArea], _ most: Int) -> String {
        var text = ""
        var left = words[...]
        for area in areas {
            for word in left where word.isMarked(by: area) {
                guard text.utf8.count + word.text.utf8.count + 1 <= most else { return text }
                text += text.isEmpty ? word.text : " " + word.text
            }
            // A word in two areas counts once.
            left.removeAll { $0.isMarked(by: area) }
        }
        return text
    }
}
