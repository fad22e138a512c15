import Archives
import FoundationEssentials
import JSON

/// The views of one content. Each is created at most once. Used by one guess on one thread.
final class SniffedContent {
    /// The bytes.
    let source: SniffedSource

    init(_ source: SniffedSource) { self.source = source }

    /// The first byte that is not white space, after any byte order mark.
    private lazy var firstByte: UInt8? = look { head, _ in LeadingByte.of(head) }

    /// The document type and the start tag of the root element.
    private(set) lazy var markup: MarkupStart? = {
        guard firstByte == UInt8(ascii: "<") else { return nil }
        return look { head, isLast -> MarkupStart?? in
            switch MarkupScanner.scan(head) {
            case .found(let start): .some(start)
            case .absent: .some(nil)
            case .unfinished(let start): isLast ? .some(start) : nil
            }
        } ?? nil
    }()

    /// Calls `judge` with the beginning of the content, and again with more of it until it returns an answer.
    ///
    /// - Parameter judge: receives the beginning, and whether it will not get more.
    private func look<Answer>(_ judge: ([UInt8], _ isLast: Bool) -> Answer?) -> Answer? {
        var seen = 0
        for wanted in SniffLimits.looks where wanted > seen {
            let (head, isAll) = source.head(wanted)
            seen = max(wanted, head.count)
            let isLast = isAll || seen >= SniffLimits.head
            if let answer = judge(head, isLast) { return answer }
            if isLast { break }
        }
        return nil
    }

    /// The root element.
    var xml: XmlDocument? { markup?.root.map { XmlDocument(documentNode: $0) } }

    /// The archive; nil if the content does not begin like one or cannot be opened.
    var zip: ZipArchive? {
        if isArchiveOpened { return archive }
        isArchiveOpened = true
        guard ZipArchive.isSignature(source.head(4).bytes.prefix(4)) else { return nil }
        do throws(ArchiveError) {
            archive = try ZipArchive.open(source: BorrowedByteSource(source))
        } catch {
            // The source reports read errors itself.
            if error.code != .unreadable { damage = error }
        }
        return archive
    }
    private var isArchiveOpened = false
    private var archive: ZipArchive?
    /// The reason why content that begins like an archive cannot be opened as one. Available after `zip` was used.
    private(set) var damage: ArchiveError?

    /// The archive's manifest.
    private(set) lazy var archiveManifest: JSONOutline? = zip?.outline(ofRootEntry: "manifest.json")

    /// The facts about a JSON document that the rules need. The document is read only as far as they need it.
    private(set) lazy var outline: JSONOutline? = {
        guard firstByte == UInt8(ascii: "{") || firstByte == UInt8(ascii: "[") else { return nil }
        return JSONOutline(reading: source)
    }()

    /// The complete document.
    private(set) lazy var json: JSONObject? = {
        guard firstByte == UInt8(ascii: "{"), let bytes = document else { return nil }
        guard case .object(let object)? = JSONDocument.parse(bytes) else { return nil }
        return object
    }()

    /// The text.
    func text(charset: String?) -> String? {
        if let made { return made }
        made = .some(document.flatMap { CharsetDecoding.decode($0, charset: charset) })
        return made ?? nil
    }
    private var made: String??

    /// All bytes; nil if there are too many.
    private var document: [UInt8]? {
        if let length = source.knownLength, length > Int64(SniffLimits.document) { return nil }
        guard let data = source.data(0..<Int64(SniffLimits.document + 1)), data.count <= SniffLimits.document
        else { return nil }
        return [UInt8](data)
    }

    /// Closes the archive and the source.
    func close() {
        archive?.close()
        source.close()
    }
}

/// Parses JSON documents from untrusted sources.
enum JSONDocument {
    /// The value of a document; nil if it is not JSON.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        do throws(JSONSyntaxError) { return try JSONValue(parsingDocument: bytes) } catch { return nil }
    }
}

/// Finds the first significant byte of a text, which shows what kind of text it is.
enum LeadingByte {
    /// The first byte after a byte order mark and white space. For UTF-16 and UTF-32, the ASCII byte of the first
    /// character.
    static func of(_ bytes: [UInt8]) -> UInt8? {
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.first == 0
            || (bytes.count > 1 && bytes[1] == 0)
        {
            // UTF-16 and UTF-32 have zeros around ASCII characters, and byte order marks of these bytes.
            while position < bytes.count,
                [0, 0xFE, 0xFF].contains(bytes[position]) || HTTPToken.isBlank(bytes[position])
            {
                position += 1
            }
        } else {
            while position < bytes.count, HTTPToken.isBlank(bytes[position]) { position += 1 }
        }
        return position < bytes.count ? bytes[position] : nil
    }
}
