import Foundation
import Glibc

/// A server in a separate process, killed with this object.
public final class ServerProcess: Sendable {
    /// Its port.
    public let port: Int
    private let process: pid_t
    /// Held open, so that a server that reads it notices when the tests have ended.
    private let input: Int32

    /// Starts a program from `PATH`, and reads its output until a line has the port.
    public init(_ command: [String], port: (String) -> Int?) throws {
        let (ends, inputs) = (try Self.pipe(), try Self.pipe())
        defer {
            close(ends[0])
            close(inputs[0])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputs[0], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var process = pid_t()
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let error = posix_spawnp(&process, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard error == 0 else {
            close(inputs[1])
            throw ScriptedServerFailure("\(command[0]): error \(error)")
        }
        self.process = process
        input = inputs[1]
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(ends[0], &byte, 1) == 1 {
            guard byte == 0x0A else {
                line.append(byte)
                continue
            }
            if let port = port(String(decoding: line, as: UTF8.self)) {
                self.port = port
                return
            }
            line = []
        }
        // The process ends with this object, which exists from here on.
        self.port = 0
        throw ScriptedServerFailure("the server does not say its port")
    }

    deinit {
        close(input)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }

    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw ScriptedServerFailure("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }
}
