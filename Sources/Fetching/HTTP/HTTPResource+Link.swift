import JSON

extension HTTPResource {
    /// Adds to the link what an answer says about the resource (fetcher reference, section 10.5).
    func enrich(_ response: HTTPResponse) {
        let metadata = HTTPMetadata(response, requestHeaders: context.configuration.headers)
        let type = response.status == 304 ? nil : response.headers["Content-Type"]
        state.withLock { state in
            if response.status != 304 { state.answer = response }
            if let type, !type.isEmpty, state.link.type == nil || !Self.isGeneric(type) {
                state.link.type = type
            }
            state.link.properties[HTTPMetadata.propertyName] = metadata.json
        }
    }

    /// What servers say when they do not know; the caller's type is better then.
    private static func isGeneric(_ type: String) -> Bool {
        let name = ASCII.lowercased(ASCII.trimmed(type.prefix { $0 != ";" }))
        return name == "application/octet-stream" || name == "binary/octet-stream"
    }
}
