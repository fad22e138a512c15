extension Link {
    /// The names of the variables in a templated HREF, none if it is not templated or cannot be read.
    public var templateParameters: [String] {
        guard templated else { return [] }
        do throws(RequestProblem) {
            return try URITemplate(href).variables
        } catch {
            return []
        }
    }

    /// The link with its template expanded, or itself if it is not templated (fetcher reference section 3).
    ///
    /// - Parameter parameters: decoded values; those without a variable are ignored, variables without a value skipped.
    /// - Returns: `badRequest` for a template that cannot be read.
    public func expanded(with parameters: [String: String]) -> Result<Link, ResourceError> {
        expanded(with: parameters, requiresPath: false)
    }

    /// As `expanded(with:)`, for a medium whose HREFs are names: there an expression in the path that gets no value at all leaves
    /// nothing to look up, and is `badRequest`.
    package func expandedForNames(with parameters: [String: String]) -> Result<Link, ResourceError> {
        expanded(with: parameters, requiresPath: true)
    }

    private func expanded(
        with parameters: [String: String], requiresPath: Bool
    ) -> Result<Link, ResourceError> {
        guard templated else { return .success(self) }
        let template: URITemplate
        do throws(RequestProblem) {
            template = try URITemplate(href)
        } catch {
            return .failure(.badRequest(error))
        }
        if requiresPath, let missing = template.unfilledPathVariables(parameters) {
            let names = missing.joined(separator: ", ")
            return .failure(.badRequest(RequestProblem(.template, "No value was given for \(names).", subject: href)))
        }
        var copy = self
        copy.href = template.expanded(parameters)
        copy.templated = false
        return .success(copy)
    }
}
