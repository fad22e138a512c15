// The types that the interface of Fetching names: ZipArchive and ByteSource, MediaType and Format, JSONObject.
@_exported import Archives
@_exported import Formats
@_exported import JSON
