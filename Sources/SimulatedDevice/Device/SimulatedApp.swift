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
    /// How the app behaves.
    public var kind: Kind

    /// An app as the App Store installs it, unless told otherwise.
    public init(
        bundleID: String, name: String, version: String = "1.0", fileSharing: Bool = true,
        developmentSigned: Bool = false, kind: Kind = .plain
    ) {
        self.bundleID = bundleID
        self.name = name
        self.version = version
        self.fileSharing = fileSharing
        self.developmentSigned = developmentSigned
        self.kind = kind
    }
}
