import FoundationEssentials
import Formats

extension FuzzTarget {
    /// Media types, one per line: printing and parsing again is the identity, and a type contains itself.
    static let mediaType = FuzzTarget(
        name: "mediatype", longest: 512,
        run: { data in
            let lines = data.split(separator: 0x0A, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
            let types = lines.compactMap { MediaType($0) }
            for type in types {
                let again = MediaType(type.string)
                expect(again == type, "\(type.string) is another type when read again")
                expect(again?.string == type.string, "\(type.string) is printed in two ways")
                expect(type.contains(type) && type.matches(type), "\(type.string) does not contain itself")
                expect(type == MediaType(type.string.uppercased()).map { _ in type }, "upper case is refused")
                _ = (type.encoding, type.structuredSyntaxSuffix, type.isPublication, type.isBitmap)
                _ = Format.guess(mediaTypes: [type.string])
            }
            if let first = types.first, let last = types.last {
                expect(first.matches(last) == last.matches(first), "matching depends on the order")
                expect(
                    (first == last) == (first.string == last.string), "equal types are printed differently")
            }
        },
        seeds: {
            [
                "application/epub+zip", "text/html;charset=utf-8",
                "a/b; x=\"\\\"q\\\\\"; ;=1;Y = z ;x=2\n*/*",
                "TEXT/Plain; charset=\"latin1\"\ntext/*", "application/opds+json;profile=x\n*/json",
                "a/b;c=\"\u{E9}\"",
            ].map { Data($0.utf8) }
        })
}
