import Synchronization

extension DeviceSession {
    /// The roots that the device grants for an app, and why it refuses the others.
    ///
    /// Problems that a person can solve are part of the answer (not paired, locked, not installed, refused by
    /// iOS); it throws only when the device cannot be asked. It costs one request to installation_proxy and
    /// one or two to house_arrest; `open` uses the connection that was made.
    ///
    /// The media folder is tried for apps of Apple's own, which keep their books there. For other apps it
    /// counts as granted unless the device is locked, because a device gives few connections; `open` reports
    /// a problem with it.
    public func roots(for bundleID: String, _ context: OperationContext = OperationContext())
        throws(TransportError) -> GrantedRoots
    {
        let container = DeviceRoot.container(bundleID: bundleID)
        let asksAnew = !keepsApps
        let started: [Result<LockdownClient.StartedService, TransportError>]
        do throws(TransportError) {
            started = try start([container.service] + (asksAnew ? [Self.appService] : []), context)
        } catch {
            guard Self.isRefusal(error) else { throw error }
            return GrantedRoots(
                app: nil, granted: [],
                refused: DeviceRoot.Kind.allCases.map { GrantedRoots.Refusal(root: $0, error: error) })
        }
        let lookup: @Sendable () -> Result<InstalledApp?, TransportError> = { [self] in
            Result { () throws(TransportError) in
                try withApps(context, started: asksAnew ? try started[1].get() : nil) {
                    conversation throws(TransportError) in
                    try lookUp([bundleID], conversation, context)[bundleID]
                }
            }
        }
        let vend: @Sendable () -> Result<ServiceConnection, TransportError> = { [self] in
            Result { () throws(TransportError) in try self.vend(container, try started[0].get(), context) }
        }
        let (app, vended) = Concurrently.run(lookup, vend)
        if case .failure(let error) = app, !Self.isRefusal(error) { throw error }
        if case .failure(let error) = vended, !Self.isRefusal(error) { throw error }

        var access = GrantedRoots(app: nil, granted: [], refused: [])
        if case .success(let known?) = app { access.app = known }
        // Connections for other apps are no longer needed.
        kept.withLock { $0.files = $0.files.filter { $0.key == .media } }
        try judgeApp(&access, bundleID, app: app, container: vended, context)
        try judgeMedia(&access, bundleID, start: started[0], context)
        return access
    }

    /// A connection that speaks AFC about the root: the one that `roots` left ready, or a new one.
    /// Connections for other roots and for questions about apps are closed, since a device gives few.
    func takeConnection(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError)
        -> ServiceConnection
    {
        let ready = kept.withLock { kept in
            defer { kept.files = [:] }
            return kept.files[root]
        }
        releaseApps()
        if let ready, !ready.isStale { return ready }
        return try openConnection(root, context)
    }

    /// A new connection that speaks AFC about the root.
    func openConnection(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError)
        -> ServiceConnection
    {
        guard let started = try start([root.service], context).first else {
            throw TransportError(.internalFailure, "The service \(root.service) was not started.")
        }
        do throws(TransportError) {
            return try vend(root, try started.get(), context)
        } catch {
            guard error.code == .accessRefused, let bundleID = root.bundleID else {
                throw error.about(root.description)
            }
            throw explained(error, root.kind, try apps(bundleIDs: [bundleID], context)[bundleID], context)
        }
    }

