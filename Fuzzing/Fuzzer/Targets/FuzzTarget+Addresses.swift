import FoundationEssentials
import JSON
import Platform

@testable import Fetching
@testable import Formats

extension FuzzTarget {
    /// The lines are headers of a response and an address.
    static let http = FuzzTarget(
        name: "http", longest: 2 << 10,
        run: { data in
            let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            func line(_ place: Int) -> String { place < lines.count ? lines[place] : "" }
            let hints = ResponseHints(
                contentDisposition: line(0), contentType: line(1), addresses: [line(2), line(3)])
            expect(
                hints.fileExtensions.allSatisfy { !$0.contains("/") && !$0.isEmpty },
                "an extension with a path")
            _ = Format.guess(fileExtensions: hints.fileExtensions, mediaTypes: hints.mediaTypes)
            let name = ContentDisposition.fileName(line(0))
            expect(
                name.map { !$0.utf8.contains(0x2F) && !$0.utf8.contains(0x5C) } ?? true, "a name with a path")
            checkURL(line(2), line(3))
            if let range = ContentRange(line(4)) {
                expect(
                    range.range.map { $0.upperBound <= range.total ?? .max } ?? true, "a range behind the end"
                )
            }
            if let record = CacheRecord(Array(line(5).utf8)) {
                expect(record.present.end <= record.total ?? .max, "bytes behind the end")
                _ = record.isFresh(at: 1_000_000_000)
            }
            expect((CacheControl(line(6)).maxAge ?? 0) >= 0, "a negative age")
            var headers = HTTPHeaders()
            for text in lines {
                let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
                if parts.count == 2 { headers.add(parts[0], parts[1]) } else { headers.continueLast(text) }
            }
            for field in headers.fields { expect(headers[field.name] != nil, "a field that is not found") }
            let metadata = HTTPMetadata(.string(line(0)))
            expect(metadata == nil, "metadata of a text")
        },
        seeds: {
            [
                "attachment; filename=\"a.epub\"; filename*=UTF-8''%e2%82%ac.pdf\ntext/html; charset=utf-8\nhttps://a.example:8080/b/c.cbz?d=e#f\n../g%20h\nbytes 0-99/1000\nSun, 06 Nov 1994 08:49:37 GMT\nmax-age=60, no-cache=\"a, b\"\nETag: \"x\"\n continued",
                "inline\n\nhttp://[::1]/\n//user@b\u{FC}cher.example/\nbytes */5\nSunday, 06-Nov-94 08:49:37 GMT\nno-store",
                "\n\nHTTP://A\u{3002}B/./../c\n?q\nbytes 5-9/*\nSun Nov  6 08:49:37 1994\n",
            ].map { Data($0.utf8) }
        })

    /// The lines are the header of a response in the form that libcurl passes it: each line with its line end.
    static let head = FuzzTarget(
        name: "head", longest: 2 << 10,
        run: { data in
            var head = AnswerHead()
            var rest = data[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
                let fields = head.isComplete ? head.headers.fields.count : nil
                Data(rest[..<end]).withUnsafeBytes { head.add($0) }
                expect(
                    fields ?? head.headers.fields.count == head.headers.fields.count,
                    "fields behind the end of the head")
                rest = rest[end...]
            }
            expect(!head.isComplete || head.status >= 200, "an interim answer ends the head")
            for field in head.headers.fields {
                expect(head.headers[field.name] != nil, "a field that is not found")
            }
            _ = HTTPResponse(url: "http://a.example/", status: head.status, headers: head.headers).guessFormat
            {
                Data()
            }
        },
        seeds: {
            [
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\n\r\nTrailer: x\r\n",
                "HTTP/1.0 404\nX-Long: a\n\tb\n c\nno colon\n: no name\n\n", "HTTP/2 \r\n\r\n",
            ].map { Data($0.utf8) } + [Data("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9, 0xFF, 0x0D, 0x0A]]
        })

    private static func checkURL(_ text: String, _ relative: String) {
        guard let url = HTTPURL(text) else { return }
        expect(HTTPURL(url.string)?.string == url.string, "\(url.string) changes when read again")
        expect(url.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(url.string) is not printable ASCII")
        _ = url.addingQuery(["a b": text])
        if let other = HTTPURL(relative, relativeTo: url) {
            expect(HTTPURL(other.string)?.string == other.string, "\(other.string) changes when read again")
        }
    }

    /// The lines are an address within a publication, the one it is relative to, and a template.
    static let href = FuzzTarget(
        name: "href", longest: 1 << 10,
        run: { data in
            let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            func line(_ place: Int) -> String { place < lines.count ? lines[place] : "" }
            let address = HREF(line(0), relativeTo: line(1))
            if !address.isRemote {
                expect(address.string.utf8.first == 0x2F, "\(address.string) does not begin at the root")
                // Only in the encoded form: decoded, a name such as `..#` looks like two dots and a fragment.
                let path = address.percentEncodedString.utf8.prefix { $0 != 0x3F && $0 != 0x23 }
                expect(
                    !path.split(separator: 0x2F).contains { $0.elementsEqual("..".utf8) },
                    "\(address.percentEncodedString) climbs")
                expect(
                    address.percentEncodedString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
                    "\(address.percentEncodedString) is not printable ASCII")
                let again = HREF(address.percentEncodedString)
                expect(again.percentEncodedString == address.percentEncodedString, "encoding twice differs")
            }
            for candidate in LocalPath.candidates(line(0)) {
                let segments = LocalPath.segments(candidate) ?? []
                expect(
                    segments.allSatisfy {
                        !$0.isEmpty && $0 != ".." && $0 != "." && !$0.utf8.contains(0x2F)
                            && !$0.utf8.contains(0)
                    }, "\(candidate) leaves its folder")
            }
            let encoded = PercentCoding.encoded(line(0))
            expect(
                PercentCoding.decoded(encoded) == line(0), "\(line(0)) is not what its encoding decodes to")
            guard let template = attempt({ () throws(RequestProblem) in try URITemplate(line(2)) }) else {
                return
            }
            let names = template.variables
            let values = Dictionary(names.map { ($0, line(3)) }) { first, _ in first }
            let expanded = template.expanded(values)
            expect(names.isEmpty == !line(2).contains("{"), "variables do not show")
            if names.isEmpty { expect(expanded == line(2), "a text without expressions was changed") }
            expect(template.unfilledPathVariables(values) == nil, "variables with values are called unfilled")
        },
        seeds: {
            [
                "../a%20b/c.xhtml?d#e\n/x/y/z\n/s{?q,n*}{#f}{+p:3}\nv w",
                "http://a.example/%2e%2e/b\n\n{/a,b}{;c}{.d}\n\u{E9}", "#f\na/b?c\n{x}{&y}",
                "//h/p\nhttp://c\n",
                "data:,x\n/..\n{a:12}",
            ].map { Data($0.utf8) }
        })
}
