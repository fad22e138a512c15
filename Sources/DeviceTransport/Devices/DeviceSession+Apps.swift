import Synchronization
import Platform

extension DeviceSession {
    static let appService = "com.apple.mobile.installation_proxy"
    /// The largest number of apps, and of pieces of the list, that are accepted. Real devices have far fewer.
    private static let maximumApps = 20_000

    private static let attributes = [
        "CFBundleIdentifier", "CFBundleDisplayName", "CFBundleName", "CFBundleShortVersionString",
        "CFBundleVersion", "UIFileSharingEnabled", "ApplicationType", "SignerIdentity", "Path", "Container",
    ]
    /// Long attributes, which are requested only for specific apps.
    private static let documentAttributes = [
        "CFBundleDocumentTypes", "UTExportedTypeDeclarations", "UTImportedTypeDeclarations",
    ]

    /// The apps on the device, in its order. Without `includingSystem`, only user-installed apps.
    public func apps(includingSystem: Bool = false, _ context: OperationContext = OperationContext())
        throws(TransportError) -> [InstalledApp]
    {
        try withApps(context) { conversation throws(TransportError) in
            try options.trace.call("installation_proxy.Browse") { () throws(TransportError) in
                try browse(includingSystem, conversation, context)
            }
        }
    }

    /// Runs `body` with a conversation with installation_proxy: the kept one if it is fresh, or else a new one, which
    /// uses `started` if given.
    func withApps<Value>(
        _ context: OperationContext, started: LockdownClient.StartedService? = nil,
        _ body: (PropertyListConversation) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        if let conversation = try takeApps() {
            do throws(TransportError) {
                let value = try body(conversation)
                keepApps(conversation)
                return value
            } catch {
                // The device may have just closed the kept conversation.
                guard error.code == .connectionLost else { throw error }
            }
        }
        let conversation =
            if let started {
                PropertyListConversation(connection: try connect(started, context))
            } else { try converse(with: Self.appService, context) }
        let value = try body(conversation)
        keepApps(conversation)
        return value
    }

    /// Whether a conversation with installation_proxy is kept or being opened.
    var keepsApps: Bool {
        kept.withLock { kept in
            kept.apps.map { Self.isFresh($0.since) } ?? false
                || kept.readying.map { $0.apps != nil && Self.isFresh($0.since) } ?? false
        }
    }

    /// The kept conversation with installation_proxy if it is usable, or else the one that was started in advance.
    private func takeApps() throws(TransportError) -> PropertyListConversation? {
        if let kept = takeKeptApps() { return kept }
        return try takeReadyApps().map { PropertyListConversation(connection: $0) }
    }

    private func takeKeptApps() -> PropertyListConversation? {
        let apps = kept.withLock { kept in
            defer { kept.apps = nil }
            return kept.apps
        }
        guard let apps, Self.isFresh(apps.since), !apps.conversation.connection.isStale else { return nil }
        return apps.conversation
    }

    private func keepApps(_ conversation: PropertyListConversation) {
        let former = kept.withLock { kept in
            defer { kept.apps = (conversation, .now) }
            return kept.apps
        }
        // Deinitialization communicates with the device, so it happens outside the lock.
        withExtendedLifetime(former) {}
    }

    /// Closes the conversation with installation_proxy.
    func releaseApps() {
        withExtendedLifetime(takeKeptApps()) {}
        kept.withLock { kept in
            defer { kept.readying?.apps = nil }
            return kept.readying?.apps
        }?.giveUp()
    }

