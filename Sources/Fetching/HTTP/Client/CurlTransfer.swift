import CCurl
import FoundationEssentials
import Glibc

/// The parts of one answer that libcurl's callbacks collect.
///
/// Only the thread that drives the transfer uses it, because libcurl calls back from within its calls.
final class CurlTransfer {
    /// The number of unread bytes at which the connection is paused.
    static let highWater = 256 << 10

    private let headerLimit: Int
    private let allowsAddress: (@Sendable (IPAddress) -> Bool)?
    /// The first address that was refused.
    private(set) var refusedAddress: IPAddress?
    private(set) var headerBytes = 0
    /// The status and the header fields.
    private(set) var head = AnswerHead()
    private(set) var headersAreTooLarge = false
    private(set) var isPaused = false
    /// The number of bytes received so far, used to detect whether data still arrives.
    private(set) var received: UInt64 = 0
    private var body = Data()
    private var bodyStart = 0

    /// - Parameter allowsAddress: returns whether the transfer may connect to an address; nil allows all.
    init(headerLimit: Int, allowsAddress: (@Sendable (IPAddress) -> Bool)?) {
        self.headerLimit = headerLimit
        self.allowsAddress = allowsAddress
    }

    /// Whether the head of a final (not interim) answer is complete.
    var hasResponse: Bool { head.isComplete }

    /// The number of bytes of the body that can be taken.
    var available: Int { body.count - bodyStart }

    /// Removes and returns the next bytes of the body, at most `count`.
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

    /// Installs the callbacks in a transfer. The transfer must be removed from its multi handle before this object is
    /// released.
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
