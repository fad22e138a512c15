import Diagnostics

/// The reader app's side of the protocol, which reports when it is online, and processes commands.
///
/// A pure state machine: it converts events into actions, which must be carried out in order. One command runs at a
/// time. A command that is interrupted when the app leaves remains in the staging folder, and is found again when the
/// app returns. Real apps behave like this, which is why a host must remove the files that it staged.
package struct CommandQueue: Sendable {
    /// An event.
    package enum Event: Sendable {
        /// The user opened the connection mode, or the app came back to the foreground.
        case entered
        /// The app enters the background or the device goes to sleep: `connected.xml` changes to `offline`.
        case suspended
        /// The user left the connection mode: `connected.xml` is removed.
        case left
        /// The current names in the staging folder.
        case found([String])
        /// The contents of the requested command file.
        case contents([UInt8])
        /// The requested command file could not be read.
        case unreadable(String)
        /// The progress of the running command, 0 to 1.
        case progressed(Double)
        /// The running command ended with a code and messages.
        case finished(CommandStatus.Code, messages: [String])
    }

    /// An action. File names are relative to the staging folder.
    package enum Action: Hashable, Sendable {
        /// Write `connected.xml`.
        case writeConnection(ConnectionStatus)
        /// Remove `connected.xml`.
        case removeConnection
        /// Read a command file, and answer with `contents` or `unreadable`.
        case read(String)
        /// Carry out the command, with the events `progressed` and `finished`.
        case execute(Command)
        /// Stop the running command. Answered with `finished` if the host requested it, but not if the app leaves.
        case stop
        /// Write `status.xml`.
        case writeStatus(CommandStatus)
        /// Remove a file.
        case remove(String)
    }

    private enum Work: Hashable, Sendable {
        case none
        case reading(CommandName)
        case running(CommandName, isStopping: Bool)
    }

    /// The app's description of itself, to which timestamp and state are added.
    package var identity: ConnectionStatus
    /// Whether the app accepts commands.
    package private(set) var isOnline = false
    private var work = Work.none
    private var lastTimestamp = Int64.min

    /// Creates a queue for an app that is not in its connection mode yet. `identity` is the app's description of
    /// itself.
    package init(identity: ConnectionStatus) {
        self.identity = identity
    }

    /// Whether a command is being read or carried out.
    package var isBusy: Bool { work != .none }

    /// Returns the actions for an event.
    ///
    /// - Parameter tenths: the time in tenths of a second since 1 January 1970. Two files never get the same
    ///   timestamp.
    package mutating func handle(_ event: Event, at tenths: Int64) -> [Action] {
        switch event {
        case .entered:
            guard !isOnline else { return [] }
            isOnline = true
            return [.writeConnection(connection(.online, tenths))]
        case .suspended:
            return abandon() + [.writeConnection(connection(.offline, tenths))]
        case .left:
            return abandon() + [.removeConnection]
        case .found(let names):
            return found(names)
        case .contents(let bytes):
            return read(bytes, tenths)
        case .unreadable(let reason):
            guard case .reading(let name) = work else { return [] }
            return end(name, .failure, ["\(name.fileName): \(reason)"], tenths)
        case .progressed(let fraction):
            guard case .running = work else { return [] }
            let progress = fraction.isNaN ? nil : min(max(fraction, 0), 1)
            return [.writeStatus(status(.inProgress, progress, [], tenths))]
        case .finished(let code, let messages):
            guard case .running(let name, _) = work else { return [] }
            return end(name, code, messages, tenths)
        }
    }

    private mutating func abandon() -> [Action] {
        isOnline = false
        defer { work = .none }
        if case .running = work { return [.stop] }
        return []
    }

    private mutating func found(_ names: [String]) -> [Action] {
        guard isOnline else { return [] }
        switch work {
        case .reading:
            return []
        case .running(let name, let isStopping):
            guard names.contains(StagingFile.cancel) else { return [] }
            work = .running(name, isStopping: true)
            return [.remove(StagingFile.cancel)] + (isStopping ? [] : [.stop])
        case .none:
            // A request to stop that is too late must not stop the next command.
            let late: [Action] = names.contains(StagingFile.cancel) ? [.remove(StagingFile.cancel)] : []
            guard let name = CommandName.all.first(where: { names.contains($0.fileName) }) else {
                return late
            }
            work = .reading(name)
            return late + [.read(name.fileName)]
        }
    }

    private mutating func read(_ bytes: [UInt8], _ tenths: Int64) -> [Action] {
        guard case .reading(let name) = work else { return [] }
        do {
            let command = try Command(decoding: bytes, subject: name.fileName)
            work = .running(name, isStopping: false)
            return [.writeStatus(status(.inProgress, 0, [], tenths)), .execute(command)]
        } catch {
            return end(name, .failure, ["\(name.fileName): \(error.message)"], tenths)
        }
    }

    private mutating func end(
        _ name: CommandName, _ code: CommandStatus.Code, _ messages: [String], _ tenths: Int64
    ) -> [Action] {
        work = .none
        return [.writeStatus(status(code, 1, messages, tenths)), .remove(name.fileName)]
    }

    private mutating func connection(_ state: ConnectionStatus.State, _ tenths: Int64) -> ConnectionStatus {
        var connection = identity
        connection.timestamp = next(tenths)
        connection.state = state
        return connection
    }

    private mutating func status(
        _ code: CommandStatus.Code, _ progress: Double?, _ messages: [String], _ tenths: Int64
    ) -> CommandStatus {
        CommandStatus(timestamp: next(tenths), code: code, progress: progress, messages: messages)
    }

    private mutating func next(_ tenths: Int64) -> CommandTimestamp {
        lastTimestamp = max(tenths, lastTimestamp == .max ? .max : lastTimestamp &+ 1)
        return CommandTimestamp(tenths: lastTimestamp)
    }
}
