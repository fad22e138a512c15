import Archives
import FoundationEssentials
import FormatSamples

@testable import Formats

extension FuzzTarget {
    /// A document for all sniffers: path, bytes and source give the same answer, the first sniffer that knows the
    /// content also gives it alone, and it reads only the head of a long document that is not an archive.
    static let sniffers = FuzzTarget(
        name: "sniffers", longest: 32 << 10,
        run: { data in
            let answer = Format.guess(bytes: { data })
            let extended = Format.guessExtended(bytes: { data })
            expect(Format.guess(source: DataByteSource(data)) == answer, "bytes and source differ")
            expect(Format.guessExtended(source: DataByteSource(data)) == extended, "they differ, extended")
            expect(answer == nil || answer == extended, "a later format replaced one of the 18")
            if let path = ScratchFile.path(holding: data) {
                expect(Format.guess(path: path) == answer, "bytes and path differ")
            }
            let source = CountingSource(data)
            let report = Format.explain(source: source, otherwise: Format.extendedSniffers)
            expect(report.format == extended, "the explained answer is another one")
            expect(report.bytesRead == source.bytesRead, "the report counts other bytes than the source")
            expect(source.bytesRead <= Int64(data.count), "something was read twice")
            let alone = Format.defaultSniffers.lazy.compactMap { sniffer in
                Format.guess(bytes: { data }, sniffers: [sniffer])
            }
            expect(alone.first == answer, "the first sniffer that knows it is not the one that answered")
            for sniffer in Format.extendedSniffers { _ = Format.guess(bytes: { data }, sniffers: [sniffer]) }
            checkBound(data)
        },
        seeds: {
            var seeds = FormatSample.all.map { Data($0.content) }
            seeds += try RealBooks.smallArchives() + RealBooks.heads()
            seeds += [
                Data("\u{FEFF}{\"metadata\": {\"title\": \"x\"}}".utf8),
                wide("{\"metadata\": {\"title\": \"x\"}}"),
                wide("<html xmlns='http://www.w3.org/1999/xhtml'/>"), Data("<!-- c --><svg/>".utf8),
            ]
            let magic = [
                "GIF89a", "\u{89}PNG\r\n\u{1A}\n", "RIFF\0\0\0\0WEBPVP8 ", "fLaC", "OggS",
                "Rar!\u{1A}\u{7}\0",
                "ID3\u{3}", "BM", "II*\0", "MM\0*",
            ]
            seeds += magic.map { Data($0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
            return seeds
        })

    /// A document of 32 MiB that starts with the data and is filled with blanks.
    private static func checkBound(_ data: Data) {
        guard !ZipArchive.isSignature(data.prefix(4)) else { return }
        let source = CountingSource(data, length: 32 << 20)
        let format = Format.guessExtended(source: source)
        expect(
            source.bytesRead <= 64 << 10 || data.count > 64 << 10,
            "\(source.bytesRead) bytes were read of a long document (\(format?.name ?? "no format"))")
    }

    /// UTF-16 with a byte order mark.
    private static func wide(_ text: String) -> Data {
        Data([0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    }
}
