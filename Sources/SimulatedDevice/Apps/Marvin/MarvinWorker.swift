import MarvinCommands
import FoundationEssentials
import Glibc
import Platform

/// The run loop of a simulated Marvin on its own thread.
final class MarvinWorker {
    let container: MarvinContainer
    let state: MarvinState
    let watch: FolderWatch
    /// The library; nil until a command needs it.
    private var openStore: MarvinStore?
    private var queue: CommandQueue
    /// The state that `connected.xml` shows; nil before it is first written and after the app was revived.
    private var shown: MarvinBehaviour.Connection?
    private var generation = -1
    private var isDead = false
    /// Whether the running command must stop, because the host asked for it or the app left its connection mode.
    private var isStopRequested = false

    /// Prepares the library and enters the connection mode that the behaviour asks for.
    init(_ container: MarvinContainer, device: String, system: String, state: MarvinState) throws {
        self.container = container
        self.state = state
        try container.makeFolders()
        // A first launch creates an empty library. It is closed again, so that it can be filled before it is needed.
        // An existing library is not even opened, because closing it would merge a log that must stay.
        if !FileManager.default.fileExists(atPath: container.database.path) { _ = try MarvinStore(container) }
        watch = try FolderWatch(container.staging.path, for: FolderWatch.arrivals)
        queue = CommandQueue(
            identity: ConnectionStatus(
                timestamp: CommandTimestamp(seconds: 0), state: .offline, appVersion: container.version,
                device: device, system: system, hasPassword: false))
        applyBehaviour()
        state.running(watch)
    }

    /// Answers commands until the app is stopped.
    func run() {
        while !state.isStopping {
            applyBehaviour()
            takeCommands()
            // A wait within a command may have consumed the wake-up that was meant for this wait.
            if !state.isStopping, state.latest().generation == generation { watch.wait(nil) }
        }
        handle(.left)
    }

    /// The library. It is opened with the first command, so that `MarvinLibrary` can fill it before.
    func store() throws -> MarvinStore {
        if let openStore { return openStore }
        let store = try MarvinStore(container)
        openStore = store
        return store
    }

    private static var tenths: Int64 { Int64(Date().timeIntervalSince1970 * 10) }

    private func handle(_ event: CommandQueue.Event) {
        for action in queue.handle(event, at: MarvinWorker.tenths) {
            do {
                try perform(action)
            } catch {
                state.record(error)
            }
        }
    }

    /// Applies the behaviour to the connection. A newly set behaviour revives an app that died.
    private func applyBehaviour() {
        let (behaviour, latest) = state.latest()
        if latest != generation {
            generation = latest
            isDead = false
            if behaviour.adoptsDocuments {
                do { try store().adoptDocuments() } catch { state.record(error) }
            }
        }
        if !isDead, behaviour.connection != shown {
            shown = behaviour.connection
            switch behaviour.connection {
            case .online: handle(.entered)
            case .offline: handle(.suspended)
            case .absent: handle(.left)
            }
        }
        state.acknowledge(latest)
    }

    /// Processes commands until the staging folder has none.
    private func takeCommands() {
        while !isDead, !state.isStopping, state.behaviour.answers {
            do {
                let names = try FileManager.default.contentsOfDirectory(atPath: container.staging.path)
                let actions = queue.handle(.found(names), at: MarvinWorker.tenths)
                if actions.isEmpty { return }
                for action in actions { try perform(action) }
            } catch {
                state.record(error)
                return
            }
        }
    }

    private func perform(_ action: CommandQueue.Action) throws {
        switch action {
        case .writeConnection(let connection):
            try write(connection.encoded(), as: StagingFile.connection)
        case .removeConnection:
            try remove(StagingFile.connection)
        case .read(let name):
            handle(try contents(of: name))
        case .execute(let command):
            execute(command)
        case .stop:
            isStopRequested = true
        case .writeStatus(let status):
            try write(status)
        case .remove(let name):
            if !state.behaviour.deletesCommand, name.hasSuffix(".xml") {
                isDead = true
            } else {
                try remove(name)
            }
        }
    }

