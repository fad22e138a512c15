// These modules are part of the interface of this module.
@_exported import BookModel
@_exported import struct OverlayBridge.Fingerprint
@_exported import struct OverlayBridge.OverlayTraits
@_exported import struct OverlayBridge.Presence
@_exported import struct OverlayBridge.SourceSyncOptions
