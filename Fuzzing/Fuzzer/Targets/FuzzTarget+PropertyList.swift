import FoundationEssentials

@testable import PropertyLists

extension FuzzTarget {
    /// Property lists: a written list can be read again, and writing it again gives the same bytes.
    static let propertyList = FuzzTarget(
        name: "plist", longest: 8 << 10,
        run: { data in
            let bytes = [UInt8](data)
            guard let list = parsed(bytes, .file) else { return }
            expect(
                parsed(bytes, .message) == nil || text(parsed(bytes, .message)) == text(list),
                "the limits change what is read")
            for form in PropertyList.Form.allCases {
                // XML cannot hold every text.
                guard let written = attempt({ () throws(PropertyListError) in try list.encoded(form) }) else {
                    expect(form == .xml, "a list cannot be written")
                    continue
                }
                let again = parsed(written, .file)
                let rewritten = again.flatMap { list in
                    attempt { () throws(PropertyListError) in try list.encoded(form) }
                }
                expect(again != nil, "what was written cannot be read")
                expect(rewritten == written, "the list changes when written and read")
            }
        },
        seeds: {
            let list: PropertyList = [
                "Books": [
                    ["Name": "A & B", "Size": 5, "Added": .date(Date(timeIntervalSince1970: 1e9))], "é",
                ],
                "Flags": [
                    true, false, .real(0.5), .integer(-1), .unsigned(.max), .uid(3), .data(Data([1, 2])),
                ],
            ]
            let empty = "<?xml version=\"1.0\"?><!DOCTYPE plist><plist><array/></plist>"
            return try PropertyList.Form.allCases.map { Data(try list.encoded($0)) } + [Data(empty.utf8)]
        })

    private static func parsed(_ bytes: [UInt8], _ limits: PropertyListLimits) -> PropertyList? {
        attempt { () throws(PropertyListError) in try PropertyList(parsing: bytes, limits: limits) }
    }

    /// Lists are compared by their bytes, because NaN does not equal itself.
    private static func text(_ list: PropertyList?) -> [UInt8]? {
        list.flatMap { list in attempt { () throws(PropertyListError) in try list.encoded(.binary) } }
    }
}
