// Who imports Fetching has the types that its interface names: ZipArchive and ByteSource, MediaType and Format, JSONObject.
@_exported import Archives
@_exported import Formats
@_exported import JSON
