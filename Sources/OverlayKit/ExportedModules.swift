// What overlays and hosts both know is part of this module's interface.
@_exported import BookModel
@_exported import struct OverlayBridge.Fingerprint
@_exported import struct OverlayBridge.OverlayTraits
@_exported import struct OverlayBridge.Presence
@_exported import struct OverlayBridge.SourceSyncOptions
