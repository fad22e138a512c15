import CCurl
import FoundationEssentials
import Glibc
import Synchronization

/// One request on one lane, until it ends or `close` is called.
///
/// Unchecked: mutable state is accessed only with `lock` held.
final class CurlExchange: HTTPExchange, @unchecked Sendable {
    let response: HTTPResponse
    private let run: Run
    private let lock = Mutex(())

    /// Sends the request and waits for the answer's header.
    init(
        request: HTTPRequest, url: HTTPURL, headers: HTTPHeaders, headerBytes: Int,
        configuration: CurlHTTPClient.Configuration, pool: CurlLanePool
    ) throws(HTTPError) {
        run = try Run(
            request: request, url: url, headers: headers, headerBytes: headerBytes,
            configuration: configuration, pool: pool)
        do throws(HTTPError) {
            try run.drive { $0.hasResponse }
            guard run.transfer.hasResponse else {
                throw HTTPError(.malformedResponse, "The answer is not HTTP.", subject: url.string)
            }
        } catch {
            run.end()
            throw error
        }
        let head = run.transfer.head
        response = HTTPResponse(url: url.string, status: head.status, headers: head.headers)
    }

    deinit { run.end() }

    /// The number of bytes of header fields received.
    var headerBytes: Int { lock.withLock { _ in run.transfer.headerBytes } }

    func read(upTo count: Int) -> Result<Data, HTTPError> {
        guard count > 0 else { return .success(Data()) }
        return lock.withLock { _ -> Result<Data, HTTPError> in
            do throws(HTTPError) {
                try run.drive { $0.available > 0 }
                let bytes = run.transfer.take(count)
                // Nothing is left to fetch, so the connection can serve others at once.
                if run.isFinished, run.transfer.available == 0 { run.end() }
                return .success(bytes)
            } catch {
                run.end()
                return .failure(error)
            }
        }
    }

    func close() { lock.withLock { _ in run.end() } }

    /// Ends an answer without using its body. A short body is read, so that its connection can be reused.
    func drain() {
        var left = 64 << 10
        while left > 0, case .success(let bytes) = read(upTo: left), !bytes.isEmpty { left -= bytes.count }
        close()
    }
}
