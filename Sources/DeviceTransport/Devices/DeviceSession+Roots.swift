import Platform
import Synchronization

extension DeviceSession {
    /// The roots that the device grants for an app, and the reasons why it refuses the others.
    ///
    /// Problems that the user can solve are part of the answer (not paired, locked, not installed, refused by iOS).
    /// It throws only if the device cannot be asked. It costs one request to installation_proxy and one or two to
    /// house_arrest. `open` reuses the connection.
    ///
    /// Since iOS 8.3 the containers of Apple's own apps and of those from the App Store count as refused without
    /// asking. A container whose connection the device closes counts as refused if the app's shared folder can then
    /// be opened.
    ///
    /// The media folder is tested for Apple's own apps, which keep their books there. For other apps it counts as
    /// granted unless the device is locked, because a device allows few connections; `open` reports any problem with
    /// it.
    public func roots(for bundleID: String, _ context: OperationContext = OperationContext())
        throws(TransportError) -> GrantedRoots
    {
        guard let access = try roots(for: [bundleID], context).first else {
            throw TransportError(.internalFailure, "The device was not asked about \(bundleID).")
        }
        return access
    }

    /// The roots of several apps, in order. Uses one conversation with lockdownd and one request to
    /// installation_proxy for all of them, and a parallel connection to house_arrest for each. house_arrest is asked
    /// side by side with installation_proxy, unless the first root depends on the description of the app. The request
    /// is omitted directly after one that readied files.
    public func roots(for bundleIDs: [String], _ context: OperationContext = OperationContext())
        throws(TransportError) -> [GrantedRoots]
    {
        let described = takeDescribed(bundleIDs)
        let asksAnew = described == nil && !keepsApps
        let ready = takeReadyFiles()
        let services = bundleIDs.dropFirst(ready == nil ? 0 : 1).map { _ in DeviceRoot.houseArrest }
        let started: [Result<LockdownClient.StartedService, TransportError>]
        do throws(TransportError) {
            started = try start(services + (asksAnew ? [Self.appService] : []), context)
        } catch {
            guard Self.isRefusal(error) else { throw error }
            return bundleIDs.map { _ in
                GrantedRoots(
                    app: nil, granted: [],
                    refused: DeviceRoot.Kind.allCases.map { GrantedRoots.Refusal(root: $0, error: error) })
            }
        }
        let lookup: @Sendable () -> Result<[String: InstalledApp], TransportError> = { [self] in
            if let described { return .success(described) }
            return Result { () throws(TransportError) in
                try withApps(context, started: asksAnew ? try started[services.count].get() : nil) {
                    conversation throws(TransportError) in
                    try lookUp(bundleIDs, conversation, context)
                }
            }
        }
        var ways = started.prefix(services.count).map { Way.started($0) }
        if let ready { ways.insert(.ready(ready), at: 0) }
        var answers = try ask(bundleIDs, ways, lookup, context)
        // Connections for other apps are no longer needed.
        kept.withLock { $0.files = $0.files.filter { $0.key == .media } }
        try vendDocuments(bundleIDs, &answers, context)
        var all: [GrantedRoots] = []
        for (id, answers) in zip(bundleIDs, answers) {
            var access = GrantedRoots(app: nil, granted: [], refused: [])
            if case .success(let known?) = answers.app { access.app = known }
            judgeApp(&access, id, answers)
            try judgeMedia(&access, id, answers, context)
            all.append(access)
        }
        return all
    }

    /// The answers of the device about one app.
    private struct Answers {
        var app: Result<InstalledApp?, TransportError>
        var container: Result<ServiceConnection, TransportError>
        /// nil if the device was not asked for the shared folder.
        var documents: Result<ServiceConnection, TransportError>?
    }

    /// The way to house_arrest for one app.
    private enum Way {
        /// A connection that was opened in advance.
        case ready(ServiceConnection)
        /// A service to connect to.
        case started(Result<LockdownClient.StartedService, TransportError>)
    }

    /// The device's answer about the first root of an app.
    private struct FirstAnswer {
        var root: DeviceRoot
        /// Whether there was a connection over which to ask.
        var wasAsked: Bool
        var connection: Result<ServiceConnection, TransportError>
    }

