import CCurl
import FoundationEssentials
import Glibc

/// What libcurl's callbacks collect of one answer.
///
/// Only the thread that drives the transfer touches it: libcurl calls back from within its calls.
final class CurlTransfer {
    /// Bytes kept unread before the connection is left waiting.
    static let highWater = 256 << 10

    private let headerLimit: Int
    private let allowsAddress: (@Sendable (IPAddress) -> Bool)?
    /// The first address that was refused.
    private(set) var refusedAddress: IPAddress?
    private(set) var headerBytes = 0
    /// Status and fields.
    private(set) var head = AnswerHead()
    private(set) var headersAreTooLarge = false
    private(set) var isPaused = false
    /// Bytes received so far, to see whether anything moves.
    private(set) var received: UInt64 = 0
    private var body = Data()
    private var bodyStart = 0

    /// - Parameter allowsAddress: which addresses may be connected to; nil: all.
    init(headerLimit: Int, allowsAddress: (@Sendable (IPAddress) -> Bool)?) {
        self.headerLimit = headerLimit
        self.allowsAddress = allowsAddress
    }

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

    /// Registers the collecting, and the choice of addresses, with a transfer, which must be taken from its multi handle before this
    /// object goes.
    func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
        if allowsAddress != nil {
            let code = ccurl_set_open_socket(
                easy,
                { context, _, address in
                    guard let address, CurlTransfer.at(context)?.allows(address) == true else { return -1 }
                    return ccurl_open_socket(address)
                }, Unmanaged.passUnretained(self).toOpaque())
            guard code == CURLE_OK else { return code }
        }
        return attachCollecting(to: easy)
    }

    private func allows(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let allowsAddress, let socket = ccurl_address(address), let address = IPAddress(socket) else {
            return false
        }
        if allowsAddress(address) { return true }
        refusedAddress = refusedAddress ?? address
        return false
    }

    private func attachCollecting(to easy: UnsafeMutableRawPointer) -> CURLcode {
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
