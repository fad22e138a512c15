import Foundation
import TestSupport

/// A PDF of one page with a highlight.
enum HighlightedPDF {
    /// A marked area: the upper half of the page. The origin of the page is at the bottom.
    static let area = "/QuadPoints [0 9 9 9 0 6 9 6]"

    /// The bytes of the file.
    ///
    /// - Parameter mark: what the highlight says besides its colour, author and date.
    static func bytes(_ mark: String = "/Contents (Bernoulli)") -> [UInt8] {
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots [4 0 R] >>",
            "<< /Subtype /Highlight /C [1 1 0] \(mark) /T (Ada) /M (D:20240501120000Z) >>",
        ]
        var text = "%PDF-1.4\n"
        var table = "xref\n0 5\n0000000000 65535 f \n"
        for (place, object) in objects.enumerated() {
            table +=
                String(repeating: "0", count: 10 - "\(text.utf8.count)".count)
                + "\(text.utf8.count) 00000 n \n"
            text += "\(place + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        return Array((text + table + "trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n").utf8)
    }
}

extension ReaderBench {
    /// A folder with a program that prints words of the first page, like `pdftotext -bbox`, and fails for other
    /// arguments.
    func wordReader() throws -> String {
        let folder = self.folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appendingPathComponent("pdftotext")
        let script = #"""
            #!/bin/sh
            [ "$*" = "-q -enc UTF-8 -bbox -f 1 -l 1 $9 -" ] || exit 1
            echo '<page width="9.000000" height="9.000000">'
            echo '  <word xMin="1" yMin="1" xMax="2" yMax="2">Bernoulli&amp;s</word>'
            echo '  <word xMin="3" yMin="1" xMax="5" yMax="2">numbers</word>'
            echo '  <word xMin="1" yMin="6" xMax="5" yMax="7">elsewhere</word>'
            echo '</page>'
            """#
        try writeProgram(script, to: program)
        return folder.path
    }
}
