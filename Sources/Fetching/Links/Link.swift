import Formats
import JSON

/// A link to a resource of a publication (Readium Web Publication Manifest, link object).
///
/// A value: changing a copy changes nothing else.
///
/// ```swift
/// let search = Link(href: "/search{?query}", templated: true)
/// print(search.templateParameters)  // ["query"]
/// print(try search.expanded(with: ["query": "emma"]).get().href)  // /search?query=emma
/// ```
public struct Link: Sendable, Equatable {
    /// Where the resource is: decoded and with `/` at the start if it belongs to the publication, an absolute URL if not.
    public var href: String
    /// The media type as it was written, nil if not known.
    public var type: String?
    /// Whether `href` is a URI template (RFC 6570) that has to be expanded first.
    public var templated: Bool
    /// A title for people.
    public var title: String?
    /// Relations to what contains the link, such as `cover`.
    public var rels: [String]
    /// Anything else that is known about the resource.
    public var properties: JSONObject
    /// Height in pixels.
    public var height: Int?
    /// Width in pixels.
    public var width: Int?
    /// Length in seconds.
    public var duration: Double?
    /// Kilobits a second.
    public var bitrate: Double?
    /// Languages of the resource (BCP 47).
    public var languages: [String]
    /// The same resource in other forms.
    public var alternates: [Link]
    /// Links below this one, as in a table of contents.
    public var children: [Link]

    /// A link of its parts.
    public init(
        href: String, type: String? = nil, templated: Bool = false, title: String? = nil, rels: [String] = [],
        properties: JSONObject = JSONObject(), height: Int? = nil, width: Int? = nil, duration: Double? = nil,
        bitrate: Double? = nil, languages: [String] = [], alternates: [Link] = [], children: [Link] = []
    ) {
        self.href = href
        self.type = type
        self.templated = templated
        self.title = title
        self.rels = rels
        self.properties = properties
        self.height = height
        self.width = width
        self.duration = duration
        self.bitrate = bitrate
        self.languages = languages
        self.alternates = alternates
        self.children = children
    }

    /// The media type that `type` spells, `application/octet-stream` without one. Nothing is sniffed.
    public var mediaType: MediaType { type.flatMap { MediaType($0) } ?? .binary }

    /// A copy with more properties. Those of equal name are replaced, all others stay.
    public func addingProperties(_ added: JSONObject) -> Link {
        var copy = self
        for member in added.members { copy.properties[member.name] = member.value }
        return copy
    }

    /// A copy with this type if the link has none.
    package func filling(type: MediaType?) -> Link {
        guard self.type == nil, let type else { return self }
        var copy = self
        copy.type = type.string
        return copy
    }
}

extension Link: Hashable {
    /// Feeds the HREF and the type, which tell links apart in practice.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(href)
        hasher.combine(type)
    }
}

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

    /// The link with its template expanded, or itself if it is not templated.
    ///
    /// - Parameter parameters: decoded values; those without a variable are ignored, variables without a value skipped.
    /// - Returns: `badRequest` for a template that cannot be read.
    public func expanded(with parameters: [String: String]) -> Result<Link, ResourceError> {
        expanded(with: parameters, requiresPath: false)
    }

    /// As `expanded(with:)`, for a medium with names as HREFs: an expression in the path that gets no value leaves nothing to
    /// look up there, so it is a `badRequest`.
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
            return .failure(
                .badRequest(RequestProblem(.template, "No value was given for \(names).", subject: href)))
        }
        var copy = self
        copy.href = template.expanded(parameters)
        copy.templated = false
        return .success(copy)
    }
}
