/// A part of a device's files that is opened as one tree.
///
/// Paths inside a root start with `/`. An app's Documents folder is `/Documents` both in `.container` and in
/// `.documents`, because iOS uses that path.
public enum DeviceRoot: Sendable, Hashable, CustomStringConvertible {
    /// An app's complete container: Documents, Library, tmp.
    case container(bundleID: String)
    /// Only an app's Documents folder, at `/Documents`.
    case documents(bundleID: String)
    /// The media folder, which all apps share: `/Books`, `/DCIM`, …
    case media

    /// The kind of root.
    public var kind: Kind {
        switch self {
        case .container: .container
        case .documents: .documents
        case .media: .media
        }
    }

    /// The app's bundle id; nil for the media folder.
    public var bundleID: String? {
        switch self {
        case .container(let id), .documents(let id): id
        case .media: nil
        }
    }

    /// A description for messages, such as `container of com.appstafarian.MarvinIP`.
    public var description: String { bundleID.map { "\(kind.rawValue) of \($0)" } ?? "media folder" }

    /// The three kinds of root.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An app's complete container.
        case container
        /// An app's Documents folder.
        case documents
        /// The media folder.
        case media
    }
}

/// The roots that a device grants for one app, and the reasons why it refuses the others.
public struct GrantedRoots: Sendable, Hashable {
    /// The app as installation_proxy describes it; nil if it is not installed or the service could not be asked.
    public var app: InstalledApp?
    /// The roots that can be opened, the most useful first.
    public var granted: [DeviceRoot.Kind]
    /// The roots that cannot be opened, each with its reason.
    public var refused: [Refusal]

    /// Creates an answer from its parts.
    public init(app: InstalledApp?, granted: [DeviceRoot.Kind], refused: [Refusal]) {
        self.app = app
        self.granted = granted
        self.refused = refused
    }

    /// Why none of the app's own files can be opened, for an app whose roots are all refused; nil without a reason.
    ///
    /// If the app shares its Documents folder, the refusal of that is the problem, because iOS opens no container of
    /// such an app.
    public var refusalOfAppFiles: TransportError? {
        let own = refused.filter { $0.root != .media }
        let sharesFiles = app?.sharesFiles == true
        return (own.first { sharesFiles && $0.root == .documents } ?? own.first)?.error
    }

    /// A root that the device refuses.
    public struct Refusal: Sendable, Hashable {
        /// The refused root.
        public var root: DeviceRoot.Kind
        /// The reason for the refusal, with a hint what to do.
        public var error: TransportError

        /// Creates a refusal.
        public init(root: DeviceRoot.Kind, error: TransportError) {
            self.root = root
            self.error = error
        }

        /// Hashes the root, so that two refusals of the same root have the same hash.
        public func hash(into hasher: inout Hasher) { hasher.combine(root) }
    }
}
