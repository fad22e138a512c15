import OverlayBridge
import Synchronization
import OverlayLoading
import Archives
import DeviceTransport
import Fetching
import FoundationEssentials
import HostContent
import HostContract
import HostErrors
import OverlayABI

/// The number of sources whose ends are read together. Limits their memory.
private let sourceBatch = 32

// Functions that the services for files share: they check which sources may be used, and open them.
extension HostService {
    /// The sources of a list, after a check that the running method may use them.
    func sources(_ name: StaticString, _ list: UnsafePointer<ovl_list>) throws(HostError) -> [SourceRequest] {
        try requireMethod(name)
        let requests = try argument(name) { () throws(ContractBreach) in
            guard UInt(bitPattern: list) != 0 else {
                throw ContractBreach(.nullPointer, "A null pointer was passed for ovl_list.")
            }
            return try list.pointee.read(ovl_source.self, "sources") { record throws(ContractBreach) in
                try SourceRequest(record)
            }
        }
        for request in requests { try allow(request, name) }
        return requests
    }

    /// A source, after a check that the running method may use it.
    func source(_ name: StaticString, _ pointer: UnsafePointer<ovl_source>) throws(HostError) -> SourceRequest
    {
        try requireMethod(name)
        let request = try argument(name) { () throws(ContractBreach) in
            try SourceRequest(try ovl_source.read(pointer))
        }
        try allow(request, name)
        return request
    }

    /// Throws an error if the running method must not use a source.
    private func allow(_ request: SourceRequest, _ name: StaticString) throws(HostError) {
        switch request {
        case .device: try requireTransport(name)
        case .url:
            let method = try requireMethod(name)
            guard !method.isPure else {
                context.misbehaved(
                    ContractBreach(
                        .withinPure,
                        "It was called for a URL in \(method.rawValue), which must not fetch URLs."),
                    in: "\(name)")
                throw HostError(
                    .wrongState, "A pure method must not contact a server.")
            }
            try requireWebAccess()
        case .file, .bytes: break
        }
    }

    /// Throws an error for requests to servers if the overlay does not declare them, or if the user has not allowed
    /// them.
    private func requireWebAccess() throws(HostError) {
        let allowed = try environment.preferences.webOverlays()
        let names = allowed.filter { $0 != context.overlay.id } + [context.overlay.id]
        let command = "overlayhost prefs set web_overlays \(names.joined(separator: ","))"
        guard context.overlay.traits.contains(.fetchesWeb) else {
            throw HostError(
                .accessRefused, "The overlay does not declare that it fetches web addresses.",
                subject: context.overlay.id,
                hint:
                    "Ask its author to build it with the trait OVL_TRAIT_FETCHES_WEB. Then allow it: \(command)"
            )
        }
        guard allowed.contains(context.overlay.id) else {
            throw HostError(
                .accessRefused, "The overlay is not allowed to fetch web addresses.",
                subject: context.overlay.id,
                hint: "If you trust it with data about your books, run: \(command)")
        }
    }

    /// Opens a source. If it does not exist, only reading it fails.
    ///
    /// - Parameter ends: the beginning and the end of a file on the device, if they were already read.
    func openContent(
        _ request: SourceRequest, _ name: StaticString, ends: Result<FileEnds, TransportError>? = nil
    ) throws(HostError) -> OpenContent {
        switch request {
        case .device(let root, let path):
            let path = try OverlayPath.checked(path.text)
            if let copy = context.staged?.open(path, in: root) { return copy }
            let source = DeviceByteSource(try files(name, root), path, prepared: ends) { [unowned self] in
                context.operation()
            }
            return OpenContent(
                source, name: OverlayPath.name(of: path), isFar: true,
                readAhead: DeviceByteSource.readAhead(of: path))
        case .file(let id):
            let loan = try context.loans.loan(id)
            let source: FileByteSource
            do throws(ByteSourceError) { source = try FileByteSource(path: loan.path) } catch {
                throw HostError(error)
            }
            guard LocalIdentity(path: loan.path) == loan.identity else {
                source.close()
                throw loan.changed
            }
            return OpenContent(source, name: loan.name, isFar: false)
        case .bytes(let bytes, let name):
            return OpenContent(DataByteSource(Data(bytes)), name: name?.text, isFar: false)
        case .url(let url):
            return try OpenContent(url: url.text, client: environment.web, limits: context.operation())
        }
    }

