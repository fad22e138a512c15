import COpenSSL
import DeviceTransport
import Formats
import Glibc
import Publications

/// A file of this computer that was found fit to be uploaded.
package struct LocalBook: Sendable, Equatable {
    /// As the person wrote it.
    package var path: String
    /// Its name without folders.
    package var name: String
    /// What tells whether it is still the same file.
    package var identity: LocalIdentity
    /// Derived from the content: the same for the same bytes, whatever the file is called.
    package var uuid: String
    /// What the content turned out to be, whatever the file is called; nil if the content tells nothing.
    package var format: Format?
    /// What the book says of itself; nil if it says nothing that can be read.
    package var description: BookRecord?
    /// What is damaged of it, in sentences; nil if nothing is. It may be sent all the same: reader apps repair what they can.
    package var damage: String?

    /// Checks a file and reads it through once.
    ///
    /// - Parameter formats: file name extensions the reader app takes; empty: any.
    package init(
        _ path: String, formats: [String], app: String, cancellation: Cancellation
    ) throws(HostError) {
        try self.init(path, formats: formats, app: app, cancellation: cancellation, known: nil)
    }

    /// The same, with what is known of the book besides its content.
    init(
        _ path: String, formats: [String], app: String, cancellation: Cancellation, known: KnownMetadata?
    ) throws(HostError) {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: true).last ?? "")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw HostError(
                .inputUnreadable, "It is not a file.", subject: path, hint: "Name the books one by one.")
        }
        guard status.st_size > 0 else {
            throw HostError(.unsupportedFormat, "The file is empty.", subject: path)
        }
        self.path = path
        self.name = name
        (format, description, damage) = try Self.look(into: path, coverLimit: known?.coverRoom ?? 0)
        try Self.check(format, name, formats, app, path)
        damage = Self.misnamed(format, name) ?? damage
        if let known { description = known.complete(description, of: path) }
        uuid = try Self.contentUUID(descriptor, path, cancellation)
        identity = LocalIdentity(status)
        guard LocalIdentity(descriptor: descriptor) == identity else {
            throw HostError(
                .inputUnreadable, "The file changed while it was read.", subject: path,
                hint: "Wait until the program that writes it has finished, and try again.")
        }
    }

    /// The format by content alone, the metadata, and what is damaged. A wrong extension decides nothing here.
    ///
    /// - Parameter coverLimit: bytes the cover may have; 0: it is not read.
    private static func look(
        into path: String, coverLimit: Int
    ) throws(HostError) -> (Format?, BookRecord?, damage: String?) {
        let content = try OpenContent(path: path)
        defer { content.close() }
        guard let format = content.formatByContent else { return (nil, nil, nil) }
        do throws(PublicationError) {
            let info = try Publication.read(
                from: content.source, name: content.name, format: format.mediaType)
            var book = BookRecord(path: "", info)
            if let image = image(of: info, limit: coverLimit) {
                book.cover?.data = image
                book.cover?.size = UInt64(image.count)
            }
            return (format, book, damage(of: info))
        } catch {
            // A format without metadata, or a damaged book: the reader app has the last word on it.
            return (format, nil, error.code == .damaged ? error.message : nil)
        }
    }

    /// The parts of a book that are damaged or not there; what is merely unusual is nobody's concern.
    private static func damage(of info: PublicationInfo) -> String? {
        let grave: Set<Shortcoming.Code> = [.damagedPart, .missingPart, .unreadablePart]
        let words = info.shortcomings.filter { grave.contains($0.code) }.prefix(2).map(\.description)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Says that a file called EPUB or PDF is none. Both know themselves by their content, as other formats do not.
    private static func misnamed(_ format: Format?, _ name: String) -> String? {
        let ending = fileExtension(of: name)
        guard ["epub", "pdf"].contains(ending), format?.fileExtension != ending else { return nil }
        guard let format else {
            return "It is called .\(ending), but its content is no \(ending.uppercased())."
        }
        return "It is called .\(ending), but it is \(phrase(format))."
    }

    /// The bytes of the cover, if it has at most `limit`; nil for a cover that cannot be read, without which the book is one all
    /// the same.
    private static func image(of info: PublicationInfo, limit: Int) -> [UInt8]? {
        guard limit > 0, let cover = info.cover, cover.size ?? 0 <= Int64(limit) else { return nil }
        do throws(PublicationError) {
            let image = [UInt8](try cover.read())
            return image.count <= limit ? image : nil
        } catch {
            return nil
        }
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
            throw HostError(
                .unsupportedFormat, "\(app) takes \(list); this is \(Self.phrase(format)).", subject: path,
                hint: "Convert the book first.")
        }
        guard !formats.contains(ending) else { return }
        throw HostError(
            .unsupportedFormat,
            ending.isEmpty
                ? "The file has no extension, and its content tells no format."
                : "\(app) does not take .\(ending) files.",
            subject: path, hint: "\(app) takes: \(formats.joined(separator: ", ")).")
    }

    /// Such as `a comic book archive` and `an EPUB`.
    private static func phrase(_ format: Format) -> String {
        let words = format.name.split(separator: " ").map { word in
            word.count > 1 && word.allSatisfy { $0.isUppercase || $0.isNumber }
                ? String(word) : word.lowercased()
        }
        let first = words.first ?? ""
        // Letters that are spoken with a vowel at their beginning, as in "an MP3".
        let isSpelled = first.first?.isUppercase == true
        let vowels = isSpelled ? "AEFHILMNORSX" : "aeiou"
        return (first.first.map { vowels.contains($0) } == true ? "an " : "a ") + words.joined(separator: " ")
    }

    /// Whether files of other formats look like this one, so that the extension knows better: any text may begin as HTML does,
    /// and many formats are ZIP, XML or JSON.
    private static func isLoose(_ format: Format) -> Bool {
        let type = format.mediaType
        return !type.isPublication && type.type != "image" && type.type != "audio"
            && !format.mediaType.string.contains("book") && !type.string.contains("rar")
    }

    private static func unreadable(_ path: String, _ code: Int32) -> HostError {
        HostError(
            .inputUnreadable, "The file cannot be read: \(systemMessage(code)).", subject: path,
            native: .posix(code))
    }

    /// The extension in lower case without its dot; empty if there is none.
    package static func fileExtension(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// SHA-256 of the content, its first half shaped as a UUID of version 8 (RFC 9562, section 5.8).
    private static func contentUUID(_ descriptor: Int32, _ path: String, _ cancellation: Cancellation)
        throws(HostError) -> String
    {
        guard let context = EVP_MD_CTX_new() else {
            throw HostError(.failed, "The digest cannot be computed.")
        }
        defer { EVP_MD_CTX_free(context) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var isFine = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while isFine {
            if cancellation.isCancelled { throw HostError(.cancelled, "The command was cancelled.") }
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            isFine = EVP_DigestUpdate(context, buffer, count) == 1
        }
        isFine = isFine && EVP_DigestFinal_ex(context, &digest, nil) == 1
        guard isFine else {
            throw HostError(.failed, "The digest of the file cannot be computed.", subject: path)
        }
        return uuid(fromDigest: digest)
    }

    /// The first 16 bytes of a digest as a UUID of version 8.
    package static func uuid(fromDigest digest: [UInt8]) -> String {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [String] {
    /// `EPUB`, `EPUB and PDF`, `EPUB, PDF and CBZ`.
    fileprivate var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
