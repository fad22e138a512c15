import Archives
import Formats
import FoundationEssentials
import Markup

/// Finds the cover image of an EPUB. It tries the conventions that books use, from the most to the least reliable.
struct EPUBCoverFinder {
    let package: PackageDocument
    let archive: PublicationArchive

    /// The longest page, in bytes, that is searched for a cover image. A page that shows only a cover is short.
    private static let largestPage: Int64 = 32 << 10
    /// An image below this size, in bytes, counts as an ornament unless its name says that it is the cover.
    private static let smallestImage: Int64 = 4 << 10

    private struct Image {
        var entry: ZipEntry
        var type: MediaType
    }

    /// The cover; nil if there is none. Adds a shortcoming if a cover is named but missing or encrypted.
    func cover() -> Cover? {
        guard let image = namedImage() ?? guideImage() ?? likelyImage() ?? landmarkImage() ?? firstImage()
        else { return nil }
        let path = image.entry.path
        guard !isEncrypted(path) else {
            archive.note(.encrypted, path, "The cover is encrypted.")
            return nil
        }
        return archive.cover(image.entry, type: image.type)
    }

    // MARK: by name

    /// The item with EPUB 3's `cover-image` property, or else the item that EPUB 2's `meta` element names by its id
    /// or, incorrectly, by its reference.
    private func namedImage() -> Image? {
        if let item = package.items.first(where: { $0.has("cover-image") }) {
            if let image = image(of: item) ?? strayImage(item.href) { return image }
            archive.note(.missingCover, item.href, "The cover image is not in the archive.")
        }
        for meta in package.metas("cover") {
            guard let name = PackageDocument.value(of: meta) ?? meta["content"] else { continue }
            if let item = package.item(id: name) ?? package.items.first(where: { $0.href == name }) {
                if let image = image(of: item) ?? pageImage(item) ?? strayImage(item.href) { return image }
                archive.note(.missingCover, item.href, "The cover image is not in the archive.")
            } else if let image = image(name, stated: nil) ?? strayImage(name) {
                return image
            } else {
                archive.note(.missingCover, name, "The cover image is not in the manifest.")
            }
        }
        return nil
    }

    private func guideImage() -> Image? {
        // The standard type comes before the types that some programs invented for the image itself.
        for wanted in ["cover", "other.ms-coverimage-standard", "other.ms-coverimage", "coverpage"] {
            for reference in package.guide
            where reference["type"]?.trimmingSpace().equals(ignoringCase: wanted) ?? false {
                guard let href = reference["href"] else { continue }
                if let image = image(href, stated: nil) ?? pageImage(href) { return image }
            }
        }
        return nil
    }

    // MARK: by likelihood

    /// An image whose id or name suggests that it is the cover.
    private func likelyImage() -> Image? {
        let images = package.items.filter { isImage($0) }
        let ids = [
            "cover", "cover-image", "coverimage", "cover_image", "cover-img", "cover.jpg", "cover.png",
        ]
        for item in images where ids.contains(item.id.lowercased()) {
            if let image = image(of: item) { return image }
        }
        for item in images {
            let name = EntryPath.name(of: item.href)
            guard name.hasPrefix(ignoringCase: "cover") else { continue }
            if let image = image(of: item) { return image }
        }
        return nil
    }

    /// The image on the page that EPUB 3's landmarks call the cover. Tried late because it requires reading two more
    /// parts.
    private func landmarkImage() -> Image? {
        guard let navigation = package.items.first(where: { $0.has("nav") }),
            let page = archive.entry(for: navigation.href, relativeTo: package.path),
            let href = archive.landmark("cover", in: page)
        else { return nil }
        return image(href, stated: nil, relativeTo: page.path) ?? pageImage(href, relativeTo: page.path)
    }

    /// The first image of the first page, or else the first image of the manifest. Ornaments do not count.
    private func firstImage() -> Image? {
        if let first = package.spine.first, let item = package.item(id: first) {
            if let image = image(of: item) { return image }
            if let image = pageImage(item), image.entry.length >= Self.smallestImage { return image }
        }
        for item in package.items where isImage(item) {
            if let image = image(of: item), image.entry.length >= Self.smallestImage { return image }
        }
        return nil
    }

