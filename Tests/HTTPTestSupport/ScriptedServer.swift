import Foundation
import Glibc

/// A scripted HTTP server in a separate process, on a free local port, which ends with this object.
///
/// Everything under `/r/` is content. The query, or later `set`, tells the server how to respond; `Script` in the
/// server lists the options.
public final class ScriptedServer: Sendable {
    /// Its port.
    public var port: Int { process.port }
    private let process: ServerProcess

    /// Starts the server and waits until it accepts connections.
    public init() throws {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: executable).deletingLastPathComponent()
            .appendingPathComponent("ScriptedHTTPServer").path
        process = try ServerProcess([program]) { Int($0) }
    }

    /// The URL of a path and query.
    public func url(_ target: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(target)"
    }

    /// The requests under a path so far, in order.
    public func requests(_ path: String) throws -> [LoggedRequest] {
        try JSONDecoder().decode([LoggedRequest].self, from: control("/_log?path=\(path)"))
    }

    /// Changes the options of a path from now on. They take precedence over the query. An empty value removes an
    /// option.
    public func set(_ path: String, _ options: [String: String]) throws {
        let query = options.map { "\($0.key)=\(Self.escape($0.value))" }.joined(separator: "&")
        _ = try control("/_set?path=\(path)&\(query)")
    }

    /// Releases everything that waits with option `hold`, `holdbody` or `holdonce` for `key`, now and later.
    public func release(_ key: String) throws { _ = try control("/_release?key=\(key)") }

    /// Waits until a request waits for `key`.
    public func waitForHeld(_ key: String) throws { _ = try control("/_held?key=\(key)") }

    /// Waits until a transfer of a path has ended, and returns how many bytes of its body were sent.
    public func bytesSent(_ path: String) throws -> Int {
        Int(String(decoding: try control("/_sent?path=\(path)"), as: UTF8.self)) ?? -1
    }

    /// The numbers of the connections over which the requests for a path came.
    public func connectionsUsed(_ path: String) throws -> Set<Int> {
        Set(try requests(path).map(\.connection))
    }

    /// Percent-encodes a value of a query.
    public static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Sends one control request on its own connection with plain sockets, without the code under test.
    private func control(_ target: String) throws -> Data {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw ScriptedServerFailure("the server is gone") }
        let text = "GET \(target) HTTP/1.1\r\nHost: control\r\nConnection: close\r\n\r\n"
        guard
            Array(text.utf8).withUnsafeBytes({ send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) })
                > 0
        else { throw ScriptedServerFailure("the server does not listen") }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(socket, &buffer, buffer.count), count > 0 {
            answer.append(contentsOf: buffer[..<count])
        }
        guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else {
            throw ScriptedServerFailure("no answer to \(target)")
        }
        return Data(answer[end.upperBound...])
    }
}

/// Why the scripted server could not be used.
public struct ScriptedServerFailure: Error {
    /// The reason, as one clause.
    public let message: String
    init(_ message: String) { self.message = message }
}
