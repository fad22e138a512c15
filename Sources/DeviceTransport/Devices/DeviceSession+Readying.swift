import Platform
import Synchronization

/// Connections for questions about apps and for their files, made while the host is busy with something else.
extension DeviceSession {
    /// Connections that were begun beforehand, and when.
    struct Readying: Sendable {
        /// To installation_proxy, until it is asked.
        var apps: Beginning?
        /// To house_arrest, until it is asked for a folder.
        var files: Beginning?
        var since: ContinuousClock.Instant

        /// A connection that comes, or why it does not.
        typealias Beginning = BackgroundResult<ServiceConnection, TransportError>

        /// Closes the connections, also those that are still being made. Does not wait.
        func giveUp() {
            apps?.giveUp()
            files?.giveUp()
        }
    }

    /// The values of the device about itself. On a device that trusts this computer, a connection for questions about apps and one
    /// for the files of an app are made meanwhile, and are used by the next `apps` and `roots`.
    package func information(readyingFiles: Bool, _ context: OperationContext) throws(TransportError)
        -> DeviceInformation
    {
        if readyingFiles {
            do throws(TransportError) {
                try readyFiles(context)
            } catch {
                // What a device refuses, it still says who it is. The next question about apps finds the refusal out again.
                guard Self.isRefusal(error) else { throw error }
            }
        }
        return try information(context)
    }

    /// Starts both services in one conversation with lockdownd, and connects to each on a thread of its own. Does not wait for
    /// the connections. Throws what keeps lockdownd from being asked.
    func readyFiles(_ context: OperationContext) throws(TransportError) {
        var readying = Readying(since: .now)
        // Apps are asked about first.
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

    /// The connection to installation_proxy that was begun, once it is there; nil if none was, or it cannot be used any more.
    func takeReadyApps() throws(TransportError) -> ServiceConnection? {
        try usable(takeReadying(\.apps))
    }

    /// The same to house_arrest. What keeps the host from it, `roots` finds out again, and says.
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
