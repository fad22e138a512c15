import Archives
import Formats
import Foundation
import TestSupport
import Testing

@testable import Publications

/// PDF files in Debian's documentation packages, with the values that other programs read.
struct RealPDF: CustomTestStringConvertible {
    /// A book that is not installed.
    struct Missing: Error {
        var path: String
    }

    var url: URL
    var title: String
    /// The number of pages that qpdf counts.
    var pages: Int

    var testDescription: String { url.lastPathComponent }

    static func all() throws -> [RealPDF] {
        let history = "/usr/share/doc/debian-history/docs/project-history."
        let guide = "/usr/share/doc/debmake-doc/debmake-doc."
        return try [
            (history + "de", "Eine kurze Geschichte von Debian"),
            (history + "en", "A Brief History of Debian"),
            (history + "es", "Una breve historia de Debian"),
            (history + "fr", "Bref historique de Debian"),
            (history + "it", "Breve storia di Debian"), (history + "ja", "Debian 小史"),
            (history + "ko", "간단한 데비안 역사"), (history + "lt", "Trumpa Debian'o istorija"),
            (history + "pt", "Uma Breve História da Debian"),
            (history + "ru", "Краткая история Debian"),
            (guide + "de", "Leitfaden für Debian-Betreuer"),
            (guide + "en", "Guide for Debian Maintainers"),
            (guide + "ja", "Debian メンテナー用ガイド"),
            (guide + "ru", "Руководство для сопровождающих Debian"),
            (guide + "zh-cn", "Debian 维护者指南"), (guide + "zh-tw", "Debian 維護者指南"),
            ("/usr/share/developers-reference/developers-reference", "Debian Developer's Reference"),
        ].map { path, title in
            guard FileManager.default.isReadableFile(atPath: path + ".pdf") else {
                throw Missing(path: path + ".pdf")
            }
            let count = try runProgram("qpdf", ["--show-npages", path + ".pdf"]).output
            let pages = try #require(Int(count.trimmingCharacters(in: .whitespacesAndNewlines)))
            return RealPDF(url: URL(fileURLWithPath: path + ".pdf"), title: title, pages: pages)
        }
    }
}

@Suite("Real PDF books in a dozen languages are read")
struct RealPDFTests {
    @Test("Each book gives its title and number of pages, and nothing is missed")
    func titles() throws {
        for book in try RealPDF.all() {
            let source = try FileByteSource(path: book.url.path)
            let info = try PDFReader.read(
                PublicationInput(source: source, name: book.url.lastPathComponent, format: .pdf))
            #expect(info.metadata.title == book.title)
            #expect(info.metadata.pageCount == book.pages)
            #expect(info.shortcomings.isEmpty, "\(book.url.path): \(info.shortcomings)")
        }
    }

    @Test("A book that qpdf rewrote in other forms, or encrypted, gives the same values")
    func rewritten() throws {
        let books = try RealPDF.all()
        for book in [books[5], books[14], books[16]] {
            let bytes = [UInt8](try Data(contentsOf: book.url))
            let original = try readPDF(bytes)
            for arguments in [
                ["--linearize"], ["--object-streams=disable"], ["--qdf"],
                ["--encrypt", "", "o", "256", "--"],
                ["--linearize", "--encrypt", "", "o", "128", "--use-aes=y", "--"],
            ] {
                let info = try readPDF(try qpdf(arguments, bytes))
                #expect(info.metadata == original.metadata, "\(arguments)")
                #expect(info.shortcomings.isEmpty, "\(arguments): \(info.shortcomings)")
            }
        }
    }

    @Test("A local book without its cross-reference is still read")
    func withoutCrossReference() throws {
        for book in try RealPDF.all().filter({ $0.pages < 100 }) {
            var bytes = [UInt8](try Data(contentsOf: book.url))
            let end = try #require(bytes.lastRange(of: "startxref"))
            bytes.removeLast(bytes.count - end.lowerBound)
            let info = try readPDF(bytes)
            #expect(info.metadata.title == book.title)
            #expect(info.metadata.pageCount == book.pages)
            #expect(!info.shortcomings.isEmpty)
        }
    }
}
