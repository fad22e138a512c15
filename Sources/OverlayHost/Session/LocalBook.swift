import Archives
import DeviceTransport
import Formats
import FoundationEssentials
import Glibc
import Platform
import Publications

/// A local file that can be uploaded.
package struct LocalBook: Sendable, Equatable {
    /// The path as given by the user.
    package var path: String
    /// The name without folders. A wrong or missing extension is replaced by that of the content.
    package var name: String
    /// Identifies the file, to detect whether it was replaced or changed.
    package var identity: LocalIdentity
    /// Identifies the content, regardless of the file's name.
    package var contentID: String
    /// Identifies the book: the identifier in its library, or in the book, or else `contentID`.
    package var uuid: String
    /// The format of the content, regardless of the name; nil if unknown.
    package var format: Format?
    /// The metadata in the book; nil if it cannot be read.
    package var description: BookRecord?
    /// Warnings for the user, one sentence each. The book can still be sent.
    package var warnings: [String] = []
    /// The message about a wrong extension, for use when the book is on the device.
    package var misnamed: String?
    /// The message about content that is not a book of the format that the name claims; nil if it may be one. Such a
    /// file can be added, but replaces no book.
    package var mismatch: String?
    /// The reason why overlays refuse the file: an EPUB whose archive cannot be opened; nil if it can be.
    package var refusal: HostError?
    /// The path of the book on the device that this one replaces; nil if not specified.
    var replacedPath: String?

    /// Checks a file, and reads all of it unless `digest` knows its identifier.
    ///
    /// - Parameters:
    ///   - accepted: the formats that the reader app supports.
    ///   - known: metadata from other sources than the content.
    ///   - given: the UUID of the book in its library, in canonical form.
    ///   - library: the library's metadata of the book.
    ///   - digest: the content identifier that was computed for a file with this identity; nil if there is none.
    init(
        _ path: String, _ accepted: AcceptedFormats, cancellation: Cancellation, known: KnownMetadata?,
        uuid given: String? = nil, library: LibraryDescription? = nil,
        digest: (LocalIdentity) -> String? = { _ in nil }
    ) throws(HostError) {
        let name = OverlayPath.name(of: library?.fileName ?? path)
        guard let file = FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK) else {
            throw Self.notOpened(path, errno)
        }
        guard let status = file.status else { throw Self.unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            let folder = path.endsInSlash ? path : path + "/"
            throw HostError(
                .inputUnreadable, "This is a folder, not a book.", subject: path,
                hint: "Use -r to add all books in it, or give some of them, such as "
                    + "\(folder)*.\(accepted.extensions.first ?? "epub").")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw HostError(
                .inputUnreadable, "This is not a regular file.", subject: path,
                hint: "Give a file, or '-' to read the book from standard input.")
        }
        guard status.st_size > 0 else {
            throw HostError(.unsupportedFormat, "The file is empty.", subject: path)
        }
        self.path = path
        self.name = name
        replacedPath = library?.replacedPath
        let look = try Look(into: path, known: known)
        (format, description) = (look.format, look.description)
        try Self.check(format, name, accepted, path)
        if let format, let right = Self.rightName(format, name, accepted.extensions) {
            let (own, new) = (Self.fileExtension(of: name), Self.fileExtension(of: right))
            misnamed =
                own.isEmpty
                ? "The file has no extension. Because it is \(Self.phrase(format)), it was stored as "
                    + ".\(new)."
                : "The file has the extension .\(own), but it is \(Self.phrase(format)). It was stored "
                    + "as .\(new)."
            self.name = right
        }
        mismatch = Self.unrecognised(format, self.name)
        if look.isCutOff, Self.fileExtension(of: self.name) == "epub" {
            refusal = HostError(
                .damaged, "Cannot open the EPUB: it is damaged or truncated.", subject: path,
                hint: "Get a new copy of the book.")
        }
        // Reader apps repair damage if possible. Overlays refuse a truncated EPUB; other damage is reported.
        if let mismatch {
            warnings.append("\(accepted.app) may not be able to open the file. \(mismatch)")
        } else if let damage = look.damage {
            warnings.append("The file is damaged. \(accepted.app) may not be able to open it: \(damage)")
        }
        if let named = Self.uuid(inName: name) {
            description = description ?? BookRecord(path: "")
            description?.uuid = named
        }
        if let known {
            description = known.complete(
                description, of: path, library, coverProblem: look.coverProblem, warnings: &warnings)
        }
        identity = LocalIdentity(status)
        if let digest = digest(identity) {
            contentID = digest
        } else {
            contentID = try Self.contentID(file.number, path) { cancellation.isCancelled }
        }
        uuid = given ?? description?.uuid ?? contentID
        guard LocalIdentity(descriptor: file.number) == identity else {
            throw HostError(
                .inputUnreadable, "The file changed while it was being read.", subject: path,
                hint: "Wait until the program that is writing it has finished, and try again.")
        }
    }

    /// The name with the extension of the content, if the extension is missing, is that of another format, or is not
    /// supported by the reader app. Nil if the name fits, or if the content does not determine the format.
    private static func rightName(_ format: Format, _ name: String, _ formats: [String]) -> String? {
        let ending = fileExtension(of: name)
        guard !isLoose(format), !otherExtensions(of: format).contains(ending) else { return nil }
        guard !ending.isEmpty else {
            // The part after the dot of "Vol. 1" would be read as an extension, so add a real one.
            return name.utf8.dropFirst().contains(UInt8(ascii: ".")) ? name + "." + format.fileExtension : nil
        }
        let meant = Publication.format(of: DataByteSource(Data()), name: name)
        guard meant.map({ $0 != format }) ?? !(formats.isEmpty || formats.contains(ending)) else {
            return nil
        }
        return name.dropLast(ending.count) + format.fileExtension
    }

    /// Other extensions of a format. Amazon uses `.azw` for both kinds of its books.
    private static func otherExtensions(of format: Format) -> Set<String> {
        switch format.fileExtension {
        case "mobi": ["mobi", "prc", "azw"]
        case "azw3": ["azw3", "azw"]
        case let usual: [usual]
        }
    }

    /// The error for a file that is to replace a book but is not a book of the format that its name claims; nil if it
    /// may replace it.
    package var replacementProblem: HostError? {
        mismatch.map {
            HostError(
                .unsupportedFormat, "The book is not replaced. \($0)", subject: path,
                hint: "Get a new copy of the book.")
        }
    }

    /// A message for a file whose content does not match its extension, for formats that content always identifies,
    /// if the actual format is not certain.
    private static func unrecognised(_ format: Format?, _ name: String) -> String? {
        let ending = fileExtension(of: name)
        guard ["epub", "pdf", "mobi", "azw3"].contains(ending), format.map(isLoose) ?? true else {
            return nil
        }
        guard let format else {
            return "The extension is .\(ending), but the content is not \(ending.uppercased())."
        }
        return "The extension is .\(ending), but the content is \(phrase(format))."
    }

    /// Throws an error for a format that the reader app does not support, judged by the content, or otherwise by the
    /// extension.
    private static func check(
        _ format: Format?, _ name: String, _ accepted: AcceptedFormats, _ path: String
    ) throws(HostError) {
        let (formats, app) = (accepted.extensions, accepted.app)
        guard !formats.isEmpty else { return }
        let ending = fileExtension(of: name)
        let list = formats.map { $0.uppercased() }.formatted
        if let format, !Self.isLoose(format) {
            guard !formats.contains(format.fileExtension) else { return }
            let isMisnamed = formats.contains(ending)
            throw accepted.refusal(
                isMisnamed
                    ? "The file has the extension .\(ending), but it is \(Self.phrase(format)). \(app) "
                        + "accepts \(list)."
                    : "\(app) accepts \(list), but this file is \(Self.phrase(format)).", path,
                for: format.fileExtension, hint: "Convert the book first.")
        }
        guard !formats.contains(ending) else { return }
        throw accepted.refusal(
            ending.isEmpty
                ? "The file has no extension, and its format is unknown."
                : "\(app) does not accept .\(ending) files.",
            path, for: ending, hint: "\(app) accepts: \(formats.joined(separator: ", ")).")
    }

    /// A phrase such as `a comic book archive` or `an EPUB`.
    private static func phrase(_ format: Format) -> String {
        if format.isHtml { return "a web page" }
        let words = format.name.split(separator: " ").map { word in
            word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
                ? String(word) : word.lowercased()
        }
        let first = words.first ?? ""
        // The name is spelled letter by letter. The names of some letters begin with a vowel, as in "an MP3".
        let isSpelled =
            first.first?.isUppercase == true && !first.dropFirst().contains { "AEIOU".contains($0) }
        let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
        return (first.first.map { vowels.contains($0) } == true ? "an " : "a ") + words.joined(separator: " ")
    }

    /// Whether content of this format does not exclude other formats, so that the extension is more reliable: any
    /// text may begin like HTML, and many formats are ZIP, XML or JSON.
    private static func isLoose(_ format: Format) -> Bool {
        let type = format.mediaType
        return !type.isPublication && type.type != "image" && type.type != "audio"
            && !format.mediaType.string.contains("book") && !type.string.contains("rar")
    }

    /// The error for a file that cannot be opened, or is not a regular file.
    private static func notOpened(_ path: String, _ code: Int32) -> HostError {
        if code == ENOENT, path == "-" {
            return HostError(
                .inputUnreadable, "The command upload cannot read from standard input.", subject: path,
                hint: "Save the book to a file first, and upload that file.")
        }
        if code == ENOENT, OpenContent.isURL(path) {
            return HostError(
                .inputUnreadable, "The command upload accepts only local files, not URLs.",
                subject: path, hint: "Download the book first: overlayhost fetch URL -o FILE")
        }
        if code == ENOENT, path.contains("://") {
            return HostError(
                .inputUnreadable, "The file does not exist. Only http and https URLs can be read.",
                subject: path, hint: "Download the book first, and upload the file.", native: .posix(code))
        }
        return unreadable(path, code)
    }

    private static func unreadable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, fileProblem("Cannot read the file", code), subject: path, native: .posix(code))
    }

    /// The extension in lower case, without the dot; empty if there is none.
    ///
    /// An extension has at most nine ASCII letters and digits, with at least one letter. In "Vol. 1" and "Dr. No",
    /// the part after the dot belongs to the title.
    package static func fileExtension(of name: String) -> String {
        let ending = name.nameEnding.lowercased()
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard ending.utf8.count <= 9, ending.utf8.contains(where: letters.contains),
            ending.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else { return "" }
        return ending
    }

    /// The UUID in a file name. Reader apps, and the copies that calibre makes for them, use UUIDs as names.
    private static func uuid(inName name: String) -> String? {
        let ending = fileExtension(of: name)
        return PublicationIdentifier.canonicalUUID(
            String(ending.isEmpty ? name[...] : name.dropLast(ending.count + 1)))
    }

    /// The first half of the content's SHA-256 as a UUID of version 8 (RFC 9562, section 5.8).
    static func contentID(
        _ descriptor: Int32, _ path: String, isCancelled: () -> Bool
    ) throws(HostError) -> String {
        let content = Digest(.sha256)
        let problem = content.add(contentOf: descriptor, isCancelled: isCancelled)
        guard problem == 0 else {
            if isCancelled() { throw HostError(.cancelled, "The command was cancelled.") }
            throw unreadable(path, problem)
        }
        guard let digest = content.finish() else {
            throw HostError(.failed, "Cannot compute the digest of the file.", subject: path)
        }
        return uuid(fromDigest: digest)
    }

    /// The first 16 bytes of a digest as a UUID of version 8.
    package static func uuid(fromDigest digest: [UInt8]) -> String {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return String(
            exactly: Hex.text(bytes[..<4]), "-", Hex.text(bytes[4..<6]), "-", Hex.text(bytes[6..<8]), "-",
            Hex.text(bytes[8..<10]), "-", Hex.text(bytes[10...]))
    }
}

extension [String] {
    /// Texts such as `EPUB`, `EPUB and PDF`, or `EPUB, PDF and CBZ`.
    fileprivate var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
