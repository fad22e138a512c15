/// The reader app of one device as `DeviceWatch` sees it: looked at again and again, told only when it has changed.
final class WatchedReader {
    /// How it stands, in the words of `ReaderConnection.State`.
    struct Change: Equatable {
        var state: String
        var message: String?
    }

    let connection: String
    let name: String?
    private let udid: String
    private var link: ReaderLink?
    private var last: Change?

    init(udid: String, connection: String, name: String?) {
        self.udid = udid
        self.connection = connection
        self.name = name
    }

    /// Looks at the reader app once; nil when nothing has changed.
    func look(_ request: SessionRequest) -> Change? {
        let now = current(request)
        guard let now, now != last else { return nil }
        last = now
        return now
    }

    /// Gives the device up.
    func close() {
        link?.close()
        link = nil
    }

    private func current(_ request: SessionRequest) -> Change? {
        do throws(HostError) {
            let link = try opened(request)
            try link.look()
            return Change(state: link.connection.state.rawValue, message: link.connection.message)
        } catch {
            // What stood in the way may be gone at the next look, for instance a passcode: begin anew.
            close()
            switch error.code {
            case .deviceGone, .noDevice, .cancelled: return nil
            case .appNotInstalled, .noOverlay:
                return Change(state: ReaderConnection.State.appMissing.rawValue, message: error.message)
            case .accessRefused:
                return Change(state: ReaderConnection.State.accessRefused.rawValue, message: error.message)
            default: return Change(state: ReaderConnection.State.unreachable.rawValue, message: error.message)
            }
        }
    }

    private func opened(_ request: SessionRequest) throws(HostError) -> ReaderLink {
        if let link { return link }
        var request = request
        request.device = udid
        let opened = try ReaderLink(try ReaderTarget.find(request), request)
        link = opened
        return opened
    }
}
