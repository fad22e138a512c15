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
