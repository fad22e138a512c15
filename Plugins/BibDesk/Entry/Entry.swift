import BibDesk
import OverlayABI
import OverlayKit

/// The one symbol this library exports.
@c @implementation
public func ovl_entry_v1() -> UnsafePointer<ovl_entry> { OverlayExport.entry(for: BibDeskOverlay.self) }
