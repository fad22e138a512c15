import Glibc
import OverlayHost
import Platform
import Synchronization

/// Runs the shell command of `watch --exec` for each device that is plugged in: one at a time for each device, in its
/// own process group. Any thread.
///
/// The command learns about the device only from its environment, so that a device's name is never part of a command
/// line.
final class ShellCommands: Sendable {
    private struct State {
        /// How each device can be reached now.
        var links: [String: Set<String>] = [:]
        /// The running commands, by the UDID of their device.
        var running: [String: pid_t] = [:]
        /// Whether no further commands are started.
        var isStopped = false
    }

    private let command: String
    private let note: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - command: the argument for `/bin/sh -c`.
    ///   - note: called when a command ends; any thread.
    init(_ command: String, note: @escaping @Sendable (String) -> Void) {
        (self.command, self.note) = (command, note)
    }

    /// Starts the command if the event reports a newly plugged-in device. Does not wait for the command. Does nothing
    /// after `stop`.
    func take(_ event: DeviceWatch.Event) {
        switch event.event {
        case "attached":
            let isNew = state.withLock { state in
                let wasThere = state.links[event.udid]?.isEmpty == false
                state.links[event.udid, default: []].insert(event.connection)
                return !wasThere
            }
            if isNew { start(event) }
        case "detached": state.withLock { _ = $0.links[event.udid]?.remove(event.connection) }
        default: break
        }
    }

    /// Asks all running commands to end, as Ctrl-C does, and starts no others. Does not wait for them. May be called
    /// repeatedly.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for process in state.running.values { _ = kill(-process, SIGTERM) }
        }
    }

    private func start(_ event: DeviceWatch.Event) {
        let name = TerminalText.sanitized(event.name ?? event.udid)
        let (isStarted, problem): (Bool, String?) = state.withLock { state in
            guard !state.isStopped else { return (false, nil) }
            guard state.running[event.udid] == nil else {
                return (false, "The command for \(name) is still running and was not started again.")
            }
            switch spawn(event) {
            case .success(let process):
                state.running[event.udid] = process
                return (true, nil)
            case .failure(let error):
                return (false, "The command for \(name) did not start: \(error.message)")
            }
        }
        if let problem { note(problem) }
        guard isStarted else { return }
        let isWaited = SystemThread.detached { [self] in
            if let end = wait(event.udid) { note("The command for \(name) \(end).") }
        }
        if !isWaited { note("The system has no thread left to wait for the command for \(name).") }
    }

    /// Waits for the end of a command and returns a message about it; nil on success.
    private func wait(_ udid: String) -> String? {
        guard let process = state.withLock({ $0.running[udid] }) else { return nil }
        // The process is reaped only under the lock, so that `stop` never signals another process with the same
        // number.
        waitForEnd(ofChild: process)
        let status = state.withLock { state in
            state.running[udid] = nil
            return reap(child: process)
        }
        let signal = status & 0x7F
        if signal != 0 { return "was ended by \(SignalName.of(signal))" }
        let code = (status >> 8) & 0xFF
        return code == 0 ? nil : "failed with exit status \(code)"
    }

    private func spawn(_ event: DeviceWatch.Event) -> Result<pid_t, HostError> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // Standard output is used for the list of events.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        // This program blocks and ignores signals that should end the command.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var words = Self.copies(["/bin/sh", "-c", command])
        var variables = Self.copies(Self.environment(event))
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let problem = posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, &variables)
        guard problem == 0 else {
            return .failure(HostError(.hostIO, systemText(problem) + ".", native: .posix(problem)))
        }
        return .success(process)
    }

    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// The environment of this program, with variables that describe the device.
    private static func environment(_ event: DeviceWatch.Event) -> [String] {
        let own = [
            "OVERLAYHOST_DEVICE": event.udid, "OVERLAYHOST_DEVICE_NAME": event.name ?? "",
            "OVERLAYHOST_CONNECTION": event.connection,
        ]
        var variables: [String] = []
        var place = environ
        while let text = place.pointee {
            let variable = String(cString: text)
            if own[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
            place += 1
        }
        // System strings end at the first zero byte.
        return variables + own.map { "\($0.key)=\($0.value.replacing("\0", with: ""))" }.sorted()
    }
}