    private func contents(of name: String) throws -> CommandQueue.Event {
        let url = container.staging.appendingPathComponent(name)
        let limit = CommandFileLimits.command.bytes
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .unreadable("it is not a regular file")
        }
        let bytes = try FileBeginning.read(url.path, length: limit + 1)
        return bytes.count > limit ? .unreadable("it is too large") : .contents(bytes)
    }

    // MARK: Carrying out

    private func execute(_ command: Command) {
        isStopRequested = false
        if let failure = state.behaviour.failure {
            handle(.finished(.failure, messages: [failure]))
            return
        }
        var messages: [String] = []
        let steps = self.steps(of: command)
        for (index, step) in steps.enumerated() {
            if interrupt(before: index) { return }
            do {
                if let message = try step() { messages.append(message) }
            } catch {
                messages.append("\(error)")
            }
            handle(.progressed((Double(index) + 0.5) / Double(steps.count)))
            if !pause(state.behaviour.timePerBook) { return }
            if isStopRequested {
                handle(.finished(.cancelled, messages: messages))
                return
            }
            handle(.progressed(Double(index + 1) / Double(steps.count)))
        }
        if interrupt(before: steps.count) { return }
        do {
            try finish(command)
        } catch {
            messages.append("\(error)")
        }
        messages += state.behaviour.warnings
        handle(.finished(messages.isEmpty ? .success : .warnings, messages: messages))
    }

    /// Runs the interruption if it is due. Returns true if the command does not continue.
    private func interrupt(before index: Int) -> Bool {
        let behaviour = state.behaviour
        guard let interruption = behaviour.interruption, index >= behaviour.interruptionAfter else {
            return false
        }
        state.change { $0.interruption = nil }
        switch interruption {
        case .goesOffline, .leavesConnectionMode:
            let connection: MarvinBehaviour.Connection = interruption == .goesOffline ? .offline : .absent
            state.change { $0.connection = connection }
            applyBehaviour()
        case .dies:
            // Nothing more is written. A revived app enters the connection mode as if it were just started.
            isDead = true
            shown = nil
            queue = CommandQueue(identity: queue.identity)
        case .cancels:
            handle(.finished(.cancelled, messages: []))
        }
        return true
    }

    /// Spends time on a book but remains responsive. Returns false if the command is over because the app left or
    /// stops.
    private func pause(_ duration: Duration) -> Bool {
        let end = ContinuousClock.now + duration
        while true {
            applyBehaviour()
            if FileManager.default.fileExists(
                atPath: container.staging.appendingPathComponent(StagingFile.cancel).path)
            {
                handle(.found([StagingFile.cancel]))
            }
            if state.isStopping || !queue.isBusy { return false }
            let left = ContinuousClock.now.duration(to: end)
            if left <= .zero || isStopRequested { return true }
            watch.wait(left)
        }
    }

    // MARK: Files

    private func write(_ status: CommandStatus) throws {
        let bytes = status.encoded()
        if state.behaviour.writesHalfStatus {
            let url = container.staging.appendingPathComponent(StagingFile.status)
            try AppFile.write(bytes.prefix(bytes.count / 2), to: url)
            try FolderWatch(url.path, for: FolderWatch.readings).wait(.seconds(1))
        }
        try write(bytes, as: StagingFile.status)
    }

    /// Writes an answer next to the status.
    func answer(_ name: String, _ bytes: [UInt8]) throws { try write(bytes, as: name) }

    /// Writes a file outside the staging folder and renames it into place, so that a reader never sees half a file.
    private func write(_ bytes: [UInt8], as name: String) throws {
        let temporary = container.temporary.appendingPathComponent(name)
        let target = container.staging.appendingPathComponent(name)
        try AppFile.write(bytes, to: temporary)
        guard rename(temporary.path, target.path) == 0 else {
            let code = errno
            throw SimulationError.system(code, "Cannot write the file", subject: name)
        }
    }

    private func remove(_ name: String) throws {
        let path = container.staging.appendingPathComponent(name).path
        guard unlink(path) != 0, errno != ENOENT else { return }
        let code = errno
        throw SimulationError.system(code, "Cannot write the file", subject: name)
    }
}