    /// A source that stays open until the method returns.
    func keptContent(_ request: SourceRequest, _ name: StaticString) throws(HostError) -> OpenContent {
        guard let frame = context.frame else {
            throw HostError(.wrongState, "\(name) was called while no method runs.")
        }
        return try frame.contents.content(request) { () throws(HostError) in try openContent(request, name) }
    }

    /// The ends of the sources in a batch that are on the device and were not read before, by index. Needs a few
    /// round trips for all of them.
    private func ends(
        of requests: ArraySlice<SourceRequest>, _ name: StaticString
    ) -> [Int: Result<FileEnds, TransportError>] {
        var found: [Int: Result<FileEnds, TransportError>] = [:]
        var waiting: [(place: Int, root: UInt32, path: String)] = []
        for (place, request) in zip(requests.indices, requests) {
            guard case .device(let root, let path) = request else { continue }
            // An invalid path is reported when its source is processed.
            guard
                case .success(let path) = Result(catching: { () throws(HostError) in
                    try OverlayPath.checked(path.text)
                })
            else { continue }
            if context.staged?.find(path, in: root) != nil { continue }
            if let kept = context.frame?.keptEnds.take(path, in: root) {
                found[place] = .success(kept)
            } else {
                waiting.append((place, root, path))
            }
        }
        for root in Set(waiting.map(\.root)) {
            let own = waiting.filter { $0.root == root }
            // A refused root is reported for each of its sources.
            guard
                case .success(let files) = Result(catching: { () throws(HostError) in try files(name, root) })
            else { continue }
            let answers = DeviceByteSource.ends(of: own.map(\.path), files, context.operation())
            for (entry, answer) in zip(own, answers) { found[entry.place] = answer }
        }
        return found
    }

    /// Opens each source of a batch, runs `body`, and passes on the value or the error.
    ///
    /// - Parameter readsEnds: whether `body` always reads the sources, so that the ends of several are read together.
    func each<Value>(
        _ requests: [SourceRequest], _ name: StaticString, readsEnds: Bool = false,
        _ body: (OpenContent) throws(HostError) -> Value,
        put: (Int, Result<Value, HostError>) -> ovl_status
    ) throws(HostError) {
        var ends: [Int: Result<FileEnds, TransportError>] = [:]
        for (index, request) in requests.enumerated() {
            if context.shouldStop { try checkRunning() }
            if readsEnds, index % sourceBatch == 0 {
                ends = self.ends(of: requests[index...].prefix(sourceBatch), name)
            }
            let result = Result { () throws(HostError) in
                let content = try openContent(request, name, ends: ends.removeValue(forKey: index))
                defer { content.close() }
                return try body(content)
            }
            guard put(index, result) == OVL_OK else { throw HostError.receiverStopped }
        }
    }

    /// The hints of a call, combined with the sniffers that the overlay has registered.
    func hints(_ name: StaticString, _ pointer: UnsafePointer<ovl_sniff_hints>?) throws(HostError)
        -> FormatHints
    {
        var hints = FormatHints()
        hints.ownSniffers = context.sniffers.entries.withLock { $0.map(\.sniffer) }
        guard let pointer else { return hints }
        try argument(name) { () throws(ContractBreach) in
            let record = try ovl_sniff_hints.read(pointer)
            hints.mediaTypes = try record.media_types.read("hints.media_types") ?? []
            hints.fileExtensions = try record.extensions.read("hints.extensions") ?? []
            hints.defaultFormatsOnly = record.flags & OVL_SNIFF_DEFAULT_FORMATS != 0
            hints.contentOnly = record.flags & OVL_SNIFF_CONTENT_ONLY != 0
        }
        return hints
    }
}
