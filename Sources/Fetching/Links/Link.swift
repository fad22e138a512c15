import Formats
import JSON

/// A link to a resource of a publication (Readium Web Publication Manifest, link object).
///
/// It has value semantics: changing a copy does not affect the original.
///
/// ```swift
/// let search = Link(href: "/search{?query}", templated: true)
/// print(search.templateParameters)  // ["query"]
/// print(try search.expanded(with: ["query": "emma"]).get().href)  // /search?query=emma
/// ```
public struct Link: Sendable, Equatable {
    /// The location of the resource: decoded and starting with `/` if it belongs to the publication, otherwise an
    /// absolute URL.
    public var href: String
    /// The media type as written; nil if it is unknown.
    public var type: String?
    /// Whether `href` is a URI template (RFC 6570) that must be expanded first.
    public var templated: Bool
    /// A title to show to users.
    public var title: String?
    /// The relations to the object that contains the link, such as `cover`.
    public var rels: [String]
    /// Additional properties of the resource.
    public var properties: JSONObject
    /// The height in pixels.
    public var height: Int?
    /// The width in pixels.
    public var width: Int?
    /// The duration in seconds.
    public var duration: Double?
    /// The bit rate in kilobits per second.
    public var bitrate: Double?
    /// The languages of the resource (BCP 47).
    public var languages: [String]
    /// Other forms of the same resource.
    public var alternates: [Link]
    /// Links below this one, as in a table of contents.
    public var children: [Link]

    /// Creates a link from its parts.
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

    /// The media type in `type`, or `application/octet-stream` if there is none. The content is not inspected.
    public var mediaType: MediaType { type.flatMap { MediaType($0) } ?? .binary }

    /// A copy with additional properties. They replace properties of the same name.
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
    /// Hashes the HREF and the type, which are usually sufficient to distinguish links.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(href)
        hasher.combine(type)
    }
}

extension Link {
    /// The names of the variables in a templated HREF; empty if it is not templated or cannot be parsed.
    public var templateParameters: [String] {
        guard templated else { return [] }
        do throws(RequestProblem) {
            return try URITemplate(href).variables
        } catch {
            return []
        }
    }

    /// The link with its template expanded, or the link itself if it is not templated.
    ///
    /// - Parameter parameters: decoded values. Values without a variable are ignored, and variables without a value
    ///   are skipped.
    /// - Returns: `badRequest` for a template that cannot be parsed.
    public func expanded(with parameters: [String: String]) -> Result<Link, ResourceError> {
        expanded(with: parameters, requiresPath: false)
    }

    /// Like `expanded(with:)`, for a medium that looks up HREFs as names. If an expression in the path has no value,
    /// the name is incomplete, so this is a `badRequest`.
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
