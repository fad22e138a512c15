/// One app on a device, as installation_proxy lists it.
public struct InstalledApp: Sendable, Hashable {
    /// The bundle id, e.g. `com.appstafarian.MarvinIP`.
    public let bundleID: String
    /// Everything installation_proxy gave, by its key.
    public let attributes: [String: DeviceValue]

    /// Makes an app from what installation_proxy gave.
    public init(bundleID: String, attributes: [String: DeviceValue]) {
        self.bundleID = bundleID
        self.attributes = attributes
    }

    /// The name below its icon, or the bundle's name, or the bundle id.
    public var name: String {
        attributes["CFBundleDisplayName"]?.string ?? attributes["CFBundleName"]?.string ?? bundleID
    }
    /// The version a person sees, or else the build's.
    public var version: String? {
        attributes["CFBundleShortVersionString"]?.string ?? attributes["CFBundleVersion"]?.string
    }
    /// Whether the app shares its Documents folder (`UIFileSharingEnabled`); some apps say so with a string.
    public var sharesFiles: Bool {
        switch attributes["UIFileSharingEnabled"] {
        case .string(let text)?: ["yes", "true", "1"].contains(text.lowercased())
        case let value?: value.bool ?? false
        case nil: false
        }
    }
    /// `User` or `System`.
    public var applicationType: String? { attributes["ApplicationType"]?.string }
}

extension InstalledApp {
    /// Extensions of the files the app says it opens (`CFBundleDocumentTypes`), in lower case without a dot, in the app's
    /// order; empty if it declares none, or only "any file".
    ///
    /// A document type names extensions itself, or types that iOS knows, that the app exports or that it imports. What
    /// the device sends is bounded: beyond `DocumentTypes.most` of anything is left out. Only `apps(bundleIDs:)` asks for it.
    public var documentExtensions: [String] { DocumentTypes(attributes).extensions }
}

/// The file types that an app's Info.plist declares.
struct DocumentTypes {
    /// Most types, declarations, and extensions that are looked at.
    static let most = 512
    /// Most characters of an extension.
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
                // iOS knows its own types better than the app that declares them once more.
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

    /// A text or a list of texts: apps write both.
    private static func texts(_ value: DeviceValue?) -> [String] {
        if let text = value?.string { return [text] }
        return value?.array?.prefix(most).compactMap(\.string) ?? []
    }

    /// The extensions of the types that iOS, or an app that many people have, declares.
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
