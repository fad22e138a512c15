import BibDesk
import OverlayABI
import OverlayKit

/// The only symbol that this library exports.
@c @implementation
public func ovl_entry_v1() -> UnsafePointer<ovl_entry> { OverlayExport.entry(for: BibDeskOverlay.self) }
