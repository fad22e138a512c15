/// A PDF of one page with a highlight.
enum HighlightedPDF {
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