    // MARK: from reference to entry

    private func isImage(_ item: PackageDocument.Item) -> Bool {
        ImageType.of(stated: item.mediaType, path: item.href) != nil && !item.isPage
    }

    private func image(of item: PackageDocument.Item) -> Image? {
        item.isPage ? nil : image(item.href, stated: item.mediaType)
    }

    private func image(_ href: String, stated: String?, relativeTo base: String? = nil) -> Image? {
        guard let entry = archive.entry(for: href, relativeTo: base ?? package.path), entry.length > 0,
            let type = ImageType.of(stated: stated, path: entry.path)
        else { return nil }
        return Image(entry: entry, type: type)
    }

    /// The image that a page shows.
    private func pageImage(_ item: PackageDocument.Item) -> Image? {
        item.isPage ? pageImage(item.href) : nil
    }

    private func pageImage(_ href: String, relativeTo base: String? = nil) -> Image? {
        guard let page = archive.entry(for: href, relativeTo: base ?? package.path),
            ["xhtml", "html", "htm", "xml", "svg", "xht"].contains(EntryPath.fileExtension(of: page.path))
        else { return nil }
        for entry in archive.images(ofPage: page, largest: Self.largestPage) where entry.length > 0 {
            if let type = ImageType.of(path: entry.path) { return Image(entry: entry, type: type) }
        }
        return nil
    }

    /// The only image with the same name in another folder. Some programs move files without updating the references.
    private func strayImage(_ href: String) -> Image? {
        guard let path = EntryPath.candidates(for: href, relativeTo: "").first,
            ImageType.of(path: path) != nil
        else { return nil }
        let name = EntryPath.name(of: path)
        let found = archive.entries.filter { EntryPath.name(of: $0.path) == name && $0.length > 0 }
        guard found.count == 1, let entry = found.first, let type = ImageType.of(path: entry.path) else {
            return nil
        }
        return Image(entry: entry, type: type)
    }

    // MARK: encryption

    /// Whether `META-INF/encryption.xml` lists the entry. Usually it lists fonts only.
    private func isEncrypted(_ path: String) -> Bool {
        guard let entry = archive.entry("META-INF/encryption.xml"), let root = archive.document(entry) else {
            return false
        }
        return root.children.contains { data in
            guard let reference = data.firstAnywhere("CipherReference")?["URI"] else { return false }
            return EntryPath.candidates(for: reference, relativeTo: "").contains(path)
        }
    }
}

extension PublicationArchive {
    /// The reference of a landmark in an EPUB 3 navigation document (EPUB 3.3 section 7.4.3); nil if there is none.
    /// Errors in the document are ignored here.
    ///
    /// - Parameter type: a term of the structural vocabulary, such as `cover`.
    func landmark(_ type: String, in page: ZipEntry) -> String? {
        let limits = Self.documentLimits
        guard page.length <= Int64(limits.bytes), let bytes = beginning(page, limit: limits.bytes) else {
            return nil
        }
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(MarkupError) in try MarkupReader(limits: limits).read(raw).root }
        }
        guard case .success(let root) = result, let list = root.firstAnywhere("nav", ofType: "landmarks")
        else {
            return nil
        }
        return list.firstAnywhere("a", ofType: type)?["href"]
    }
}

extension MarkupElement {
    /// The first element of that name, in document order, that has the word in its `epub:type`: this element itself
    /// or one below it.
    fileprivate func firstAnywhere(_ name: String, ofType type: String) -> MarkupElement? {
        if self.name == name, hasType(type) { return self }
        for child in children {
            if let found = child.firstAnywhere(name, ofType: type) { return found }
        }
        return nil
    }

    private func hasType(_ type: String) -> Bool {
        attributes.contains { attribute in
            attribute.name == "type" && attribute.namespace == "http://www.idpf.org/2007/ops"
                && attribute.value.split(whereSeparator: \.isWhitespace).contains(Substring(type))
        }
    }
}
