import FoundationEssentials
import Synchronization

/// A resource that is created once, on first use.
///
/// ```swift
/// let cover = LazyResource(link: Link(href: "/cover.jpg")) {
///     ArchiveFetcher(path: "/books/emma.epub").get(href: "/cover.jpg")
/// }
/// print(cover.link.href)  // opens nothing
/// print(try cover.length.get())
/// cover.close()
/// ```
public final class LazyResource: Resource {
    private enum State {
        case unmade(@Sendable () -> any Resource)
        case made(any Resource)
        case closed
    }

    private let givenLink: Link?
    private let state: Mutex<State>

    /// Creates a resource that `make` supplies on first use.
    ///
    /// - Parameters:
    ///  - link: the link to return before the resource is created. If nil, asking for the link creates the resource.
    ///  - make: creates the resource; it should not do any work.
    public init(link: Link? = nil, _ make: @escaping @Sendable () -> any Resource) {
        givenLink = link
        state = Mutex(.unmade(make))
    }

    /// The given link until the resource is created; afterwards the resource's link.
    public var link: Link {
        guard let givenLink else { return resource.link }
        let made: (any Resource)? = state.withLock { state in
            if case .made(let resource) = state { resource } else { nil }
        }
        return made?.link ?? givenLink
    }

    /// The resource's length.
    public var length: Result<Int64, ResourceError> { resource.length }

    /// The resource's file.
    public var file: URL? { resource.file }

    /// Reads the resource.
    public func read(range: Range<Int64>?) -> Result<Data, ResourceError> { resource.read(range: range) }

    /// Reads the resource as text.
    public func readAsString(encoding: String.Encoding?) -> Result<String, ResourceError> {
        resource.readAsString(encoding: encoding)
    }

    /// Streams the resource.
    public func stream(range: Range<Int64>?, consume: (Data) -> Bool) -> Result<Int64, ResourceError> {
        resource.stream(range: range, consume: consume)
    }

    /// Closes the resource. If it was not created yet, it never will be.
    public func close() {
        let made: (any Resource)? = state.withLock { state in
            switch state {
            case .made(let resource): return resource
            case .unmade: state = .closed
            case .closed: break
            }
            return nil
        }
        made?.close()
    }

    private var resource: any Resource {
        state.withLock { state in
            switch state {
            case .made(let resource): return resource
            case .closed:
                return FailureResource(
                    link: givenLink ?? Link(href: ""), error: .unavailable(RequestProblem.closed))
            case .unmade(let make):
                let resource = make()
                state = .made(resource)
                return resource
            }
        }
    }
}
