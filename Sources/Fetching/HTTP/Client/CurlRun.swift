import CCurl
import Glibc

extension CurlExchange {
    /// A transfer while it uses a lane. Not thread-safe.
    final class Run {
        let transfer: CurlTransfer
        private var lane: CurlHandle?
        private let pool: CurlLanePool
        private let request: HTTPRequest
        private let subject: String
        private var list: UnsafeMutablePointer<curl_slist>?
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        private var registration: HTTPCancellation.Registration?
        /// The result of the transfer; nil while it runs.
        private var outcome: Result<Void, HTTPError>?

        init(
            request: HTTPRequest, url: HTTPURL, headers: HTTPHeaders, headerBytes: Int,
            configuration: CurlHTTPClient.Configuration, pool: CurlLanePool
        ) throws(HTTPError) {
            self.request = request
            self.pool = pool
            subject = url.string
            transfer = CurlTransfer(headerLimit: headerBytes, allowsAddress: configuration.allowsAddress)
            errorText[0] = 0
            guard let lane = pool.take(url.origin) else {
                throw HTTPError(.clientFailure, "The library libcurl is out of memory.", subject: subject)
            }
            self.lane = lane
            do throws(HTTPError) {
                try prepare(lane.easy, url, headers, configuration)
            } catch {
                end()
                throw error
            }
            guard ccurl_multi_add(lane.multi, lane.easy) == CURLM_OK else {
                end()
                throw HTTPError(.clientFailure, "The library libcurl rejected the request.", subject: subject)
            }
            registration = request.cancellation.whenCancelled { lane.wake() }
        }

        deinit {
            end()
            errorText.deallocate()
        }

        /// Whether the complete answer has been received.
        var isFinished: Bool { outcome != nil }

        /// Ends the transfer and returns the lane to the pool. If the answer is incomplete, its connection is closed.
        func end() {
            registration = nil
            if let lane {
                ccurl_multi_remove(lane.multi, lane.easy)
                ccurl_easy_reset(lane.easy)
                pool.giveBack(lane)
            }
            lane = nil
            ccurl_list_free(list)
            list = nil
            if outcome == nil { outcome = .success(()) }
        }

        private func prepare(
            _ easy: UnsafeMutableRawPointer, _ url: HTTPURL, _ headers: HTTPHeaders,
            _ configuration: CurlHTTPClient.Configuration
        ) throws(HTTPError) {
            for field in headers.fields {
                // libcurl sends an empty field only if its name is followed by a semicolon.
                let line = field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value
                guard let longer = ccurl_list_append(list, line) else {
                    throw HTTPError(.clientFailure, "The library libcurl is out of memory.", subject: subject)
                }
                list = longer
            }
            var codes = [
                transfer.attach(to: easy),
                ccurl_set_string(easy, CURLOPT_URL, url.string),
                ccurl_set_headers(easy, list),
                ccurl_set_error_buffer(easy, errorText),
                ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
                ccurl_set_long(easy, CURLOPT_NOBODY, request.method == .head ? 1 : 0),
                // The URL was already encoded exactly as it must be sent.
                ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1),
                // Signals are left to the program.
                ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
                ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
                // One answer per connection at a time, so that stopping and pausing do not affect other answers.
                ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
                ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeout.milliseconds)),
            ]
            if !configuration.followsProxyVariables {
                codes.append(ccurl_set_string(easy, CURLOPT_PROXY, ""))
            }
            if let file = configuration.certificateFile {
                codes.append(ccurl_set_string(easy, CURLOPT_CAINFO, file))
            }
            if let bad = codes.first(where: { $0 != CURLE_OK }) {
                throw HTTPError(
                    .clientFailure,
                    "The library libcurl rejects an option: \(String(cString: ccurl_describe(bad))).",
                    subject: subject,
                    hint: "Install libcurl 7.85 or newer.")
            }
            // Supported since 7.87. A cancelled name resolution is then not waited for.
            _ = ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        }

        /// Runs the transfer until `enough` returns true or it has ended successfully.
        func drive(until enough: (CurlTransfer) -> Bool) throws(HTTPError) {
            var seen = transfer.received
            var since = Self.now()
            var wasConnected = false
            while !enough(transfer) {
                if let outcome {
                    try outcome.get()
                    return
                }
                guard let lane else { return }
                if request.cancellation.isCancelled {
                    throw HTTPError(.cancelled, "The request was cancelled.", subject: subject)
                }
                if transfer.isPaused {
                    transfer.resumed()
                    try check(ccurl_resume(lane.easy))
                }
                var running: Int32 = 0
                guard ccurl_multi_perform(lane.multi, &running) == CURLM_OK else {
                    throw HTTPError(.clientFailure, "The library libcurl cannot continue.", subject: subject)
                }
                var code = CURLE_OK
                if ccurl_finished(lane.multi, &code) != 0 {
                    finished(code)
                    continue
                }
                if enough(transfer) { return }
                let isConnected = wasConnected || ccurl_is_connected(lane.easy) != 0
                if transfer.received != seen || isConnected != wasConnected {
                    seen = transfer.received
                    wasConnected = isConnected
                    since = Self.now()
                }
                // Until the connection is established, libcurl enforces the time limit.
                let limit = isConnected ? request.idleTimeout.milliseconds : Int.max
                let waited = Self.now() - since
                guard waited < limit else {
                    throw HTTPError(
                        .timedOut, "The server sent no data for \(request.idleTimeout).", subject: subject)
                }
                // libcurl shortens the wait by its own timers, and all other events wake it.
                ccurl_multi_poll(lane.multi, Int32(clamping: min(limit - waited, 60_000)))
            }
        }

        private func finished(_ code: CURLcode) {
            do throws(HTTPError) {
                try check(code)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
        }

        private func check(_ code: CURLcode) throws(HTTPError) {
            guard code != CURLE_OK else { return }
            if transfer.headersAreTooLarge {
                throw HTTPError(.headersTooLarge, "The header fields are too large.", subject: subject)
            }
            if code == CURLE_COULDNT_CONNECT, let address = transfer.refusedAddress {
                throw HTTPError(
                    .addressRefused, "The address \(address) is not on the public internet.",
                    subject: subject)
            }
            let detail = String(cString: errorText)
            throw HTTPError(
                Self.meaning(of: code, hasResponse: transfer.hasResponse),
                "\(detail.isEmpty ? String(cString: ccurl_describe(code)) : detail).", subject: subject)
        }

        private static func meaning(of code: CURLcode, hasResponse: Bool) -> HTTPError.Code {
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolve
            case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .cannotConnect
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_PARTIAL_FILE: .incompleteBody
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_NO_CONNECTION_AVAILABLE:
                hasResponse ? .incompleteBody : .connectionLost
            case CURLE_URL_MALFORMAT: .malformedURL
            // libcurl before 8.6 reports a header line beyond its own limit as lack of memory.
            case CURLE_OUT_OF_MEMORY where !hasResponse: .headersTooLarge
            // The scheme was checked before. Here the error means an answer without a header, as before HTTP/1.0.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
                CURLE_HTTP2:
                .malformedResponse
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
                CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
                CURLE_SSL_SHUTDOWN_FAILED:
                .tls
            default: .clientFailure
            }
        }

        /// Milliseconds of a monotonic clock.
        private static func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped to the range of `Int`.
    var milliseconds: Int {
        let parts = components
        let (seconds, overflow) = parts.seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max / 2 : Int(clamping: seconds) + Int(parts.attoseconds / 1_000_000_000_000_000)
    }
}
