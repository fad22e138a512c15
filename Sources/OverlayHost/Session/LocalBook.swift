import Archives
import DeviceTransport
import Formats
import FoundationEssentials
import Glibc
import Platform
import Publications

/// A local file that was found fit to be uploaded.
package struct LocalBook: Sendable, Equatable {
    /// As the person wrote it.
    package var path: String
    /// Its name without folders, with the extension of what it is where it is called something else, or ends in no extension.
    package var name: String
    /// What tells whether it is still the same file.
    package var identity: LocalIdentity
    /// Identifies the bytes of the file: the same for the same content under any name.
    package var contentID: String
    /// Identifies the book: what its library calls it, else what it says about itself, else `contentID`.
    package var uuid: String
    /// The format of the content, regardless of the name; nil if it is unknown.
    package var format: Format?
    /// The metadata in the book; nil if there is none that can be read.
    package var description: BookRecord?
    /// What its person should know although it can be sent, one sentence each.
    package var warnings: [String] = []
    /// The message about its name when it is on the device: it did not tell what the file is.
    package var misnamed: String?
    /// Where the book on the device is that it replaces; nil: that is not said.
    var replacedPath: String?

    /// Checks a file and reads it through once.
    ///
    /// - Parameter formats: file name extensions the reader app takes; empty: any.
    package init(
        _ path: String, formats: [String], app: String, cancellation: Cancellation
    ) throws(HostError) {
        try self.init(path, formats: formats, app: app, cancellation: cancellation, known: nil)
    }

    /// The same, with what is known about the book besides its content.
    ///
    /// - Parameters:
    ///   - given: what the library that the book comes from calls it, in the canonical form of a UUID.
    ///   - library: what that library says about it.
    init(
        _ path: String, formats: [String], app: String, cancellation: Cancellation, known: KnownMetadata?,
        uuid given: String? = nil, library: LibraryDescription? = nil
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
                    + "\(folder)*.\(formats.first ?? "epub").")
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
        try Self.check(format, name, formats, app, path)
        if let format, let right = Self.rightName(format, name, formats) {
            let (own, new) = (Self.fileExtension(of: name), Self.fileExtension(of: right))
            misnamed =
                own.isEmpty
                ? "The file has no extension. Because it is \(Self.phrase(format)), it was stored as "
                    + ".\(new)."
                : "The file has the extension .\(own), but it is \(Self.phrase(format)). It was stored "
                    + "as .\(new)."
            self.name = right
        }
        // Reader apps repair what they can. Overlays refuse a truncated EPUB; other damage is named.
        if let damage = Self.unrecognised(format, self.name) ?? look.damage {
            warnings.append("The file is damaged. \(app) may not be able to open it: \(damage)")
        }
        if let named = Self.uuid(inName: name) {
            description = description ?? BookRecord(path: "")
            description?.uuid = named
        }
        if let known {
            description = known.complete(
                description, of: path, library, coverProblem: look.coverProblem, warnings: &warnings)
        }
        contentID = try Self.contentID(file.number, path, cancellation)
        uuid = given ?? description?.uuid ?? contentID
        identity = LocalIdentity(status)
        guard LocalIdentity(descriptor: file.number) == identity else {
            throw HostError(
                .inputUnreadable, "The file changed while it was being read.", subject: path,
                hint: "Wait until the program that is writing it has finished, and try again.")
        }
    }

    /// The name with the extension of what the content is, where its own means another format or one that the reader app does
    /// not take, or where what follows its last dot is none; nil if it fits, or if the content does not tell for certain.
    private static func rightName(_ format: Format, _ name: String, _ formats: [String]) -> String? {
        let ending = fileExtension(of: name)
        guard !isLoose(format), !otherExtensions(of: format).contains(ending) else { return nil }
        guard !ending.isEmpty else {
            // The rest of "Vol. 1" would be read as an extension, so the name gets a real one.
            return name.utf8.dropFirst().contains(UInt8(ascii: ".")) ? name + "." + format.fileExtension : nil
        }
        let meant = Publication.format(of: DataByteSource(Data()), name: name)
        guard meant.map({ $0 != format }) ?? !(formats.isEmpty || formats.contains(ending)) else {
            return nil
        }
        return name.dropLast(ending.count) + format.fileExtension
    }

    /// Extensions that files of a format have beside the usual one: Amazon gives both kinds of its books out as `.azw`.
    private static func otherExtensions(of format: Format) -> Set<String> {
        switch format.fileExtension {
        case "mobi": ["mobi", "prc", "azw"]
        case "azw3": ["azw3", "azw"]
        case let usual: [usual]
        }
    }

    /// Says that a file is not what it is called, where every such file knows itself by its content, and this one does not
    /// even tell what else it is.
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

    /// Refuses a format that the reader app does not take: by what the content is, else by the extension.
    private static func check(
        _ format: Format?, _ name: String, _ formats: [String], _ app: String, _ path: String
    ) throws(HostError) {
        guard !formats.isEmpty else { return }
        let ending = fileExtension(of: name)
        let list = formats.map { $0.uppercased() }.formatted
        if let format, !Self.isLoose(format) {
            guard !formats.contains(format.fileExtension) else { return }
            let isMisnamed = formats.contains(ending)
            throw HostError(
                .unsupportedFormat,
                isMisnamed
                    ? "The file has the extension .\(ending), but it is \(Self.phrase(format)). \(app) "
                        + "accepts \(list)."
                    : "\(app) accepts \(list), but this file is \(Self.phrase(format)).", subject: path,
                hint: "Convert the book first.")
        }
        guard !formats.contains(ending) else { return }
        throw HostError(
            .unsupportedFormat,
            ending.isEmpty
                ? "The file has no extension, and its format is unknown."
                : "\(app) does not accept .\(ending) files.",
            subject: path, hint: "\(app) accepts: \(formats.joined(separator: ", ")).")
    }

    /// Such as `a comic book archive` and `an EPUB`.
    private static func phrase(_ format: Format) -> String {
        let words = format.name.split(separator: " ").map { word in
            word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
                ? String(word) : word.lowercased()
        }
        let first = words.first ?? ""
        // Letters that are spoken one by one, some of them with a vowel at their beginning, as in "an MP3".
        let isSpelled =
            first.first?.isUppercase == true && !first.dropFirst().contains { "AEIOU".contains($0) }
        let vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou"
        return (first.first.map { vowels.contains($0) } == true ? "an " : "a ") + words.joined(separator: " ")
    }

    /// Whether files of other formats look like this one, so that the extension knows better: any text may begin as HTML does,
    /// and many formats are ZIP, XML or JSON.
    private static func isLoose(_ format: Format) -> Bool {
        let type = format.mediaType
        return !type.isPublication && type.type != "image" && type.type != "audio"
            && !format.mediaType.string.contains("book") && !type.string.contains("rar")
    }

    /// Why a file cannot be opened, also when it is not a regular file.
    private static func notOpened(_ path: String, _ code: Int32) -> HostError {
        if code == ENOENT, path == "-" {
            return HostError(
                .inputUnreadable, "upload cannot read from standard input.", subject: path,
                hint: "Save the book to a file first, and upload that file.")
        }
        if code == ENOENT, OpenContent.isURL(path) {
            return HostError(
                .inputUnreadable, "upload accepts only local files, not URLs.",
                subject: path, hint: "Download the book first: overlayhost fetch URL -o FILE.")
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
            .inputUnreadable, "Cannot read the file: \(systemText(code)).", subject: path,
            native: .posix(code))
    }

    /// The extension in lower case without its dot; empty if there is none.
    ///
    /// It is at most nine letters and digits of ASCII, not digits alone: what follows the dot in "Vol. 1" and "Dr. No" is part
    /// of a title.
    package static func fileExtension(of name: String) -> String {
        let ending = name.nameEnding.lowercased()
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard ending.utf8.count <= 9, ending.utf8.contains(where: letters.contains),
            ending.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else { return "" }
        return ending
    }

    /// The UUID that a file is called by: reader apps and calibre's own copies for them name books so.
    private static func uuid(inName name: String) -> String? {
        let ending = fileExtension(of: name)
        return PublicationIdentifier.canonicalUUID(
            String(ending.isEmpty ? name[...] : name.dropLast(ending.count + 1)))
    }

    /// SHA-256 of the content, its first half shaped as a UUID of version 8 (RFC 9562, section 5.8).
    private static func contentID(_ descriptor: Int32, _ path: String, _ cancellation: Cancellation)
        throws(HostError) -> String
    {
        let content = Digest(.sha256)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            buffer.withUnsafeBytes { content.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
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
        return [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
            .map { Hex.text($0) }.joined(separator: "-")
    }
}

extension [String] {
    /// `EPUB`, `EPUB and PDF`, `EPUB, PDF and CBZ`.
    fileprivate var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
