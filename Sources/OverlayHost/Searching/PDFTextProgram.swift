import DeviceTransport

/// Reads the texts of PDF files with `pdftotext` of poppler, which runs confined.
///
/// ```swift
/// func words(in file: String, _ request: SessionRequest) throws -> Int {
///     let text = try PDFTextProgram(request.paths).text(of: file, request.cancellation)
///     return text.split(whereSeparator: \.isWhitespace).count
/// }
/// ```
public struct PDFTextProgram: Sendable {
    private let program: ConfinedProgram

    /// The bytes of text that are read of one file. The rest of a longer text is not searched.
    static let mostText = 2 << 20

    /// Finds the installed program.
    ///
    /// - Throws: `notFound`, with a hint on what to install.
    public init(_ paths: HostPaths) throws(HostError) {
        guard let path = paths.program("pdftotext") else {
            throw HostError(
                .notFound, "The texts of PDF files cannot be read because pdftotext is not installed.",
                hint: "Install poppler's tools: sudo apt install poppler-utils.")
        }
        program = ConfinedProgram(path: path, launcher: paths.workerProgram)
    }

    /// The largest description of words that is read in one run, in bytes.
    private static let mostWords = 8 << 20

    /// The words of some pages of a PDF file with their positions, as a list for each page.
    ///
    /// - Parameters:
    ///   - file: the path on the host.
    ///   - pages: the pages, counted from 1.
    ///   - time: the time limit.
    ///   - cancellation: cancels the reading.
    /// - Throws: the errors of `text`.
    func words(
        of file: String, _ pages: ClosedRange<Int>, within time: Duration, _ cancellation: Cancellation
    ) throws(HostError) -> [[PDFWord]] {
        let range = ["-f", "\(pages.lowerBound)", "-l", "\(pages.upperBound)"]
        let bytes = try program.run(
            ["-q", "-enc", "UTF-8", "-bbox"] + range + [file, "-"], reading: file,
            ConfinedProgram.Limits(output: Self.mostWords, time: time), cancellation)
        return PDFWords.pages(bytes)
    }

    /// The text of a PDF file, up to 2 MiB. Invalid characters are replaced.
    ///
    /// - Parameters:
    ///   - file: the path on the host.
    ///   - cancellation: cancels the reading.
    /// - Throws: `rejected` for a file that the program cannot read, such as one with a password; `timedOut`;
    ///   `cancelled`.
    public func text(of file: String, _ cancellation: Cancellation) throws(HostError) -> String {
        let bytes = try program.run(
            ["-q", "-enc", "UTF-8", "-nopgbrk", file, "-"], reading: file,
            ConfinedProgram.Limits(output: Self.mostText), cancellation)
        return String(decoding: bytes, as: UTF8.self)
    }
}
