import MarvinCommands

/// A staging folder in memory, a clock that moves only when the exchange waits, and an app written by the test.
final class ScriptedReader: CommandExchangeHost {
    struct Broken: Error, Equatable {
        let path: String
    }

    static let folder = "/Library/calibre"

    var files: [String: [UInt8]] = [:]
    var now = Duration.zero
    var isCancelled = false
    /// The operations so far, such as `read /Library/calibre/status.xml`.
    private(set) var log: [String] = []
    private(set) var reports: [Double] = []
    private(set) var waits: [Duration] = []
    /// Called after each wait, so that the app can act.
    var onWait: (ScriptedReader) -> Void = { _ in }
    /// Called before each action. A result replaces the normal one.
    var intercept: (String, ScriptedReader) -> CommandExchange.Reply? = { _, _ in nil }

    init(online: Bool = true) {
        files[path("connected.xml")] = ScriptedReader.connection(online ? .online : .offline)
    }

    static func connection(_ state: ConnectionStatus.State) -> [UInt8] {
        ConnectionStatus(timestamp: CommandTimestamp(seconds: 1), state: state).encoded()
    }

    func path(_ name: String) -> String { ScriptedReader.folder + "/" + name }

    subscript(name: String) -> [UInt8]? {
        get { files[path(name)] }
        set { files[path(name)] = newValue }
    }

    /// The app writes its status.
    func answer(
        _ code: CommandStatus.Code, progress: Double? = nil, _ messages: [String] = [], at tenths: Int64 = 1
    ) {
        self["status.xml"] =
            CommandStatus(
                timestamp: CommandTimestamp(tenths: tenths), code: code, progress: progress,
                messages: messages
            )
            .encoded()
    }

    /// The names in the staging folder, apart from `connected.xml`.
    var leftovers: [String] {
        files.keys.filter { $0 != path("connected.xml") }.sorted()
    }

    func count(_ entry: String) -> Int {
        log.count { $0 == entry }
    }

    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply {
        let entry = describe(action)
        log.append(entry)
        // An exchange that does not end must fail its test instead of blocking it.
        if log.count > 100_000 { return .deviceGone(Broken(path: "an exchange without end")) }
        if let reply = intercept(entry, self) { return reply }
        switch action {
        case .read(let path):
            return files[path].map { .contents($0) } ?? .missing
        case .exists(let path):
            return files[path] == nil ? .missing : .done
        case .list(let folder):
            let names = files.keys.filter { $0.hasPrefix(folder + "/") }.map {
                String($0.dropFirst(folder.count + 1))
            }
            return names.isEmpty ? .missing : .names(names)
        case .write(let path, let bytes):
            files[path] = bytes
            return .done
        case .rename(let from, let to):
            guard let bytes = files.removeValue(forKey: from) else { return .failed(Broken(path: from)) }
            files[to] = bytes
            return .done
        case .remove(let path):
            return files.removeValue(forKey: path) == nil ? .missing : .done
        case .wait(let duration):
            waits.append(duration)
            now += duration
            onWait(self)
            return .done
        case .report(let progress):
            reports.append(progress)
            return .done
        case .finish:
            return .failed(Broken(path: "finish is not to be performed"))
        }
    }

    private func describe(_ action: CommandExchange.Action) -> String {
        switch action {
        case .read(let path): "read \(path)"
        case .exists(let path): "exists \(path)"
        case .list(let path): "list \(path)"
        case .write(let path, _): "write \(path)"
        case .rename(let from, let to): "rename \(from) \(to)"
        case .remove(let path): "remove \(path)"
        case .wait: "wait"
        case .report: "report"
        case .finish: "finish"
        }
    }
}
