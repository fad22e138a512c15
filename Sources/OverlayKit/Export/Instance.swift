import OverlayABI

/// An instance as the host holds it: the overlay, and each of its capabilities, looked up once.
///
/// The opaque `ovl_instance` of the contract is a retained reference to one of these; `destroy` releases it.
final class Instance {
    let overlay: any Overlay
    let checksPresence: (any ChecksPresence)?
    let checksUSB: (any ChecksUSB)?
    let listsBooks: (any ListsBooks)?
    let listsCollections: (any ListsCollections)?
    let uploadsBooks: (any UploadsBooks)?
    let addsToBooklist: (any AddsToBooklist)?
    let deletesBooks: (any DeletesBooks)?
    let removesFromBooklist: (any RemovesFromBooklist)?
    let syncsBooklists: (any SyncsBooklists)?
    let fetchesBooks: (any FetchesBooks)?
    let preparesAddableBooks: (any PreparesAddableBooks)?
    let ejects: (any Ejects)?
    let cleansUpAfterYank: (any CleansUpAfterYank)?
    let providesSettings: (any ProvidesSettings)?
    let performsCommands: (any PerformsCommands)?
    let syncsSource: (any SyncsSource)?

    init(_ overlay: any Overlay) {
        self.overlay = overlay
        checksPresence = overlay as? any ChecksPresence
        checksUSB = overlay as? any ChecksUSB
        listsBooks = overlay as? any ListsBooks
        listsCollections = overlay as? any ListsCollections
        uploadsBooks = overlay as? any UploadsBooks
        addsToBooklist = overlay as? any AddsToBooklist
        deletesBooks = overlay as? any DeletesBooks
        removesFromBooklist = overlay as? any RemovesFromBooklist
        syncsBooklists = overlay as? any SyncsBooklists
        fetchesBooks = overlay as? any FetchesBooks
        preparesAddableBooks = overlay as? any PreparesAddableBooks
        ejects = overlay as? any Ejects
        cleansUpAfterYank = overlay as? any CleansUpAfterYank
        providesSettings = overlay as? any ProvidesSettings
        performsCommands = overlay as? any PerformsCommands
        syncsSource = overlay as? any SyncsSource
    }

    /// Hands the instance to the host.
    func handOver() -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    /// Takes the instance back from the host and lets it go. Nil if the host passes null.
    static func takeBack(_ pointer: OpaquePointer) {
        guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else { return }
        Unmanaged<Instance>.fromOpaque(address).release()
    }

    /// Runs a method of the instance at `pointer` for the host: an error goes into the host's sink and its status is
    /// returned, and null pointers become `contractBroken`.
    static func run(
        _ pointer: OpaquePointer, _ sink: UnsafePointer<ovl_error_sink>,
        _ method: (Instance) throws(OverlayError) -> Void
    ) -> ovl_status {
        do throws(OverlayError) {
            guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else {
                throw OverlayError.contractBroken("A null instance was passed.")
            }
            try method(Unmanaged<Instance>.fromOpaque(address).takeUnretainedValue())
            return OVL_OK
        } catch {
            return error.report(to: sink)
        }
    }

    /// The capability behind a slot. A slot is filled only if the overlay has it, so nil means a foreign table.
    static func capability<Capability>(_ capability: Capability?) throws(OverlayError) -> Capability {
        guard let capability else {
            throw OverlayError(.notSupported, "This overlay does not implement the method.")
        }
        return capability
    }
}

extension OverlayError {
    /// Puts the error into the sink and gives the status to return, which is never OVL_OK.
    func report(to sink: UnsafePointer<ovl_error_sink>) -> ovl_status {
        var error = self
        if error.status == .ok { error.status = .failed }
        error.put(into: sink)
        return error.status.rawValue
    }
}
