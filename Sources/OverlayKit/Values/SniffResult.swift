import OverlayABI

/// What sniffing a source gave; the Swift form of `ovl_format`.
public struct SniffResult: Hashable, Sendable {
    /// How a format was recognised: `OVL_ROUND_…`. An open set.
    public struct Round: RawRepresentable, Hashable, Sendable {
        /// The number in the C contract.
        public var rawValue: UInt32

        /// A round by its number in the C contract.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// No format was recognised.
        public static let none = Round(rawValue: OVL_ROUND_NONE)
        /// By hints alone; nothing was read.
        public static let light = Round(rawValue: OVL_ROUND_LIGHT)
        /// By content.
        public static let heavy = Round(rawValue: OVL_ROUND_HEAVY)
    }

    /// The canonical media type; nil: the format is not known, and so are the next three.
    public var mediaType: String?
    /// The format's name, for a person.
    public var name: String?
    /// Its usual extension, without a dot.
    public var fileExtension: String?
    /// Name of the sniffer that recognised it.
    public var sniffer: String?
    /// How it was recognised.
    public var round: Round
    /// Bytes that were read of the source.
    public var bytesRead: UInt64

    /// A result; an unknown format by default.
    public init(
        mediaType: String? = nil, name: String? = nil, fileExtension: String? = nil, sniffer: String? = nil,
        round: Round = .none, bytesRead: UInt64 = 0
    ) {
        self.mediaType = mediaType
        self.name = name
        self.fileExtension = fileExtension
        self.sniffer = sniffer
        self.round = round
        self.bytesRead = bytesRead
    }
}