    /// Fills in container and documents from the answers of house_arrest and installation_proxy.
    private func judgeApp(
        _ access: inout GrantedRoots, _ bundleID: String, app: Result<InstalledApp?, TransportError>,
        container: Result<ServiceConnection, TransportError>, _ context: OperationContext
    ) throws(TransportError) {
        // Apple's own apps exist even where iOS does not list them.
        if case .success(nil) = app, !bundleID.hasPrefix("com.apple.") {
            let error = TransportError(
                houseArrest: "ApplicationLookupFailed", root: .container(bundleID: bundleID))
            access.refused = [.container, .documents].map { GrantedRoots.Refusal(root: $0, error: error) }
            return
        }
        let known = access.app
        switch container {
        case .success(let connection):
            keep(connection, .container(bundleID: bundleID))
            access.granted.append(.container)
            if known?.sharesFiles == true {
                access.granted.append(.documents)
            } else {
                let error = TransportError(
                    .accessRefused, "The app's Documents folder is not shared separately.",
                    subject: bundleID,
                    hint: "Open its container instead, which includes the folder.")
                access.refused.append(GrantedRoots.Refusal(root: .documents, error: error))
            }
        case .failure(let error):
            access.refused.append(
                GrantedRoots.Refusal(root: .container, error: explained(error, .container, known, context)))
            let root = DeviceRoot.documents(bundleID: bundleID)
            do throws(TransportError) {
                guard let started = try start([root.service], context).first else { return }
                keep(try vend(root, try started.get(), context), root)
                access.granted.append(.documents)
            } catch {
                guard Self.isRefusal(error) else { throw error }
                access.refused.append(
                    GrantedRoots.Refusal(
                        root: .documents, error: explained(error, .documents, known, context)))
            }
        }
    }

    /// Adds the media folder to the answer; `start` is the result of starting the service for the app's
    /// files.
    private func judgeMedia(
        _ access: inout GrantedRoots, _ bundleID: String,
        start: Result<LockdownClient.StartedService, TransportError>, _ context: OperationContext
    ) throws(TransportError) {
        do throws(TransportError) {
            if case .failure(let error) = start, error.code == .passcodeLocked { throw error }
            if bundleID.hasPrefix("com.apple.") {
                let ready = kept.withLock { $0.files[.media] }
                if ready?.isStale ?? true { keep(try openConnection(.media, context), .media) }
            }
            access.granted.append(.media)
        } catch {
            guard Self.isRefusal(error) else { throw error }
            access.refused.append(GrantedRoots.Refusal(root: .media, error: error))
        }
    }

    private func keep(_ connection: ServiceConnection, _ root: DeviceRoot) {
        kept.withLock { $0.files[root] = connection }
    }

    /// The refusal with a reason, from the version of iOS and the settings of the app.
    private func explained(
        _ refusal: TransportError, _ kind: DeviceRoot.Kind, _ app: InstalledApp?, _ context: OperationContext
    ) -> TransportError {
        var error = refusal
        if [.appNotInstalled, .accessRefused].contains(refusal.code),
            refusal.subject?.hasPrefix("com.apple.") ?? false
        {
            error.code = .accessRefused
            error.message = "iOS does not allow access to the files of built-in apps."
            error.hint = "The app's files in the media folder are still accessible."
            return error
        }
        guard refusal.code == .accessRefused else { return refusal }
        switch kind {
        case .documents:
            if let app, !app.sharesFiles {
                error.message = "\(app.name) does not share its Documents folder."
                error.hint =
                    "The app does not have file sharing (UIFileSharingEnabled), so its files are not "
                    + "accessible."
            }
        case .container:
            let version = Result { () throws(TransportError) in
                try value("ProductVersion", context)?.string
            }
            // Without the version the refusal stays as the device gave it.
            guard case .success(let text?) = version,
                DeviceInformation(values: ["ProductVersion": .string(text)]).isAtLeast(8, 3) == true
            else { break }
            error.message =
                "iOS \(text) does not allow access to the container of \(app?.name ?? "this app")."
            error.hint =
                app?.sharesFiles == true
                ? "Since iOS 8.3, only an app's shared Documents folder is accessible, not its container."
                : "Since iOS 8.3, app containers are not accessible, and this app does not share its "
                    + "Documents folder."
        case .media: break
        }
        return error
    }

    /// Whether the device answered with this failure, rather than not at all.
    private static func isRefusal(_ error: TransportError) -> Bool {
        ![
            .cancelled, .timedOut, .deviceGone, .noDevice, .muxUnavailable, .connectionLost,
            .tooManyDescriptors,
            .internalFailure,
        ].contains(error.code)
    }
}
