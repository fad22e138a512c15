@_exported import Diagnostics
import PropertyLists

/// Bytes that do not follow the protocol, or a request that cannot be put into bytes.
///
/// `subject` names the AFC operation concerned, where one was known.
public typealias WireError = Failure<WireErrorCode>

/// The kind of a `WireError`.
public struct WireErrorCode: FailureCode {
    /// Lower case words joined by `_`.
    public let rawValue: String

    /// A code by its text; any text is a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// A length that contradicts another length or exceeds the reader's limit: the boundary between messages is lost, so the
    /// connection has to be closed.
    public static let badLength = Self("bad_length")
    /// An AFC packet does not begin with the magic; as fatal as a bad length.
    public static let badMagic = Self("bad_magic")
    /// A property list that cannot be parsed, or holds what this protocol never sends.
    public static let badPropertyList = Self("bad_property_list")
    /// Fewer bytes than the header announced or the operation needs.
    public static let truncated = Self("truncated")
    /// A path that is empty, holds a NUL, is too long or is not UTF-8.
    public static let badPath = Self("bad_path")
    /// An argument outside of what the protocol defines, or bytes left over.
    public static let badArgument = Self("bad_argument")
    /// AFC has no such operation, or it has no codec here.
    public static let unknownOperation = Self("unknown_operation")
    /// A reply with content that does not fit its kind.
    public static let malformedReply = Self("malformed_reply")
}

extension WireError {
    /// Why a property list within a message cannot be read or written.
    package init(_ error: PropertyListError) {
        self.init(.badPropertyList, error.message, underlying: error)
    }
}
