import JSON

extension Resource {
    /// The whole content as JSON; text that is not JSON is `other`.
    public func readAsJSON() -> Result<JSONValue, ResourceError> {
        read(range: nil).flatMap { data in
            do throws(JSONSyntaxError) {
                return .success(try JSONValue(parsingDocument: Array(data)))
            } catch {
                return .failure(.other(error))
            }
        }
    }
}
