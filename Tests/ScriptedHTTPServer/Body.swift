import Foundation
import HTTPTestSupport

/// Header and body of an answer with content.
struct Body {
    let script: Script
    let range: Range<Int>
    let status: Int
    let lines: [String]
    /// The whole content, if it is not the scripted one.
    var file: Data?

    /// Whether the connection continues.
    func send() -> Bool {
        let (options, connection) = (script.options, script.connection)
        var head = ["HTTP/1.1 \(status) Scripted"] + lines
        var endsConnection = false
        let isChunked = options["length"] == "chunked"
        let isHead = script.request.method == "HEAD"
        if options["coding"] == "gzip" { head.append("Content-Encoding: gzip") }
        var length = range.count
        if options["coding"] == "asked",
            !(script.request.headers["accept-encoding"] ?? "identity").contains("identity")
        {
            head.append("Content-Encoding: gzip")
            length /= 2
        }
        if isChunked {
            head.append("Transfer-Encoding: chunked")
        } else if options["length"] == "no" || (isHead && options["head"] == "nolength") {
            head.append("Connection: close")
            endsConnection = true
        } else {
            head.append("Content-Length: \(length)")
        }
        guard connection.send(Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)) else { return false }
        if isHead { return !endsConnection }
        var end = range.lowerBound + length
        if let short = script.number("short") { end = min(end, range.lowerBound + short) }
        if let short = script.number("shortonce"), script.world.isFirst("short" + script.request.path) {
            end = min(end, range.lowerBound + short)
        }
        let isShort = end < range.lowerBound + length
        let isSent = write(range.lowerBound..<end, isChunked)
        if isSent, isChunked, !isShort { return connection.send(Data("0\r\n\r\n".utf8)) }
        return isSent && !isShort && !endsConnection
    }

    private func write(_ range: Range<Int>, _ isChunked: Bool) -> Bool {
        let seed = script.number("seed") ?? 1
        var position = range.lowerBound
        var isOpen = true
        let pause = script.options["holdbody"].map { (key: $0, at: script.number("at") ?? 0) }
        while position < range.upperBound, isOpen {
            if let pause, pause.at == position { script.world.hold(pause.key) }
            var end = min(position + 16384, range.upperBound)
            if let pause, pause.at > position { end = min(end, pause.at) }
            let bytes =
                file.map { Data($0[position..<end]) } ?? ScriptedContent.bytes(position..<end, seed: seed)
            isOpen =
                isChunked
                ? script.connection.send(
                    Data((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Data("\r\n".utf8))
                : script.connection.send(bytes)
            if isOpen { position = end }
        }
        script.world.finished(script.request.path, sent: position - range.lowerBound)
        return isOpen
    }
}
