// The modules whose types appear in the interface of Fetching: ZipArchive and ByteSource, MediaType and Format,
// JSONObject, Cancellation.
@_exported import Archives
@_exported import Formats
@_exported import JSON
@_exported import class Platform.Cancellation
