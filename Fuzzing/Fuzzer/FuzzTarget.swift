import FoundationEssentials

/// One reader of hostile bytes and what must hold for it whatever they are.
struct FuzzTarget: Sendable {
    /// What it is called on the command line; also the name of its folder of seeds.
    let name: String
    /// The longest input, in bytes.
    let longest: Int
    /// Reads the bytes and checks what must hold.
    let run: @Sendable (Data) -> Void
    /// Documents to begin with.
    let seeds: @Sendable () throws -> [Data]

    /// All targets, in the order in which they are run in turn.
    static let all: [FuzzTarget] = [
        .mediaType, .sniffers, .zip, .markup, .opf, .pdf, .mobi, .http, .head, .href, .json, .propertyList,
        .bibliography, .merge, .publication, .arguments, .conversation, .recording,
    ]
}
