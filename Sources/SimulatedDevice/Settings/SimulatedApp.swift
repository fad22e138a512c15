/// An app installed on a simulated device.
public struct SimulatedApp: Sendable, Equatable {
    /// How the app handles the files that a host leaves in its container.
    public enum Kind: Sendable, Equatable {
        /// Answers Marvin's command files and keeps Marvin's library.
        case marvin
        /// GoodReader: draws previews of its documents, and does not communicate with hosts.
        case goodReader
        /// Like `marvin`, but with its library and its staging folder below `Documents`, as an app for newer systems
        /// would have.
        case marvinInDocuments
        /// Kindle: keeps Mobipocket and PDF files in its shared folder.
        case kindle
        /// A current reader: keeps books as files in folders of its shared folder.
        case reader
        /// BibDesk: shows libraries of references and their papers, in the folders of one generation of the app.
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
    /// Whether a developer installed the app. The containers of such apps can be opened in every version of iOS.
    public var developmentSigned: Bool
    /// Whether the app is part of iOS. It is listed as such, and since iOS 8.3 hosts cannot open its files.
    public var isSystem = false
    /// Whether installation_proxy reports who signed the app.
    public var reportsSigner = true
    /// The behaviour of the app.
    public var kind: Kind
    /// The document types that it declares, in its order.
    public var documentTypes: [DocumentType]

    /// One entry of `CFBundleDocumentTypes`, and the declaration of its type if the app has one.
    public struct DocumentType: Sendable, Equatable {
        /// `LSItemContentTypes`: uniform type identifiers.
        public var contentTypes: [String]
        /// `CFBundleTypeExtensions`: extensions without a dot.
        public var extensions: [String]
        /// Where the app declares the content types with `declaredExtensions`; nil if it does not.
        public var declaration: Declaration?
        /// The extensions in that declaration.
        public var declaredExtensions: [String]

        /// The kind of a type declaration.
        public enum Declaration: String, Sendable, Equatable {
            /// `UTExportedTypeDeclarations`: the app owns the type.
            case exported = "UTExportedTypeDeclarations"
            /// `UTImportedTypeDeclarations`: another app owns the type.
            case imported = "UTImportedTypeDeclarations"
        }

        /// Creates a document type.
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

    /// Creates an app; by default, as the App Store installs it.
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
