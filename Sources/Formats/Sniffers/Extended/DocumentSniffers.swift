import Archives

// Documents and packages of later specifications.
extension BuiltInSniffer {
    static let acsm = BuiltInSniffer("acsm", .acsm, extensions: ["acsm"], mediaTypes: [.acsm]) { context in
        context.contentAsXml?.documentNode.tag == "fulfillmentToken" ? "root element fulfillmentToken" : nil
    }

    static let lpf = BuiltInSniffer("lpf", .lpf, extensions: ["lpf"], mediaTypes: [.lpf]) { context in
        let manifest = context.contentAsZip?.outline(ofRootEntry: "publication.json")
        guard let manifest, manifest.isObject, manifest.contexts.contains("https://www.w3.org/ns/pub-context")
        else {
            return nil
        }
        return "publication.json with the context of W3C publications"
    }

    static let w3cWpubManifest = BuiltInSniffer(
        "w3cWpubManifest", .w3cWpubManifest, mediaTypes: [.w3cWpubManifest]
    ) { context in
        guard let outline = context.jsonOutline, outline.isObject,
            outline.contexts.contains("https://www.w3.org/ns/wp-context")
        else { return nil }
        return "context of W3C web publications"
    }

    static let opdsAuthentication = BuiltInSniffer(
        "opdsAuthentication", .opdsAuthentication,
        mediaTypes: [.opdsAuthentication, MediaType(known: "application/vnd.opds.authentication.v1.0+json")]
    ) { context in
        context.jsonOutline?.isOpdsAuthentication == true ? "members id, title and authentication" : nil
    }

    static let xhtml = BuiltInSniffer("xhtml", .xhtml, extensions: ["xht", "xhtml"], mediaTypes: [.xhtml]) {
        context in
        guard let root = context.contentAsXml?.documentNode, HTTPToken.lowered(root.tag) == "html",
            root.namespace?.contains("xhtml") == true
        else { return nil }
        return "root element html in the namespace of XHTML"
    }

    static let css = BuiltInSniffer("css", .css, extensions: ["css"], mediaTypes: [.css])

    static let javaScript = BuiltInSniffer(
        "javaScript", .javaScript, extensions: ["js"],
        mediaTypes: [.javaScript, MediaType(known: "application/javascript")])

    static let problemDetails = BuiltInSniffer(
        "problemDetails", .problemDetails, mediaTypes: [.problemDetails])
}

// Audiobooks recognized by their reading order, a rule of later specifications that the proposal's list lacks. A
// guess that runs that list first still recognizes such a package as a web publication.
extension BuiltInSniffer {
    /// A manifest whose reading order has only audio.
    static let audiobookManifestByOrder = BuiltInSniffer("audiobookManifest", .audiobookManifest) { context in
        context.jsonOutline?.isAudioSequence == true ? "manifest with a reading order of audio" : nil
    }

    /// A package with a license and a manifest whose reading order has only audio.
    static let lcpProtectedAudiobookByOrder = BuiltInSniffer(
        "lcpProtectedAudiobook", .lcpProtectedAudiobook
    ) { context in
        guard context.contentAsZip?.rootEntry("license.lcpl") != nil,
            context.archiveManifest?.isAudioSequence == true
        else { return nil }
        return "license.lcpl and a manifest.json with a reading order of audio"
    }

    /// A package with a manifest whose reading order has only audio.
    static let audiobookByOrder = BuiltInSniffer("audiobook", .audiobook) { context in
        context.archiveManifest?.isAudioSequence == true
            ? "manifest.json with a reading order of audio" : nil
    }
}
