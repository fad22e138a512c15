import OverlayKit

/// The overlay for Lantern, an invented reader app with its own library: each book is a folder with the book, a card
/// with what the app knows about it, and a cover (see ``Library``).
///
/// Each capability of the overlay is in its own file. All methods run on one thread, one at a time.
public final class LanternOverlay: Overlay {
    let host: HostServices
    /// The device of this instance; nil until `canHandle` answers yes.
    var serial: String?

    /// Makes an instance. Only the log and the preferences of the host may be used here.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Prepares the instance. From then on the host recognises Lantern's own format.
    public func initialize() throws(OverlayError) {
        try host.sniff.register(LanternFormat.sniffer)
        host.log.debug("lantern", "ready", ["host": host.name, "version": host.version])
    }

    /// Ends the instance.
    public func shutdown() throws(OverlayError) { serial = nil }

    /// The library on the device.
    var library: Library { Library(host: host) }
}
