import JSON
import OverlayHost
import Publications

/// A book on a device: the reader app's record, and the metadata in its file.
struct BookOnDevice {
    /// What was read from the file.
    struct File {
        /// Its path in the place where it was found.
        var path: String
        /// The metadata in the file, or why it cannot be read.
        var content: Result<PublicationInfo, HostError>
        /// The size of the file in bytes.
        var size: Int64?
        /// The number of bytes that were read.
        var bytesRead: Int64

        var info: PublicationInfo? {
            if case .success(let info) = content { info } else { nil }
        }

        /// Reads parts of the file; nil if the app does not keep the book in a file that can be found.
        ///
        /// - Throws: errors that end the command, such as an unplugged device. Errors of the file itself are in
        ///   `content`.
        init?(_ book: BookRecord, _ session: HostSession) throws(HostError) {
            let file: DeviceBookFile
            do throws(HostError) {
                guard let found = try session.file(of: book) else { return nil }
                file = found
            } catch {
                if Self.ends(error) { throw error }
                self.init(path: book.path, content: .failure(error), size: nil, bytesRead: 0)
                return
            }
            defer { file.content.close() }
            let content = Result { () throws(HostError) in try file.content.publication() }
            if case .failure(let error) = content, Self.ends(error) { throw error }
            self.init(
                path: file.path, content: content, size: file.size, bytesRead: file.content.bytesRead)
        }

        private static func ends(_ error: HostError) -> Bool {
            error.code == .cancelled || error.code == .deviceGone || error.code == .timedOut
        }

        private init(
            path: String, content: Result<PublicationInfo, HostError>, size: Int64?, bytesRead: Int64
        ) {
            self.path = path
            self.content = content
            self.size = size
            self.bytesRead = bytesRead
        }

        var json: JSONValue {
            switch content {
            case .failure(let error): return ErrorReport.document(error)
            case .success(let info):
                var document = info.book(path: path, size: size)
                document["bytes_read"] = .integer(bytesRead)
                return .object(document)
            }
        }

        func text(width: Int?) -> String {
            switch content {
            case .failure(let error):
                return "  Cannot read the file: \(TerminalText.sanitized(error.message))"
            case .success(let info):
                // Size and path are printed above.
                return BookDocument.text(
                    BookRecord(path: "", info), more: PublicationDocument.fields(info), width: width,
                    indent: 2)
            }
        }
    }

    var record: BookRecord
    /// The file; nil if it was not requested or cannot be found.
    var file: File?
    /// The app and the device, in words.
    var place: String

    /// The record, its origin, and `file`, which is null if there is none.
    var json: JSONValue {
        guard var document = BookDocument.full(record).object else { return BookDocument.full(record) }
        document["source"] = .string("device")
        document["file"] = file?.json ?? .null
        return .object(document)
    }

    func text(width: Int?) -> String {
        var text = BookDocument.text(record, more: [("Where", place)], width: width)
        if let file { text += "\n\nIn the file\n" + file.text(width: width) }
        return text
    }
}

/// The metadata that only files have and reader apps do not, as text.
enum PublicationDocument {
    /// The names and values of the fields; nil for unknown values.
    static func fields(_ info: PublicationInfo) -> [(String, String?)] {
        let metadata = info.metadata
        let contributors = metadata.contributors.map { person in
            person.roles.isEmpty ? person.name : "\(person.name) (\(person.roles.joined(separator: ", ")))"
        }
        let identifiers = metadata.identifiers.map { identifier in
            identifier.scheme.map { "\($0):\(identifier.value)" } ?? identifier.value
        }
        return [
            ("Subtitle", metadata.subtitle), ("Languages", joined(metadata.languages)),
            ("Contributors", joined(contributors)), ("Identifiers", joined(identifiers)),
            ("Rights", metadata.rights), ("Pages", metadata.pageCount.map { "\($0)" }),
        ]
    }

    private static func joined(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
