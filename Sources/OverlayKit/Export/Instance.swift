import OverlayABI

/// An instance for the host: the overlay and its capabilities, each cast once.
///
/// The opaque `ovl_instance` of the contract is a retained reference to an object of this class; `destroy` releases
/// it.
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

    /// Passes a retained reference to the host.
    func handOver() -> OpaquePointer {
        OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    /// Releases the host's reference. Does nothing for null.
    static func takeBack(_ pointer: OpaquePointer) {
        guard let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: pointer)) else { return }
        Unmanaged<Instance>.fromOpaque(address).release()
    }

    /// Runs a method of the instance at `pointer` for the host. An error is put into the host's sink and its status
    /// is returned; null pointers become `contractBroken`.
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

    /// The capability for a slot. A slot is set only if the overlay has the capability, so nil means that the host
    /// used another table.
    static func capability<Capability>(_ capability: Capability?) throws(OverlayError) -> Capability {
        guard let capability else {
            throw OverlayError(.notSupported, "This overlay does not implement the method.")
        }
        return capability
    }
}

extension OverlayError {
    /// Puts the error into the sink and returns its status, which is never OVL_OK.
    func report(to sink: UnsafePointer<ovl_error_sink>) -> ovl_status {
        var error = self
        if error.status == .ok { error.status = .failed }
        error.put(into: sink)
        return error.status.rawValue
    }
}
