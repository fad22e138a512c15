import DeviceTransport
import HostErrors
import Publications

/// Reads the words that highlights in PDF files mark. The annotations themselves only contain areas of the page and
/// the user's notes.
struct MarkedWords: Sendable {
    /// The program that reads the texts; nil if it is not installed.
    let program: PDFTextProgram?
    /// Why there is no program; nil if there is one.
    let missing: HostError?

    /// The number of pages that one run of the program reads.
    private static let pagesTogether = 16
    /// The time limit for the words of one file.
    private static let time = Duration.seconds(60)
    /// The largest size in bytes of the words of one highlight, and of all highlights of a file.
    private static let most = (highlight: 16 << 10, file: 1 << 20)

    /// Creates a reader, which works only if the program is installed.
    init(paths: HostPaths) {
        do throws(HostError) {
            (program, missing) = (try PDFTextProgram(paths), nil)
        } catch {
            // Without the program, highlights have no words.
            (program, missing) = (nil, error)
        }
    }

    /// Whether the words of some annotations are to be read.
    static func areMissing(from annotations: [PDFAnnotation]) -> Bool {
        annotations.contains { !$0.areas.isEmpty }
    }

    /// The words of annotations, by the indexes of these.
    ///
    /// - Parameters:
    ///   - annotations: the annotations of one file.
    ///   - file: the path on the host.
    ///   - cancellation: cancels the reading.
    /// - Throws: the errors of `PDFTextProgram.words`.
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
                throw HostError(
                    .timedOut, "Reading the highlighted words took longer than \(Self.time).", subject: file)
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

    /// Ranges of consecutive pages of limited length.
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

    /// Adds the marked words to a highlight, and removes a note that repeats them, which some programs write.
    static func add(_ text: String, to annotation: inout Annotation) {
        annotation.text = text
        if let note = annotation.note, letters(note) == letters(text) { annotation.note = nil }
    }

    /// The letters of a text, for comparisons that ignore line breaks and hyphenation.
    private static func letters(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// The words in some areas, in the order of the areas, up to a limit for complete words.
    static func text(_ words: [PDFWord], _ areas: [PDFArea], _ most: Int) -> String {
        var text = ""
        var left = words[...]
        for area in areas {
            for word in left where word.isMarked(by: area) {
                guard text.utf8.count + word.text.utf8.count + 1 <= most else { return text }
                text += text.isEmpty ? word.text : " " + word.text
            }
            // Count a word in two areas once.
            left.removeAll { $0.isMarked(by: area) }
        }
        return text
    }
}