    /// Asks about the apps. In the meantime connects to house_arrest for each app, and asks for its first root as
    /// soon as that is known.
    private func ask(
        _ bundleIDs: [String], _ ways: [Way],
        _ lookup: @Sendable () -> Result<[String: InstalledApp], TransportError>, _ context: OperationContext
    ) throws(TransportError) -> [Answers] {
        typealias Found = Result<[String: InstalledApp], TransportError>
        let known = Monitor<Found?>(nil)
        let askAll: @Sendable () -> [Result<FirstAnswer, TransportError>] = {
            SimultaneousRun.map(Array(bundleIDs.indices), stackSize: SystemThread.smallStack) {
                [self] index in
                Result { () throws(TransportError) in
                    try askFirst(bundleIDs[index], ways[index], context) {
                        let found: Found = known.wait { $0 }
                        return found.map { $0[bundleIDs[index]] }
                    }
                }
            }
        }
        let (apps, firsts) = SimultaneousRun.both(
            stackSize: SystemThread.smallStack,
            { () -> Found in
                let found = lookup()
                known.change { $0 = found }
                return found
            }, askAll)
        if case .failure(let error) = apps, !Self.isRefusal(error) { throw error }
        var answers: [Answers] = []
        for (id, first) in zip(bundleIDs, firsts) {
            let first = try first.get()
            let app = apps.map { $0[id] }
            if case .failure(let error) = first.connection, !Self.isRefusal(error) {
                guard first.root.kind == .container, first.wasAsked, mayMeanRefusal(error, app) else {
                    throw error
                }
            }
            var answer = Answers(app: app, container: first.connection)
            if first.root.kind == .documents {
                answer.documents = first.connection
                // A device that is locked or busy has said nothing about the container.
                var isAboutFolders = true
                if case .failure(let error) = first.connection {
                    isAboutFolders = [.accessRefused, .appNotInstalled].contains(error.code)
                }
                if isAboutFolders { answer.container = .failure(Self.refusedContainer(id)) }
            }
            answers.append(answer)
        }
        return answers
    }

    /// Connects to house_arrest and asks for the first root of an app. `app` waits for the description of the app.
    /// Throws only if the device cannot be asked about the app.
    private func askFirst(
        _ bundleID: String, _ way: Way, _ context: OperationContext,
        app: () -> Result<InstalledApp?, TransportError>
    ) throws(TransportError) -> FirstAnswer {
        let connected: Result<ServiceConnection, TransportError> = Result { () throws(TransportError) in
            switch way {
            case .ready(let connection): return connection
            case .started(let service): return try connect(try service.get(), context)
            }
        }
        let root = try firstRoot(bundleID, app)
        let vended: Result<ServiceConnection, TransportError> = Result { () throws(TransportError) in
            do throws(TransportError) {
                return try vend(root, over: try connected.get(), context)
            } catch {
                // The device may have closed a waiting connection. A refusal, in contrast, is an answer.
                guard case .ready = way, !Self.isRefusal(error), context.cancellation?.isCancelled != true
                else { throw error }
                guard let fresh = try start([root.service], context).first else { throw error }
                return try vend(root, try fresh.get(), context)
            }
        }
        var wasAsked = false
        if case .success = connected { wasAsked = true }
        return FirstAnswer(root: root, wasAsked: wasAsked, connection: vended)
    }

    /// The root to ask for first: the container, unless iOS certainly refuses it. Since iOS 8.3 it refuses the
    /// containers of its own apps and of those from the App Store. Calls `app` only if the answer depends on it.
    private func firstRoot(
        _ bundleID: String, _ app: () -> Result<InstalledApp?, TransportError>
    ) throws(TransportError) -> DeviceRoot {
        guard kept.withLock({ $0.system })?.isAtLeast(8, 3) == true else {
            return .container(bundleID: bundleID)
        }
        if bundleID.hasPrefix("com.apple.") { return .documents(bundleID: bundleID) }
        switch app() {
        case .success(let known?) where known.isFromAppStore: return .documents(bundleID: bundleID)
        case .failure(let error) where !Self.isRefusal(error): throw error
        default: return .container(bundleID: bundleID)
        }
    }

    /// Whether a device that failed to open the container with this error may have refused it. That is so if it then
    /// opens the shared folder.
    private func mayMeanRefusal(
        _ error: TransportError, _ app: Result<InstalledApp?, TransportError>
    ) -> Bool {
        guard case .success(let known?) = app, kept.withLock({ $0.system })?.isAtLeast(8, 3) != false else {
            return false
        }
        return error.code == .connectionLost && known.sharesFiles
    }

    /// The refusal of a container that the device did not express itself.
    private static func refusedContainer(_ bundleID: String) -> TransportError {
        TransportError(
            .accessRefused, "iOS does not allow access to the container of this app.", subject: bundleID,
            hint: TransportError.refusalHint(.container))
    }