    private func browse(
        _ includingSystem: Bool, _ conversation: PropertyListConversation, _ context: OperationContext
    ) throws(TransportError) -> [InstalledApp] {
        do throws(TransportError) {
            try conversation.send(
                [
                    "Command": .string("Browse"),
                    "ClientOptions": .dictionary([
                        "ApplicationType": .string(includingSystem ? "Any" : "User"),
                        "ReturnAttributes": .array(Self.attributes.map { .string($0) }),
                    ]),
                ], context)
            var apps: [InstalledApp] = []
            for _ in 0..<Self.maximumApps {
                let part = try conversation.receive(context)
                try Self.checkForError(part)
                for app in part["CurrentList"]?.array ?? [] {
                    guard let attributes = app.dictionary, let id = attributes["CFBundleIdentifier"]?.string,
                        !id.isEmpty
                    else { continue }
                    apps.append(InstalledApp(bundleID: id, attributes: attributes))
                }
                if part["Status"]?.string == "Complete" { return apps }
                guard part["CurrentList"] != nil else {
                    throw .violation("The device sent a malformed part of its list of apps.")
                }
                guard apps.count <= Self.maximumApps else { break }
            }
            throw TransportError(
                .protocolViolation, "The device's list of apps is endless.",
                hint: TransportError.reconnectHint)
        } catch {
            throw diagnosed(error)
        }
    }

    /// The apps with these bundle ids that are on the device, by bundle id. Cheaper than the complete list.
    public func apps(bundleIDs: [String], _ context: OperationContext = OperationContext())
        throws(TransportError) -> [String: InstalledApp]
    {
        try apps(bundleIDs: bundleIDs, readyingFiles: false, context)
    }

    /// Like `apps(bundleIDs:_:)`. With `readyingFiles`, also opens a connection to house_arrest in the meantime. The
    /// next `roots` uses the connection and the answer.
    package func apps(bundleIDs: [String], readyingFiles: Bool, _ context: OperationContext)
        throws(TransportError) -> [String: InstalledApp]
    {
        guard !bundleIDs.isEmpty else { return [:] }
        if readyingFiles, !keepsApps { try readyFiles(context) }
        let apps = try withApps(context) { conversation throws(TransportError) in
            try lookUp(bundleIDs, conversation, context)
        }
        if readyingFiles { kept.withLock { $0.described = (Set(bundleIDs), apps, .now) } }
        return apps
    }

    /// The answer that was requested together with files, if it is fresh and about all these apps. Each answer is
    /// taken once.
    func takeDescribed(_ bundleIDs: [String]) -> [String: InstalledApp]? {
        let described = kept.withLock { kept in
            defer { kept.described = nil }
            return kept.described
        }
        guard let described, Self.isFresh(described.since), described.ids.isSuperset(of: bundleIDs) else {
            return nil
        }
        return described.apps
    }

    func lookUp(
        _ bundleIDs: [String], _ conversation: PropertyListConversation, _ context: OperationContext
    ) throws(TransportError) -> [String: InstalledApp] {
        try options.trace.call("installation_proxy.Lookup", bundleIDs.joined(separator: ", ")) {
            () throws(TransportError) in
            try askFor(bundleIDs, conversation, context)
        }
    }

    private func askFor(
        _ bundleIDs: [String], _ conversation: PropertyListConversation, _ context: OperationContext
    ) throws(TransportError) -> [String: InstalledApp] {
        do throws(TransportError) {
            try conversation.send(
                [
                    "Command": .string("Lookup"),
                    "ClientOptions": .dictionary([
                        "ApplicationType": .string("Any"),
                        "BundleIDs": .array(bundleIDs.map { .string($0) }),
                        "ReturnAttributes": .array(
                            (Self.attributes + Self.documentAttributes).map { .string($0) }),
                    ]),
                ], context)
            var found: [String: DeviceValue]?
            for _ in 0..<16 {
                let answer = try conversation.receive(context)
                try Self.checkForError(answer)
                if let result = answer["LookupResult"]?.dictionary { found = result }
                if answer["Status"]?.string == "Complete" { break }
            }
            guard let found else {
                throw TransportError(
                    .protocolViolation, "The device reported success without a list of apps.",
                    subject: bundleIDs.joined(separator: ", "), hint: TransportError.reconnectHint)
            }
            var apps: [String: InstalledApp] = [:]
            for id in bundleIDs {
                guard let attributes = found[id]?.dictionary else { continue }
                apps[id] = InstalledApp(bundleID: id, attributes: attributes)
            }
            return apps
        } catch {
            throw diagnosed(error)
        }
    }

    private static func checkForError(_ answer: [String: DeviceValue]) throws(TransportError) {
        guard let name = answer["Error"]?.string else { return }
        throw TransportError(installationProxy: name, details: answer["ErrorDescription"]?.string)
    }
}
