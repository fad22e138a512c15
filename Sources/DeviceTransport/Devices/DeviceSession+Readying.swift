import Platform
import Synchronization

/// Opens connections for queries about apps and for their files in advance, while the host does something else.
extension DeviceSession {
    /// Connections that were started in advance, with the time.
    struct Readying: Sendable {
        /// A connection to installation_proxy that was not used yet.
        var apps: Beginning?
        /// A connection to house_arrest that was not used yet.
        var files: Beginning?
        var since: ContinuousClock.Instant

        /// A connection that is being opened, or the error if that failed.
        typealias Beginning = BackgroundResult<ServiceConnection, TransportError>

        /// Closes the connections, including those that are still being opened. Does not wait.
        func giveUp() {
            apps?.giveUp()
            files?.giveUp()
        }
    }

    /// The values that describe the device. If the device trusts this host, also opens a connection for queries about
    /// apps and one for an app's files in the meantime. The next `apps` and `roots` use them.
    package func information(readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> DeviceInformation
    {
        if readyingFiles {
            do throws(TransportError) {
                try readyFiles(context)
            } catch {
                // A device that refuses these connections still reports its values. The next query about apps
                // encounters the refusal again.
                guard Self.isRefusal(error) else { throw error }
            }
        }
        return try information(context)
    }

    /// Starts both services in one conversation with lockdownd, and connects to each on its own thread. Does not wait
    /// for the connections. Throws if lockdownd cannot be asked.
    func readyFiles(_ context: OperationContext) throws(TransportError) {
        var readying = Readying(since: .now)
        // Apps are queried first.
        readying.apps = beginning(try start([Self.appService], context), context)
        do throws(TransportError) {
            readying.files = beginning(try start([DeviceRoot.houseArrest], context), context)
        } catch {
            readying.giveUp()
            throw error
        }
        let former = kept.withLock { kept in
            defer { kept.readying = readying }
            return kept.readying
        }
        former?.giveUp()
    }

    private func beginning(
        _ started: [Result<LockdownClient.StartedService, TransportError>], _ context: OperationContext
    ) -> Readying.Beginning? {
        guard let started = started.first else { return nil }
        return BackgroundResult { [self] in
            Result { () throws(TransportError) in try connect(try started.get(), context) }
        } discard: { _ in
        }
    }

    /// The started connection to installation_proxy, when it is open; nil if none was started, or it can no longer be
    /// used.
    func takeReadyApps() throws(TransportError) -> ServiceConnection? {
        try usable(takeReadying(\.apps))
    }

    /// The started connection to house_arrest. An error here is ignored, because `roots` encounters and reports it
    /// again.
    func takeReadyFiles() -> ServiceConnection? {
        let connection = Result { () throws(TransportError) in try usable(takeReadying(\.files)) }
        guard case .success(let ready) = connection else { return nil }
        return ready
    }

    private func usable(_ beginning: Readying.Beginning?) throws(TransportError) -> ServiceConnection? {
        guard let connection = try beginning?.take(), !connection.isStale else { return nil }
        return connection
    }

    private func takeReadying(
        _ path: any WritableKeyPath<Readying, Readying.Beginning?> & Sendable
    ) -> Readying.Beginning? {
        kept.withLock { kept in
            guard let readying = kept.readying, Self.isFresh(readying.since) else { return nil }
            defer { kept.readying?[keyPath: path] = nil }
            return readying[keyPath: path]
        }
    }
}
