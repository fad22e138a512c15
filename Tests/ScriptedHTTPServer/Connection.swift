import Foundation
import Glibc
import HTTPTestSupport

/// Reads requests of one connection and answers them until either side ends it.
struct Connection {
    private let socket: Int32
    private let world: World
    private let number: Int

    init(_ socket: Int32, _ world: World) {
        self.socket = socket
        self.world = world
        number = world.nextConnection()
    }

    func serve() {
        defer { close(socket) }
        var pending = Data()
        while let head = readHead(&pending) {
            guard let request = parse(head) else { return }
            let query = Self.query(request.target)
            if let answer = world.control(request.path, query) {
                _ = send(Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + answer)
                return
            }
            world.record(request)
            let options = query.merging(world.options(request.path)) { $1 }.filter { !$0.value.isEmpty }
            guard Script(request, options, world, self).answer() else { return }
        }
    }

    /// Returns false when the client is gone.
    func send(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = Glibc.send(
                    socket, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                    Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }

    private func readHead(_ pending: inout Data) -> String? {
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            if let end = pending.range(of: Data("\r\n\r\n".utf8)) {
                defer { pending = Data(pending[end.upperBound...]) }
                return String(decoding: pending[..<end.lowerBound], as: UTF8.self)
            }
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { return nil }
            pending.append(contentsOf: buffer[..<count])
        }
    }

    private func parse(_ head: String) -> LoggedRequest? {
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let target = String(words[1])
        return LoggedRequest(
            method: String(words[0]), path: String(target.prefix { $0 != "?" }), target: target,
            headers: headers, connection: number)
    }

    private static func query(_ target: String) -> [String: String] {
        var query: [String: String] = [:]
        for pair in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(parts[0])] = parts.count > 1 ? parts[1].removingPercentEncoding ?? "" : "yes"
        }
        return query
    }
}
