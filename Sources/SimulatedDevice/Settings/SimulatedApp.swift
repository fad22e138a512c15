/// An app installed on a simulated device.
public struct SimulatedApp: Sendable, Equatable {
    /// How the app behaves towards the files a host leaves in its container.
    public enum Kind: Sendable, Equatable {
        /// Answers Marvin's command files and keeps Marvin's library.
        case marvin
        /// Draws previews of its documents, and never talks to a host: GoodReader.
        case goodReader
        /// The same with its library and its staging folder below `Documents`, as an app for newer systems would.
        case marvinInDocuments
        /// Keeps books as files in its shared folder, Mobipocket and PDF: Kindle.
        case kindle
        /// Keeps books as files in folders of its shared folder: a reader of today.
        case reader
        /// Shows libraries of references and their papers: BibDesk, with the folders of a generation of the app.
        case bibDesk(BibDeskGeneration)
        /// Never touches its container.
        case plain
    }

    /// The bundle id, for example `com.appstafarian.MarvinIP`.
    public var bundleID: String
    /// The name under the icon.
    public var name: String
    /// `CFBundleShortVersionString`.
    public var version: String
    /// Whether `UIFileSharingEnabled` is set, which lets a host open the Documents folder.
    public var fileSharing: Bool
    /// Whether the app was installed by a developer; such containers can be opened under every version of iOS.
    public var developmentSigned: Bool
    /// Whether the app is part of iOS: it is listed as such, and from iOS 8.3 on a host cannot open its files.
    public var isSystem = false
    /// How the app behaves.
    public var kind: Kind
    /// The files it says it opens, in its order.
    public var documentTypes: [DocumentType]

    /// One entry of `CFBundleDocumentTypes`, with the type that the app declares for it, if it does.
    public struct DocumentType: Sendable, Equatable {
        /// `LSItemContentTypes`: uniform type identifiers.
        public var contentTypes: [String]
        /// `CFBundleTypeExtensions`: extensions without a dot.
        public var extensions: [String]
        /// Where the app declares the content types with `declaredExtensions`; nil: nowhere.
        public var declaration: Declaration?
        /// The extensions in that declaration.
        public var declaredExtensions: [String]

        /// Where an app declares a type.
        public enum Declaration: String, Sendable, Equatable {
            /// `UTExportedTypeDeclarations`: the type is its own.
            case exported = "UTExportedTypeDeclarations"
            /// `UTImportedTypeDeclarations`: the type is another's.
            case imported = "UTImportedTypeDeclarations"
        }

        /// A document type.
        public init(
            _ contentTypes: [String] = [], extensions: [String] = [], declaration: Declaration? = nil,
            declaredExtensions: [String] = []
        ) {
            self.contentTypes = contentTypes
            self.extensions = extensions
            self.declaration = declaration
            self.declaredExtensions = declaredExtensions
        }
    }

    /// An app as the App Store installs it, unless told otherwise.
    public init(
        bundleID: String, name: String, version: String = "1.0", fileSharing: Bool = true,
        developmentSigned: Bool = false, kind: Kind = .plain, documentTypes: [DocumentType] = []
    ) {
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.fileSharing = fileSharing
        self.developmentSigned = developmentSigned
        self.kind = kind
        self.documentTypes = documentTypes
    }
}
