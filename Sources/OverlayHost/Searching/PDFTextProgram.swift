import DeviceTransport

/// Reads the texts of PDF files with `pdftotext` of poppler, which runs confined.
public struct PDFTextProgram: Sendable {
    private let program: ConfinedProgram

    /// Bytes of text that are read of one file; the rest of a longer one is not searched.
    static let mostText = 2 << 20

    /// The program, if it is installed.
    ///
    /// - Throws: `notFound` with what to install.
    public init(_ paths: HostPaths) throws(HostError) {
        guard let path = paths.program("pdftotext") else {
            throw HostError(
                .notFound, "The texts of PDF files cannot be read because pdftotext is not installed.",
                hint: "Install poppler's tools: sudo apt install poppler-utils.")
        }
        program = ConfinedProgram(path: path, launcher: paths.workerProgram)
    }

    /// Bytes of a description of words that are read of some pages.
    private static let mostWords = 8 << 20

    /// The words of some pages of a PDF file with their places, a list for each page.
    ///
    /// - Parameters:
    ///   - file: its path on this computer.
    ///   - pages: the pages; the first of a file is 1.
    ///   - time: how long it may take.
    ///   - cancellation: ends the reading.
    /// - Throws: as `text` does.
    func words(
        of file: String, _ pages: ClosedRange<Int>, within time: Duration, _ cancellation: Cancellation
    ) throws(HostError) -> [[PDFWord]] {
        let range = ["-f", "\(pages.lowerBound)", "-l", "\(pages.upperBound)"]
        let bytes = try program.run(
            ["-q", "-enc", "UTF-8", "-bbox"] + range + [file, "-"], reading: file,
            ConfinedProgram.Limits(output: Self.mostWords, time: time), cancellation)
        return PDFWords.pages(bytes)
    }

    /// The text of a PDF file, at most 2 MiB of it; characters that are damaged are replaced.
    ///
    /// - Parameters:
    ///   - file: its path on this computer.
    ///   - cancellation: ends the reading.
    /// - Throws: `rejected` for a file that the program cannot read, such as one with a password; `timedOut`; `cancelled`.
    public func text(of file: String, _ cancellation: Cancellation) throws(HostError) -> String {
        let bytes = try program.run(
            ["-q", "-enc", "UTF-8", "-nopgbrk", file, "-"], reading: file,
            ConfinedProgram.Limits(output: Self.mostText), cancellation)
        return String(decoding: bytes, as: UTF8.self)
    }
}
