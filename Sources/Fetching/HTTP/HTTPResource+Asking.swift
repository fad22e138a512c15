/// A resource that somebody serves and can be asked for, without its content.
package protocol AskableResource: Resource {
    /// The head of an answer that brought content or described it. Asked for by one small request if there was none yet.
    func ask() -> Result<HTTPResponse, ResourceError>
}

extension HTTPResource: AskableResource {
    /// By `HEAD`, or by the first byte where a server does not know that.
    func ask() -> Result<HTTPResponse, ResourceError> {
        if let known = state.withLock({ $0.isClosed ? nil : $0.answer }), !context.isClosed {
            return .success(known)
        }
        return attempting { () throws(HTTPError) in
            _ = try lengthByHead()
            if let answer = state.withLock({ $0.answer }) { return answer }
            _ = try lengthByPart()
            // Nothing describes an empty content of which the first byte was asked for.
            return state.withLock { $0.answer } ?? HTTPResponse(url: url.string, status: 200)
        }
    }
}
