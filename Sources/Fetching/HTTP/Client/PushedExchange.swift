import FoundationEssentials
import Glibc
import Platform

/// Adapts a client that only implements `send` to an exchange. A separate thread sends the request, and delivers each
/// piece after the reader has taken the previous one.
final class PushedExchange: HTTPExchange {
    private struct State {
        var response: HTTPResponse?
        var pending = Data()
        var result: Result<HTTPResponse, HTTPError>?
        var isClosed = false
    }

    let response: HTTPResponse
    private let state: Monitor<State>
    private let cancellation: HTTPCancellation

    private init(response: HTTPResponse, state: Monitor<State>, cancellation: HTTPCancellation) {
        self.response = response
        self.state = state
        self.cancellation = cancellation
    }

    deinit { close() }

    static func open(_ request: HTTPRequest, of client: any HTTPClient) -> Result<any HTTPExchange, HTTPError>
    {
        let state = Monitor(State())
        var request = request
        let cancellation = HTTPCancellation(parent: request.cancellation)
        request.cancellation = cancellation
        let sent = request
        let isStarted = SystemThread.detached {
            let result = client.send(
                sent,
                onResponse: { response in
                    state.change { state in
                        state.response = response
                        return state.isClosed ? .stop : .proceed
                    }
                },
                onChunk: { bytes in
                    state.change { $0.pending = bytes }
                    return state.wait { state in
                        if state.isClosed { return .stop }
                        return state.pending.isEmpty ? .proceed : nil
                    }
                })
            state.change { $0.result = result }
        }
        guard isStarted else {
            return .failure(
                HTTPError(.clientFailure, "No thread could be started.", subject: request.url))
        }
        let first: Result<HTTPResponse, HTTPError> = state.wait { state in
            if let response = state.response { return .success(response) }
            return state.result
        }
        return first.map { PushedExchange(response: $0, state: state, cancellation: cancellation) }
    }

    func read(upTo count: Int) -> Result<Data, HTTPError> {
        guard count > 0 else { return .success(Data()) }
        return state.wait { state in
            if !state.pending.isEmpty {
                let bytes = Data(state.pending.prefix(count))
                state.pending = Data(state.pending.dropFirst(count))
                return .success(bytes)
            }
            if state.isClosed { return .success(Data()) }
            return state.result?.map { _ in Data() }
        }
    }

    func close() {
        state.change { state in
            state.isClosed = true
            state.pending = Data()
        }
        // This also ends a client that is waiting for the network.
        cancellation.cancel()
    }
}
