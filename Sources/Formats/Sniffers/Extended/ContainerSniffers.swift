// Generic containers, and the two kinds of RAR. The generic ones run last of all.
extension BuiltInSniffer {
    static let cbr = BuiltInSniffer("cbr", .cbr, extensions: ["cbr"], mediaTypes: [.cbr])

    /// The media types of zipped audiobooks. The proposal's rule has none.
    static let zabByType = BuiltInSniffer(
        "zab", .zab, mediaTypes: [.zab, MediaType(known: "application/x.readium.zab+zip")])

    static let rar = BuiltInSniffer(
        "rar", .rar, extensions: ["rar"],
        mediaTypes: [
            .rar, MediaType(known: "application/x-rar"), MediaType(known: "application/x-rar-compressed"),
        ]
    ) { context in
        let isRar =
            context.contentBegins(with: [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x00])
            || context.contentBegins(with: [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x01, 0x00])
        return isRar ? "signature of RAR" : nil
    }

    static let json = BuiltInSniffer("json", .json, extensions: ["json"], mediaTypes: [.json]) { context in
        context.jsonOutline?.isComplete == true ? "content is JSON" : nil
    }

    static let xml = BuiltInSniffer(
        "xml", .xml, extensions: ["xml"], mediaTypes: [.xml, MediaType(known: "text/xml")]
    ) { context in
        context.contentAsXml != nil ? "content begins like XML" : nil
    }

    static let zip = BuiltInSniffer("zip", .zip, extensions: ["zip"], mediaTypes: [.zip]) { context in
        let isZip =
            context.contentBegins(with: [0x50, 0x4B, 3, 4])
            || context.contentBegins(with: [0x50, 0x4B, 5, 6])
            || context.contentBegins(with: [0x50, 0x4B, 7, 8])
        return isZip ? "signature of ZIP" : nil
    }
}
