// Programs that import OverlayHost see these modules as well.
@_exported import HostErrors
@_exported import OverlayLoading
@_exported import Preferences
