import FoundationEssentials

/// A reader of untrusted bytes, and the properties that must hold for any input.
struct FuzzTarget: Sendable {
    /// The name on the command line and of the folder of seeds.
    let name: String
    /// The longest input, in bytes.
    let longest: Int
    /// Reads the bytes and checks the properties.
    let run: @Sendable (Data) -> Void
    /// The seed documents.
    let seeds: @Sendable () throws -> [Data]

    /// All targets, in the order in which they run.
    static let all: [FuzzTarget] = [
        .mediaType, .sniffers, .zip, .markup, .opf, .pdf, .mobi, .http, .head, .href, .json, .cbor,
        .propertyList,
        .bibliography, .merge, .publication, .arguments, .conversation, .recording,
    ]
}
