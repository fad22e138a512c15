import Archives
import Formats
import Markup

/// Reads comic book archives: ZIP archives of images, optionally with `ComicInfo.xml` or an ACBF document.
///
/// It reads only the archive's directory and those documents. The cover is the first page, or the page that a
/// document names.
enum CBZReader: PublicationReader {
    static var mediaTypes: [MediaType] {
        [.cbz] + ["application/x-cbz", "application/x-cbr"].compactMap { MediaType($0) }
    }

    static func read(_ input: PublicationInput) throws(PublicationError) -> PublicationInfo {
        let archive = try PublicationArchive(input)
        var info = PublicationInfo(format: input.format)
        let pages = archive.pages()
        var cover = pages.first
        if let entry = archive.topmost(where: { EntryPath.fileExtension(of: $0) == "acbf" }),
            let root = archive.document(entry)
        {
            let document = ACBFDocument(root)
            info.metadata = document.metadata()
            if let href = document.coverReference,
                let image = archive.entry(for: href, relativeTo: entry.path),
                let type = ImageType.of(path: image.path)
            {
                cover = (image, type)
            }
        }
        if let entry = archive.topmost(named: "ComicInfo.xml"), let root = archive.document(entry) {
            var comic = ComicInfo(root)
            info.metadata = comic.metadata(over: info.metadata)
            archive.shortcomings += comic.shortcomings
            if let number = comic.coverPage, pages.indices.contains(number) { cover = pages[number] }
        }
        if pages.isEmpty {
            archive.note(.missingPart, "", "The archive has no pages.")
        } else {
            info.metadata.pageCount = pages.count
        }
        info.cover = cover.flatMap { archive.cover($0.entry, type: $0.type) }
        info.shortcomings = archive.shortcomings
        info.completeTitle(from: input)
        return info
    }
}
