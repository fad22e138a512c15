import Platform

extension DeviceSession {
    static let appService = "com.apple.mobile.installation_proxy"
    /// The most apps, and pieces of the list, taken from a device; real devices have far fewer.
    private static let maximumApps = 20_000

    private static let attributes = [
        "CFBundleIdentifier", "CFBundleDisplayName", "CFBundleName", "CFBundleShortVersionString",
        "CFBundleVersion", "UIFileSharingEnabled", "ApplicationType", "SignerIdentity", "Path", "Container",
    ]
    /// Long attributes, which are requested only for named apps.
    private static let documentAttributes = [
        "CFBundleDocumentTypes", "UTExportedTypeDeclarations", "UTImportedTypeDeclarations",
    ]

    /// The apps on the device, in its order; only installed ones unless `includingSystem`.
    public func apps(includingSystem: Bool = false, _ context: OperationContext = OperationContext())
        throws(TransportError) -> [InstalledApp]
    {
        try withApps(context) { conversation throws(TransportError) in
            try options.trace.call("installation_proxy.Browse") { () throws(TransportError) in
                try browse(includingSystem, conversation, context)
            }
        }
    }

    /// Talks to installation_proxy, over the kept conversation if it is fresh, else over a new one. A new one
    /// uses `started` if given.
    func withApps<Value>(
        _ context: OperationContext, started: LockdownClient.StartedService? = nil,
        _ body: (PropertyListConversation) throws(TransportError) -> Value
    ) throws(TransportError) -> Value {
        if let conversation = takeApps() {
            do throws(TransportError) {
                let value = try body(conversation)
                keepApps(conversation)
                return value
            } catch {
                // The device may have closed the kept conversation just now.
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

    /// Whether a conversation with installation_proxy is kept.
    var keepsApps: Bool { kept.withLock { $0.apps.map { Self.isFresh($0.since) } ?? false } }

    private func takeApps() -> PropertyListConversation? {
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
        // Its end talks to the device, so it happens outside of the lock.
        withExtendedLifetime(former) {}
    }

    /// Closes the conversation with installation_proxy.
    func releaseApps() { withExtendedLifetime(takeApps()) {} }

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
                guard part["CurrentList"] != nil, apps.count <= Self.maximumApps else { break }
            }
            throw TransportError(
                .protocolViolation, "The device's list of apps is endless.",
                hint: TransportError.reconnectHint)
        } catch {
            throw diagnosed(error)
        }
    }

    /// The named apps that are on the device, by bundle id; cheaper than the whole list.
    public func apps(bundleIDs: [String], _ context: OperationContext = OperationContext())
        throws(TransportError) -> [String: InstalledApp]
    {
        try apps(bundleIDs: bundleIDs, readyingFiles: false, context)
    }

    /// The same. With `readyingFiles` a connection to house_arrest is made meanwhile, which the next `roots` uses.
    package func apps(bundleIDs: [String], readyingFiles: Bool, _ context: OperationContext)
        throws(TransportError) -> [String: InstalledApp]
    {
        guard !bundleIDs.isEmpty else { return [:] }
        guard readyingFiles, !keepsApps else {
            return try withApps(context) { conversation throws(TransportError) in
                try lookUp(bundleIDs, conversation, context)
            }
        }
        let started = try start([Self.appService, DeviceRoot.houseArrest], context)
        let (apps, _) = SimultaneousRun.both(
            stackSize: SystemThread.smallStack,
            {
                Result { () throws(TransportError) in
                    try withApps(context, started: try started[0].get()) {
                        conversation throws(TransportError) in
                        try lookUp(bundleIDs, conversation, context)
                    }
                }
            },
            { [self] in readyFiles(started[1], context) })
        return try apps.get()
    }

    /// Connects to house_arrest. What keeps it from that, `roots` finds out again, and says.
    private func readyFiles(
        _ started: Result<LockdownClient.StartedService, TransportError>, _ context: OperationContext
    ) {
        let connection = Result { () throws(TransportError) in try connect(try started.get(), context) }
        guard case .success(let connection) = connection else { return }
        let former = kept.withLock { kept in
            defer { kept.ready = (connection, .now) }
            return kept.ready
        }
        withExtendedLifetime(former) {}
    }

    /// The connection to house_arrest that was made beforehand, if it can still be used.
    func takeReady() -> ServiceConnection? {
        let ready = kept.withLock { kept in
            defer { kept.ready = nil }
            return kept.ready
        }
        guard let ready, Self.isFresh(ready.since), !ready.connection.isStale else { return nil }
        return ready.connection
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
