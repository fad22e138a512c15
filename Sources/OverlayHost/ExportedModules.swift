// Programs that import OverlayHost can also use these modules.
@_exported import HostContent
@_exported import HostContract
@_exported import HostErrors
@_exported import Libraries
@_exported import OverlayLoading
@_exported import OverlayServices
@_exported import OverlayWorkers
@_exported import Preferences
