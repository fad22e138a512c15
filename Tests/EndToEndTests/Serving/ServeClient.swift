import Foundation
import Synchronization
import TestSupport
import Testing

/// A client of `overlayhost serve` that checks each line of the conversation against the published schema.
final class ServeClient: Sendable {
    /// A line as an object.
    typealias Message = [String: Any]

    /// The output of the program. The reading threads keep only this alive, so that an unused client ends.
    private final class Inbox: Sendable {
        struct Content {
            var lines: [String] = []
            var errors = Data()
            var isAtEnd = false
        }

        let content = Mutex(Content())
        let arrived = DispatchSemaphore(value: 0)
        let drained = DispatchGroup()

        /// Reads both streams to their ends, each on its own thread, and closes them: Foundation keeps the processes
        /// that it has started, and these ends with them.
        func read(_ output: FileHandle, _ errors: FileHandle) {
            let bodies: [@Sendable () -> Void] = [{ self.readLines(output) }, { self.readErrors(errors) }]
            for body in bodies {
                drained.enter()
                Thread.detachNewThread { [drained] in
                    body()
                    drained.leave()
                }
            }
        }

        private func readLines(_ output: FileHandle) {
            var rest = Data()
            while true {
                let data = output.availableData
                if data.isEmpty { break }
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = rest[rest.index(after: end)...]
                    content.withLock { $0.lines.append(line) }
                    arrived.signal()
                }
            }
            output.closeFile()
            content.withLock { content in
                if !rest.isEmpty { content.lines.append(String(decoding: rest, as: UTF8.self)) }
                content.isAtEnd = true
            }
            arrived.signal()
        }

