import DeviceTransport

/// The result of one check of a device's reader app.
package struct ReaderPresence {
    /// The session; nil unless the reader app is online.
    package var session: HostSession?
    /// The state of the reader app.
    package var state: ReaderConnection.State
    /// The reason why there is no session.
    package var error: HostError?
    /// The reader app; nil if none was found.
    package var app: ReaderApp?
    /// The overlay of the app; nil if none was found.
    package var overlay: OverlayDescription?

    /// Checks the reader app of a request without waiting for it. Blocks.
    package init(_ request: SessionRequest) {
        state = .unreachable
        do throws(HostError) {
            let target = try ReaderTarget.find(request)
            app = target.app
            overlay = target.overlay.descriptor
            let session = try HostSession(connecting: target, request)
            do throws(HostError) {
                try session.link.waitForReader(.zero)
                self.session = session
                state = .online
            } catch {
                state = Self.state(of: session.link.connection, after: error)
                session.close()
                throw error
            }
        } catch {
            self.error = error
            if app == nil || state == .attached { state = Self.state(after: error) }
        }
    }

    /// The final state of a connection after an error.
    private static func state(
        of connection: ReaderConnection, after error: HostError
    ) -> ReaderConnection.State {
        switch connection.state {
        case .attached, .absent, .online: state(after: error)
        // The app cannot be checked, so its own state is unknown.
        case _ where [.deviceLocked, .notPaired].contains(error.code): .unreachable
        default: connection.state
        }
    }

    private static func state(after error: HostError) -> ReaderConnection.State {
        switch error.code {
        case .appNotInstalled: .appMissing
        case .accessRefused: .accessRefused
        case .appUnavailable: .offline
        case .noOverlay, .appNotChosen, .notSupported, .overlayRefused: .notServed
        case .noDevice, .deviceGone: .absent
        default: .unreachable
        }
    }
}

extension HostSession {
    /// Checks whether the reader app is still online. Throws the reason if it is not.
    package func checkPresence() throws(HostError) {
        do throws(HostError) { try link.checkApp() } catch { throw settled(error) }
        guard link.connection.state == .online else { throw link.whyNot() }
    }

    /// Whether the device was unplugged since the session began.
    package var isDeviceGone: Bool { link.target.device.isGone }

    /// Calls `handler` once when the device is unplugged, on the thread that detects this, or immediately if the
    /// device is already gone. Releasing the result removes the handler.
    package func whenDeviceIsGone(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        link.target.device.whenGone(handler)
    }

    /// The space on the device in bytes. Sends one request to the device.
    package func space() throws(HostError) -> (free: UInt64, total: UInt64) {
        do throws(HostError) {
            let space = try link.roots.space(OperationContext(cancellation: request.cancellation))
            return (space.free, space.total)
        } catch {
            throw settled(error)
        }
    }

    /// Discards the known list of books. Call this between requests that may be far apart.
    package func forgetBooklist() { forgetBooks() }

    /// Returns at least the books with these paths, with their covers. An overlay that cannot list some books returns
    /// all.
    package func covers(of paths: [String]) throws(HostError) -> BookList {
        try require("books")
        link.progress.begin("Reading covers", counting: [.read, .pull])
        do throws(HostError) {
            return try link.instance.books(withCovers: true, wanted: paths)
        } catch {
            throw settled(error)
        }
    }

    /// Whether the overlay can list only some books.
    package var canReadSomeBooks: Bool { link.target.overlay.abiMinor >= 5 }
}

extension ReaderPresence {
    /// Creates the result for an existing online session.
    package init(of session: HostSession) {
        self.session = session
        state = .online
        app = session.app
        overlay = session.overlay
    }
}
