import CCurl
import FoundationEssentials

/// What libcurl's callbacks collect of one answer.
///
/// Only the thread that drives the transfer touches it: libcurl calls back from within its calls.
final class CurlTransfer {
    /// Bytes kept unread before the connection is left waiting.
    static let highWater = 256 << 10

    private let headerLimit: Int
    private(set) var headerBytes = 0
    /// Status and fields.
    private(set) var head = AnswerHead()
    private(set) var headersAreTooLarge = false
    private(set) var isPaused = false
    /// Bytes received so far, to see whether anything moves.
    private(set) var received: UInt64 = 0
    private var body = Data()
    private var bodyStart = 0

    init(headerLimit: Int) { self.headerLimit = headerLimit }

    /// Whether the head of an answer that is not interim is complete.
    var hasResponse: Bool { head.isComplete }

    /// Bytes of the body that can be taken.
    var available: Int { body.count - bodyStart }

    /// The next bytes of the body, at most `count`.
    func take(_ count: Int) -> Data {
        let end = bodyStart + min(count, available)
        if bodyStart == 0, end == body.count {
            defer { body = Data() }
            return body
        }
        let bytes = Data(body[bodyStart..<end])
        bodyStart = end
        if bodyStart == body.count {
            body = Data()
            bodyStart = 0
        }
        return bytes
    }

    func resumed() { isPaused = false }

    /// Registers the collecting with a transfer, which must be taken from its multi handle before this object goes.
    func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
        ccurl_set_callbacks(
            easy,
            { bytes, size, count, context in
                CurlTransfer.at(context)?.header(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            },
            { bytes, size, count, context in
                CurlTransfer.at(context)?.append(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        if available > 0, available + bytes.count > Self.highWater {
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        received &+= UInt64(bytes.count)
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func header(_ bytes: UnsafeRawBufferPointer) -> Int {
        received &+= UInt64(bytes.count)
        headerBytes += bytes.count
        guard headerBytes <= headerLimit else {
            headersAreTooLarge = true
            return 0
        }
        head.add(bytes)
        return bytes.count
    }
}