        private func readErrors(_ errors: FileHandle) {
            let data = errors.readDataToEndOfFile()
            errors.closeFile()
            content.withLock { $0.errors = data }
        }
    }

    private struct Sent {
        var methods: [String: String] = [:]
        var next = 0
    }

    private let process = Process()
    private let input = Pipe()
    private let schema: MessageSchema
    /// The devices, which stay as long as the client.
    private let bench: ReaderBench
    private let sent = Mutex(Sent())
    private let inbox = Inbox()
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the program with a bench's environment, and initializes it unless `greeting` is nil.
    init(
        _ bench: ReaderBench, _ arguments: [String] = [], greeting: Message? = ["protocol_version": 1],
        environment more: [String: String] = [:]
    ) throws {
        schema = try MessageSchema()
        self.bench = bench
        process.executableURL = try buildProductsFolder().appendingPathComponent("overlayhost")
        process.arguments = ["serve"] + arguments
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in bench.environment { variables[name] = value }
        variables.merge(more) { _, new in new }
        process.environment = variables
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        inbox.read(output.fileHandleForReading, errors.fileHandleForReading)
        if let greeting { _ = try call("initialize", greeting) }
    }

    deinit {
        end()
        if process.isRunning { process.terminate() }
    }

    /// The process of the program.
    var identifier: Int32 { process.processIdentifier }

    /// Its standard error, once it has ended.
    var errors: String { inbox.content.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    // MARK: sending

    /// Sends a request and gives its id.
    ///
    /// - Parameter isValid: whether the schema must allow the parameters.
    @discardableResult
    func send(_ method: String, _ parameters: Message = [:], isValid: Bool = true) throws -> Int {
        let name = method.replacing("$/", with: "") + ".params"
        if isValid { try #require(schema.problems(parameters, name) == []) }
        let id = sent.withLock { sent in
            sent.next += 1
            sent.methods["\(sent.next)"] = method
            return sent.next
        }
        let message: Message = ["jsonrpc": "2.0", "id": id, "method": method, "params": parameters]
        try write(message)
        return id
    }

    /// Sends a notification.
    func notify(_ method: String, _ parameters: Message) throws {
        try write(["jsonrpc": "2.0", "method": method, "params": parameters])
    }

    /// Cancels a request.
    func cancel(_ id: Int) throws { try notify("$/cancelRequest", ["id": id]) }

    private func write(_ message: Message) throws {
        raw(String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self))
    }

    /// Writes a line as it is. Lines that the program does not read any more are lost.
    func raw(_ line: String) {
        // A pipe that is not read any more would end all tests.
        var (broken, former, now) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                _ = sigtimedwait(&broken, nil, &now)
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes its input, which may already be closed.
    func end() { try? input.fileHandleForWriting.close() }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end and returns the exit status. Kills it after five minutes.
    func wait() -> Int32 {
        if ended.wait(timeout: .now() + 300) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
        }
        ended.signal()
        inbox.drained.wait()
        return process.terminationReason == .exit
            ? process.terminationStatus : 128 + process.terminationStatus
    }

    // MARK: receiving

    /// All lines so far, each checked against the schema.
    func messages() throws -> [Message] {
        let lines = inbox.content.withLock { $0.lines }
        let methods = sent.withLock { $0.methods }
        return try lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
            let message = try #require(value as? Message, "\(line)")
            var problems: [String] = []
            if message["method"] != nil {
                problems = schema.problems(message, "notification")
            } else {
                problems = schema.problems(message, "answer")
                if let result = message["result"], let id = message["id"],
                    let method = methods["\(id)"]
                {
                    let name = method.replacing("$/", with: "")
                    problems += schema.problems(result, name + ".result")
                }
            }
            try #require(problems.isEmpty, "\(problems): \(line)")
            return message
        }
    }

    /// The first message that fits, as soon as it has arrived.
    func message(_ fits: (Message) -> Bool) throws -> Message {
        while true {
            let isAtEnd = inbox.content.withLock { $0.isAtEnd }
            if let message = try messages().first(where: fits) { return message }
            guard !isAtEnd, inbox.arrived.wait(timeout: .now() + 300) == .success else {
                throw NoMessage(lines: inbox.content.withLock { $0.lines })
            }
        }
    }

    /// The expected message did not arrive.
    struct NoMessage: Error { var lines: [String] }

    /// The answer to a request.
    func answer(_ id: Int) throws -> Message { try message { $0["id"] as? Int == id } }

    /// The result of a request that must succeed.
    func result(_ id: Int) throws -> Message {
        let answer = try answer(id)
        return try #require(answer["result"] as? Message, "\(answer)")
    }

    /// The error of a request that must fail.
    func error(_ id: Int) throws -> ServeError {
        let answer = try answer(id)
        let error = try #require(answer["error"] as? Message, "\(answer)")
        let data = error["data"] as? Message
        return ServeError(
            number: error["code"] as? Int ?? 0, code: data?["code"] as? String ?? "",
            subject: data?["subject"] as? String)
    }

    /// Sends a request and waits for its result.
    func call(_ method: String, _ parameters: Message = [:]) throws -> Message {
        try result(send(method, parameters))
    }

    /// Sends a request and waits for its error.
    func failure(
        _ method: String, _ parameters: Message = [:], isValid: Bool = true
    ) throws -> ServeError {
        try error(send(method, parameters, isValid: isValid))
    }

    /// The parameters of the notifications of a kind so far.
    func notifications(_ method: String) throws -> [Message] {
        try messages().filter { $0["method"] as? String == method }.compactMap { $0["params"] as? Message }
    }

    /// The parameters of the first notification of a kind that fits, as soon as it has arrived.
    func notification(_ method: String, _ fits: (Message) -> Bool = { _ in true }) throws -> Message {
        let message = try message { message in
            guard message["method"] as? String == method, let parameters = message["params"] as? Message
            else { return false }
            return fits(parameters)
        }
        return message["params"] as? Message ?? [:]
    }

    /// Opens an app and returns the session.
    func open(_ app: String, device: String? = nil) throws -> String {
        var parameters: Message = ["app": app]
        if let device { parameters["device"] = device }
        return try #require(try call("open", parameters)["session"] as? String)
    }
}

/// The error of a failed request.
struct ServeError: Equatable {
    var number: Int
    var code: String
    var subject: String?
}

extension [String: Any] {
    /// The objects of an array member.
    func rows(_ name: String) -> [[String: Any]] { self[name] as? [[String: Any]] ?? [] }

    /// One text member of each object of an array.
    func texts(_ array: String, _ name: String) -> [String] { rows(array).compactMap { $0[name] as? String } }
}
