import Foundation
import TestSupport
import Testing

/// A user who runs the program: the user of the tests, and another one if that is root.
struct ProgramUser: CustomTestStringConvertible {
    let id: uid_t

    var testDescription: String { "user \(id)" }

    static let all: [ProgramUser] =
        geteuid() == 0 ? [.init(id: 0), .init(id: 65534)] : [.init(id: geteuid())]

    /// Whether running a program as this user needs another program.
    private var isOther: Bool { id != geteuid() }

    /// Gives a folder of the tests and its content to the user.
    func own(_ folder: String) throws {
        guard isOther else { return }
        try #require(chmod(ProcessFolder.url.path, 0o711) == 0)
        let result = try runProgram("chown", ["-R", "\(id):\(id)", folder])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Runs the command line program that was built with the tests, with this limit of descriptors.
    func run(_ arguments: [String], environment: [String: String?], descriptors: Int = 1024) throws
        -> ProgramResult
    {
        // Descriptors that other tests have open at this moment may be inherited, and would count.
        let closing = #"for f in /proc/$$/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "exec $n>&-"; done"#
        let prefix =
            ["bash", "-c", "\(closing); ulimit -n \(descriptors) && exec \"$0\" \"$@\""]
            + (isOther ? ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"] : [])
        let command = prefix + [try FaultyOverlay.program()] + arguments
        return try runProgram(command[0], Array(command.dropFirst()), environment: environment)
    }
}