    /// Asks for the shared folders of installed apps whose containers were refused, unless that was done.
    private func vendDocuments(
        _ bundleIDs: [String], _ answers: inout [Answers], _ context: OperationContext
    ) throws(TransportError) {
        var refused: [Int] = []
        for (index, answer) in answers.enumerated() where !Self.isMissing(bundleIDs[index], answer.app) {
            if case .failure = answer.container, answer.documents == nil { refused.append(index) }
        }
        guard !refused.isEmpty else { return }
        let roots = refused.map { DeviceRoot.documents(bundleID: bundleIDs[$0]) }
        let vended: [Result<ServiceConnection, TransportError>]
        do throws(TransportError) {
            let started = try start(roots.map(\.service), context)
            vended = SimultaneousRun.map(Array(roots.indices), stackSize: SystemThread.smallStack) {
                [self] index in
                Result { () throws(TransportError) in
                    try vend(roots[index], try started[index].get(), context)
                }
            }
        } catch {
            vended = roots.map { _ in .failure(error) }
        }
        for case .failure(let error) in vended where !Self.isRefusal(error) { throw error }
        for (index, documents) in zip(refused, vended) {
            answers[index].documents = documents
            guard case .failure(let error) = answers[index].container, !Self.isRefusal(error) else {
                continue
            }
            guard case .success = documents else { throw error }
            var refusal = Self.refusedContainer(bundleIDs[index])
            refusal.underlying = error
            answers[index].container = .failure(refusal)
        }
    }

    /// Whether an app is not on the device. Apple's own apps exist even if iOS does not list them.
    private static func isMissing(_ bundleID: String, _ app: Result<InstalledApp?, TransportError>) -> Bool {
        if case .success(nil) = app { return !bundleID.hasPrefix("com.apple.") }
        return false
    }

    /// A connection that speaks AFC for the root: the one that `roots` left ready, or a new one. Closes connections
    /// for other roots of the app and for queries about apps, because a device allows few.
    func takeConnection(_ root: DeviceRoot, _ context: OperationContext) throws(TransportError)
        -> ServiceConnection
    {
        let ready = kept.withLock { kept in
            // Connections of other apps stay, because those apps are queried next.
            defer { kept.files = kept.files.filter { $0.key != .media && $0.key.bundleID != root.bundleID } }
            return kept.files[root]
        }
        releaseApps()
        if let ready, !ready.isStale { return ready }
        return try openConnection(root, context)
    }

    /// A new connection that speaks AFC for the root.
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
            throw explained(error, root.kind, try apps(bundleIDs: [bundleID], context)[bundleID])
        }
    }

    /// Adds the container and the documents to the answer, using the replies of house_arrest and installation_proxy.
    private func judgeApp(
        _ access: inout GrantedRoots, _ bundleID: String, _ answers: Answers
    ) {
        guard !Self.isMissing(bundleID, answers.app) else {
            let error = TransportError(
                houseArrest: "ApplicationLookupFailed", root: .container(bundleID: bundleID))
            access.refused = [.container, .documents].map { GrantedRoots.Refusal(root: $0, error: error) }
            return
        }
        let known = access.app
        switch answers.container {
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
                GrantedRoots.Refusal(root: .container, error: explained(error, .container, known)))
        }
        switch answers.documents {
        case .success(let connection):
            keep(connection, .documents(bundleID: bundleID))
            access.granted.append(.documents)
        case .failure(let error):
            access.refused.append(
                GrantedRoots.Refusal(root: .documents, error: explained(error, .documents, known)))
        case nil: break
        }
    }

    /// Adds the media folder to the answer. If the device is locked, it has already refused the app's own folders.
    private func judgeMedia(
        _ access: inout GrantedRoots, _ bundleID: String, _ answers: Answers, _ context: OperationContext
    ) throws(TransportError) {
        do throws(TransportError) {
            for case .failure(let error)? in [answers.container, answers.documents]
            where error.code == .passcodeLocked {
                throw error
            }
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

    /// Adds a reason to the refusal, from the version of iOS and the settings of the app.
    private func explained(
        _ refusal: TransportError, _ kind: DeviceRoot.Kind, _ app: InstalledApp?
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
            // If the version is unknown, the refusal stays as the device gave it.
            guard let system = kept.withLock({ $0.system }), system.isAtLeast(8, 3) == true,
                let version = system.productVersion
            else { break }
            error.message =
                "iOS \(version) does not allow access to the container of \(app?.name ?? "this app")."
            error.hint =
                app?.sharesFiles == true
                ? "Since iOS 8.3, only an app's shared Documents folder is accessible, not its container."
                : "Since iOS 8.3, app containers are not accessible, and this app does not share its "
                    + "Documents folder."
        case .media: break
        }
        return error
    }

    /// Whether the device answered with this failure, instead of not answering.
    static func isRefusal(_ error: TransportError) -> Bool {
        ![
            .cancelled, .timedOut, .deviceGone, .noDevice, .muxUnavailable, .connectionLost,
            .tooManyDescriptors,
            .internalFailure,
        ].contains(error.code)
    }
}
