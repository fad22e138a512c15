import Foundation
import HTTPTestSupport

/// The answer to one request, as its options say.
///
/// | Option | Effect |
/// |---|---|
/// | `size`, `seed` | length (1000) and content (1) |
/// | `file` | the content is that of a local file |
/// | `status` | an error status with a body that names it |
/// | `ranges=no` | `Range` is ignored |
/// | `head=405`, `head=501`, `head=drop`, `head=nolength` | `HEAD` is refused, answered by hanging up, or without length |
/// | `length=no` | the body ends with the connection; `length=chunked`: chunked |
/// | `short=N` | the connection ends after N bytes of the body; `shortonce=N`: the first time |
/// | `drop`, `droponce` | hangs up without an answer (the first time) |
/// | `etag`, `modified`, `date`, `cc`, `expires`, `age`, `vary`, `type`, `disposition` | header fields |
/// | `coding=gzip` | says `Content-Encoding: gzip` always; `coding=asked`: when accepted, then half the length |
/// | `crange=start`, `crange=unit`, `crange=none`, `crange=total` | a wrong or missing `Content-Range`; `total`: length `*` |
/// | `most=N` | no more than N bytes of a range |
/// | `total416=no` | 416 without `Content-Range` |
/// | `to`, `code` | a redirect, 302 by default; `hops=N`: N redirects to itself before the content |
/// | `huge=N`, `long=N` | N bytes of header fields, in many or in one; `garbage`: bytes that are not HTTP |
/// | `hold=KEY`, `holdbody=KEY`, `at=N` | waits for release before the header, or after N bytes of the body |
struct Script {
    let request: LoggedRequest
    let options: [String: String]
    let world: World
    let connection: Connection

    init(_ request: LoggedRequest, _ options: [String: String], _ world: World, _ connection: Connection) {
        self.request = request
        self.options = options
        self.world = world
        self.connection = connection
    }

    /// Whether the connection continues.
    func answer() -> Bool {
        if let key = options["hold"] { world.hold(key) }
        if options["drop"] != nil { return false }
        if options["droponce"] != nil, world.isFirst("drop" + request.path) { return false }
        if options["garbage"] != nil {
            _ = connection.send(Data(repeating: 0x21, count: 4096))
            return false
        }
        if let hops = number("hops"), let made = redirect(hops) { return made }
        if let target = options["to"] { return plain(number("code") ?? 302, ["Location: \(target)"]) }
        if let status = number("status") { return plain(status, []) }
        if request.method == "HEAD", let head = options["head"] {
            if head == "drop" { return false }
            if let status = Int(head) { return plain(status, ["Allow: GET"]) }
        }
        return content()
    }

    func number(_ name: String) -> Int? { options[name].flatMap { Int($0) } }

    private func redirect(_ hops: Int) -> Bool? {
        guard hops > 0 else { return nil }
        let target = request.target.replacingOccurrences(of: "hops=\(hops)", with: "hops=\(hops - 1)")
        return plain(302, ["Location: \(target)"])
    }

    private func plain(_ status: Int, _ fields: [String]) -> Bool {
        let body = status == 304 ? "" : "status \(status)"
        let lines =
            ["HTTP/1.1 \(status) Scripted"] + fields + metadata()
            + (status == 304 ? [] : ["Content-Length: \(body.utf8.count)"])
        let head = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        return connection.send(request.method == "HEAD" ? head : head + Data(body.utf8))
    }

    /// The fields that describe the content.
    private func metadata() -> [String] {
        let names = [
            "etag": "ETag", "modified": "Last-Modified", "date": "Date", "cc": "Cache-Control",
            "expires": "Expires", "age": "Age", "vary": "Vary", "type": "Content-Type",
            "disposition": "Content-Disposition",
        ]
        var lines = names.sorted { $0.key < $1.key }.compactMap { name in
            options[name.key].map { "\(name.value): \($0)" }
        }
        if let huge = number("huge") {
            lines += (0..<huge / 1000).map { "X-Huge-\($0): " + String(repeating: "h", count: 1000) }
        }
        if let long = number("long") { lines.append("X-Long: " + String(repeating: "l", count: long)) }
        return lines
    }

    private var isNotModified: Bool {
        if let given = request.headers["if-none-match"] { return given == options["etag"] }
        if let given = request.headers["if-modified-since"] { return given == options["modified"] }
        return false
    }

    private func content() -> Bool {
        if isNotModified { return plain(304, []) }
        let file = options["file"].map { FileManager.default.contents(atPath: $0) ?? Data() }
        let size = file?.count ?? number("size") ?? 1000
        var lines = metadata()
        var range = 0..<size
        var status = 200
        if options["ranges"] != "no" {
            lines.append("Accept-Ranges: bytes")
            let condition = request.headers["if-range"]
            if let text = request.range, condition == nil || condition == options["etag"] {
                guard let asked = Self.range(text, size) else {
                    return plain(416, options["total416"] == "no" ? [] : ["Content-Range: bytes */\(size)"])
                }
                range = asked.prefix(number("most") ?? asked.count)
                status = 206
                lines += contentRange(range, size)
            }
        }
        return Body(script: self, range: range, status: status, lines: lines, file: file).send()
    }

    private func contentRange(_ range: Range<Int>, _ size: Int) -> [String] {
        let last = range.upperBound - 1
        switch options["crange"] {
        case "none": return []
        case "unit": return ["Content-Range: pages \(range.lowerBound)-\(last)/\(size)"]
        case "start": return ["Content-Range: bytes \(range.lowerBound + 1)-\(last)/\(size)"]
        case "total": return ["Content-Range: bytes \(range.lowerBound)-\(last)/*"]
        default: return ["Content-Range: bytes \(range.lowerBound)-\(last)/\(size)"]
        }
    }

    /// The bytes that `bytes=a-b` or `bytes=a-` names; nil if there are none.
    private static func range(_ text: String, _ size: Int) -> Range<Int>? {
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix("bytes="), ends.count == 2, let first = Int(ends[0]), first < size else {
            return nil
        }
        let last = ends[1].isEmpty ? size - 1 : min(Int(ends[1]) ?? 0, size - 1)
        return first <= last ? first..<last + 1 : nil
    }
}
