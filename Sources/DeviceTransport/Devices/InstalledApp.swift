/// One app on a device, as installation_proxy lists it.
public struct InstalledApp: Sendable, Hashable {
    /// The bundle id, e.g. `com.appstafarian.MarvinIP`.
    public let bundleID: String
    /// All attributes that installation_proxy returned, by key.
    public let attributes: [String: DeviceValue]

    /// Creates an app from the attributes that installation_proxy returned.
    public init(bundleID: String, attributes: [String: DeviceValue]) {
        self.bundleID = bundleID
        self.attributes = attributes
    }

    /// The display name, or the bundle's name, or the bundle id. An empty name does not count.
    public var name: String {
        attributes["CFBundleDisplayName"]?.visibleText ?? attributes["CFBundleName"]?.visibleText ?? bundleID
    }
    /// The version shown to users, or else the build version.
    public var version: String? {
        attributes["CFBundleShortVersionString"]?.string ?? attributes["CFBundleVersion"]?.string
    }
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`). Some apps set this to a string.
    public var sharesFiles: Bool {
        switch attributes["UIFileSharingEnabled"] {
        case .string(let text)?: ["yes", "true", "1"].contains(text.lowercased())
        case let value?: value.bool ?? false
        case nil: false
        }
    }
    /// Whether the App Store installed the app; false too if the device does not name the signer.
    var isFromAppStore: Bool { attributes["SignerIdentity"]?.string == "Apple iPhone OS Application Signing" }
}

extension InstalledApp {
    /// The extensions of the files that the app declares to open (`CFBundleDocumentTypes`), in lower case without a
    /// dot, in the app's order. Empty if it declares none, or only "any file".
    ///
    /// A document type names extensions directly, or names types that iOS defines, or that the app exports or
    /// imports. The input is limited: everything beyond `DocumentTypes.most` is ignored. Only `apps(bundleIDs:)`
    /// requests these attributes.
    public var documentExtensions: [String] { DocumentTypes(attributes).extensions }
}

/// The file types that an app's Info.plist declares.
struct DocumentTypes {
    /// The largest number of types, declarations and extensions that are examined.
    static let most = 512
    /// The largest number of characters of an extension.
    private static let longest = 16

    private var declared: [String: [String]] = [:]
    /// The extensions, each once, in order.
    private(set) var extensions: [String] = []
    private var seen: Set<String> = []

    init(_ attributes: [String: DeviceValue]) {
        for key in ["UTExportedTypeDeclarations", "UTImportedTypeDeclarations"] {
            for declaration in attributes[key]?.array?.prefix(Self.most) ?? [] {
                guard let type = declaration.dictionary?["UTTypeIdentifier"]?.string?.lowercased() else {
                    continue
                }
                let tags = declaration.dictionary?["UTTypeTagSpecification"]?.dictionary
                declared[type, default: []] += Self.texts(tags?["public.filename-extension"])
            }
        }
        for type in attributes["CFBundleDocumentTypes"]?.array?.prefix(Self.most) ?? [] {
            for identifier in Self.texts(type.dictionary?["LSItemContentTypes"]) {
                let identifier = identifier.lowercased()
                // For its own types, iOS's definition takes precedence over the app's declaration.
                (Self.known[identifier] ?? declared[identifier] ?? []).forEach { add($0) }
            }
            Self.texts(type.dictionary?["CFBundleTypeExtensions"]).forEach { add($0) }
        }
    }

    private mutating func add(_ text: String) {
        let name = text.lowercased()
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-".utf8.contains(byte)
        }
        guard isPlain, !name.isEmpty, name.utf8.count <= Self.longest, extensions.count < Self.most,
            seen.insert(name).inserted
        else { return }
        extensions.append(name)
    }

    /// The texts of a value that is a text or an array of texts. Apps use both forms.
    private static func texts(_ value: DeviceValue?) -> [String] {
        if let text = value?.string { return [text] }
        return value?.array?.prefix(most).compactMap(\.string) ?? []
    }

    /// The extensions of types that iOS or widespread apps declare.
    private static let known: [String: [String]] = [
        "org.idpf.epub-container": ["epub"], "org.idpf.epub-folder": ["epub"],
        "com.apple.ibooks.epub": ["epub"],
        "com.adobe.pdf": ["pdf"],
        "com.amazon.mobi": ["mobi"], "com.amazon.mobi-ebook": ["mobi"], "com.mobipocket.mobi": ["mobi"],
        "com.mobipocket.prc": ["prc"], "com.amazon.azw": ["azw"], "com.amazon.azw3": ["azw3"],
        "com.amazon.mobi8-ebook": ["azw3"], "com.amazon.kfx": ["kfx"],
        "public.plain-text": ["txt"], "public.text": ["txt"], "public.utf8-plain-text": ["txt"],
        "public.html": ["html", "htm"], "public.xhtml": ["xhtml"], "public.rtf": ["rtf"],
        "com.apple.rtfd": ["rtfd"], "net.daringfireball.markdown": ["md"],
        "com.microsoft.word.doc": ["doc"], "org.openxmlformats.wordprocessingml.document": ["docx"],
        "org.oasis-open.opendocument.text": ["odt"], "com.microsoft.html-help": ["chm"],
        "org.fictionbook.fb2": ["fb2"], "com.fictionbook.fb2": ["fb2"],
        "public.cbz-archive": ["cbz"], "com.macitbetter.cbz-archive": ["cbz"],
        "com.simplecomic.cbz-archive": ["cbz"],
        "public.cbr-archive": ["cbr"], "com.macitbetter.cbr-archive": ["cbr"],
        "com.simplecomic.cbr-archive": ["cbr"],
        "com.simplecomic.cb7-archive": ["cb7"], "com.simplecomic.cbt-archive": ["cbt"],
        "public.zip-archive": ["zip"], "com.pkware.zip-archive": ["zip"], "com.rarlab.rar-archive": ["rar"],
        "com.lizardtech.djvu": ["djvu"], "org.djvu.djvu": ["djvu"], "com.adobe.postscript": ["ps"],
        "public.mp3": ["mp3"], "com.apple.m4a-audio": ["m4a"], "com.apple.protected-mpeg-4-audio-b": ["m4b"],
    ]
}
