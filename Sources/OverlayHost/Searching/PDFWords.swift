import Platform
import Publications

/// A word on a page of a PDF file, with its position.
struct PDFWord: Equatable {
    /// The word.
    let text: String
    /// The area of the word.
    let area: PDFArea

    /// Whether the center of the word is in an area.
    func isMarked(by area: PDFArea) -> Bool {
        let (x, y) = ((self.area.left + self.area.right) / 2, (self.area.top + self.area.bottom) / 2)
        return area.left <= x && x <= area.right && area.top <= y && y <= area.bottom
    }
}

/// Parses the output of `pdftotext -bbox`: the words of each page with their positions.
enum PDFWords {
    /// The words of each page in reading order. Lines of unknown form are ignored.
    static func pages(_ output: [UInt8]) -> [[PDFWord]] {
        var pages: [[PDFWord]] = []
        for line in String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("<page ") {
                pages.append([])
            } else if !pages.isEmpty, let word = word(line) {
                pages[pages.count - 1].append(word)
            }
        }
        return pages
    }

    /// The word in a line such as `<word xMin="1" yMin="2" xMax="3" yMax="4">text</word>`.
    private static func word(_ line: Substring) -> PDFWord? {
        let end = "</word>"
        guard line.hasPrefix("<word "), line.hasSuffix(end), let start = line.firstIndex(of: ">") else {
            return nil
        }
        let parts = line[..<start].split(separator: "\"", omittingEmptySubsequences: false)
        let names = ["<word xMin=", " yMin=", " xMax=", " yMax="]
        guard parts.count == 9, zip(names, stride(from: 0, to: 8, by: 2)).allSatisfy({ parts[$1] == $0 })
        else {
            return nil
        }
        let numbers = [parts[1], parts[3], parts[5], parts[7]].compactMap { Double($0) }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else { return nil }
        return PDFWord(
            text: XMLText.plain(line[line.index(after: start)...].dropLast(end.count)),
            area: PDFArea(left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3]))
    }
}
