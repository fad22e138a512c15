import OverlayABI
import OverlayKit

/// The one exported symbol of this library.
@c @implementation
public func ovl_entry_v1() -> UnsafePointer<ovl_entry> {
    OverlayExport.entry(for: LanternOverlay.self)
}
