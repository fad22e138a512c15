import Archives
import Formats
import Foundation
import Publications

/// EPUB files for single rules.
enum TestBook {
    static let container = """
        <?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>\
        <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """

    /// A package document around some metadata, manifest items and a guide.
    static func package(
        _ metadata: String, manifest: String = "", spine: String = "", guide: String = "",
        version: String = "3.0"
    ) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="\(version)" unique-identifier="id" xml:lang="en">
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
        \(metadata)
        </metadata>
        <manifest>\(manifest)</manifest><spine>\(spine)</spine><guide>\(guide)</guide>
        </package>
        """
    }

    /// An archive with the container and a package document.
    static func archive(_ package: String) -> TestArchive {
        TestArchive([
            "mimetype": "application/epub+zip", "META-INF/container.xml": container,
            "OEBPS/content.opf": package,
        ])
    }

    /// Bytes that begin like a JPEG image.
    static func image(_ size: Int = 5000) -> Data {
        Data([0xFF, 0xD8, 0xFF, 0xE0])
            + Data((0..<max(0, size - 4)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }
}

extension TestArchive {
    /// The result of reading it as an EPUB.
    func epub(name: String? = "file.epub") throws -> PublicationInfo {
        try Publication.read(from: DataByteSource(data), name: name, format: .epub)
    }
}

/// The metadata of an EPUB 3 with these metadata elements.
func metadata(_ elements: String) throws -> PublicationMetadata {
    try TestBook.archive(TestBook.package(elements)).epub().metadata
}
