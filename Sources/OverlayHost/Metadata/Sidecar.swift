import Formats
import Archives
import Glibc
import Publications
import Platform

/// A file beside a book that describes it, as calibre writes it: `BOOK.opf`, or `metadata.opf` in a folder that
/// contains only this book.
struct Sidecar: Sendable {
    /// The metadata; nil for missing values.
    var book: Book
    /// The columns of the calibre library.
    var columns: [PackageFile.UserColumn]
    /// The cover file named in the sidecar, in the same folder.
    var coverFile: String?
    /// The cover named in the sidecar, if it is in another folder.
    private var strayCover: String?

    /// Extensions of books, regardless of the reader app. A Markdown file beside a book is usually a note.
    private static let bookExtensions = Set(
        FileFormat.extensions([.book, .foreign, .document]) + ["zip"]
    )
    .subtracting(["md"])

    /// The path of a book's sidecar; nil if there is none.
    static func path(for file: String) -> String? {
        let (folder, name) = split(file)
        let stem = stem(of: name)
        guard stem != name, ending(of: name) != "opf" else { return nil }
        let own = folder + stem + ".opf"
        if isFile(own) { return own }
        let shared = folder + "metadata.opf"
        guard isFile(shared), let names = FolderListing.names(folder.isEmpty ? "." : folder),
            names.count < FolderListing.most
        else { return nil }
        // A description cannot belong to several books.
        let isAlone = names.allSatisfy { other in
            Self.stem(of: other).utf8.elementsEqual(stem.utf8) || !bookExtensions.contains(ending(of: other))
        }
        return isAlone ? shared : nil
    }

    /// Reads a sidecar.
    ///
    /// - Parameter followsLink: whether to follow a link. Set only if the user named the file, because a link found
    ///   beside a book may lead out of the source.
    /// - Throws: an error if the file cannot be read.
    init(path: String, followsLink: Bool = true) throws(HostError) {
        let (folder, name) = Self.split(path)
        let file: PackageFile
        do {
            let source = try FileByteSource(path: path, followsLink: followsLink)
            defer { source.close() }
            file = try PackageFile.read(from: source, name: name)
        } catch let error as ByteSourceError {
            throw HostError(error)
        } catch let error as PublicationError {
            throw HostError(error)
        } catch {
            throw HostError(.inputUnreadable, "Cannot read the metadata file: \(error).", subject: path)
        }
        book = Book(PublicationInfo(format: .epub, metadata: file.metadata))
        book.format = nil
        columns = file.userColumns
        guard let reference = file.coverReference, !reference.isEmpty else { return }
        // Ignore a cover in another folder, because it is not part of the book.
        if reference.hasSlash || reference == ".." || reference.utf8.contains(0) {
            strayCover = reference
        } else {
            coverFile = folder + reference
        }
    }

    /// The image beside the sidecar; nil if the sidecar does not name one.
    ///
    /// - Parameter obstacle: returns the reason why an image of this size cannot be used; nil if it can.
    /// - Throws: the reason why the image is not used, with its path.
    func cover(_ obstacle: (UInt64) -> String?) throws(HostError) -> BookCover? {
        guard let coverFile else {
            guard let strayCover else { return nil }
            throw HostError(
                .invalidArgument, "It is not in the same folder as its sidecar.", subject: strayCover)
        }
        return try Self.image(at: coverFile, obstacle)
    }

    /// Reads the image in a file. Links are not followed, because they may lead out of the source.
    ///
    /// - Parameter obstacle: returns the reason why an image of this size cannot be used; nil if it can.
    /// - Throws: the reason why the image is not used, with its path.
    static func image(
        at coverFile: String, _ obstacle: (UInt64) -> String?
    ) throws(HostError) -> BookCover {
        let bytes: [UInt8]
        do {
            let source = try FileByteSource(path: coverFile, followsLink: false)
            defer { source.close() }
            let length = source.length
            if let obstacle = obstacle(UInt64(clamping: length)) {
                throw HostError(.noSpace, obstacle, subject: coverFile)
            }
            bytes = [UInt8](try source.read(at: 0, count: Int(clamping: length)))
        } catch let error as HostError {
            throw error
        } catch let error as ByteSourceError {
            var error = HostError(error)
            error.subject = coverFile
            throw error
        } catch {
            throw HostError(.inputUnreadable, "Cannot read the cover: \(error).", subject: coverFile)
        }
        guard let type = Self.imageType(bytes) else {
            throw HostError(
                .unsupportedFormat, "It is not an image that reader apps can show.", subject: coverFile)
        }
        return BookCover(mediaType: type, size: UInt64(bytes.count), data: bytes)
    }

    /// The media type of an image that reader apps support; nil for anything else.
    static func imageType(_ bytes: [UInt8]) -> String? {
        guard let format = PictureFormat(bytes), format != .bmp else { return nil }
        return format.mediaType
    }

    // MARK: names

    /// The folder, empty or with a trailing slash, and the name.
    private static func split(_ path: String) -> (folder: String, name: String) {
        (path.pathFolder.map { $0 + "/" } ?? "", String(path.pathName))
    }

    private static func stem(of name: String) -> String { String(name.nameStem) }

    /// The extension in lower case, without the dot.
    private static func ending(of name: String) -> String {
        name.nameEnding.lowercased()
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
