import OverlayKit

/// The overlay for Lantern, an invented reader app with a library of its own: each book is a folder with the book, a card
/// that says what the app knows of it, and a cover (see ``Library``).
///
/// One file for each thing an overlay can do. All methods run on one thread, one at a time.
public final class LanternOverlay: Overlay {
    let host: HostServices
    /// The device this instance serves; nil until `canHandle` said yes.
    var serial: String?

    /// Makes an instance. Of the host only the log and the preferences may be used here.
    public init(host: HostServices) throws(OverlayError) { self.host = host }

    /// Prepares the instance: from now on the host recognises Lantern's own format.
    public func initialize() throws(OverlayError) {
        try host.sniff.register(LanternFormat.sniffer)
        host.log.debug("lantern", "ready", ["host": host.name, "version": host.version])
    }

    /// Ends the instance.
    public func shutdown() throws(OverlayError) { serial = nil }

    /// The library on the device.
    var library: Library { Library(host: host) }
}
