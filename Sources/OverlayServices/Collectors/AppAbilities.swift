import Diagnostics
import HostContract
import OverlayABI
import OverlayLoading

/// The abilities of a session's reader app: those that the overlay reports for this device and app, or otherwise
/// those in its descriptor.
///
/// ```swift
/// func canRename(_ session: HostSession) throws -> Bool {
///     let abilities = try session.settings()
///     if let missing = abilities.missing("update") { print(missing.reason) }
///     return abilities.settableMetadata.contains("title")
/// }
/// ```
public struct AppAbilities: Sendable, Equatable {
    /// The supported file name extensions, in lower case without a dot, in order of preference; empty for any.
    public var formats: [String]
    /// The words for the metadata that `update` can change, such as `title` and `collections`. May contain words of
    /// later minor versions.
    public var settableMetadata: [String]
    /// The functions that are not available for this device and app.
    public var missing: [MissingAbility]

    /// Creates the abilities for all devices from a descriptor.
    public init(_ descriptor: OverlayDescription) {
        formats = descriptor.formats
        settableMetadata = descriptor.settableMetadata
        missing = []
    }

    /// The reason why an ability is missing; nil if it is not.
    public func missing(_ ability: String) -> MissingAbility? { missing.first { $0.ability == ability } }

    /// The message about the collections of an upload if the overlay does not mention collections, and may therefore
    /// have ignored them; nil if it does.
    package func unkeptCollections(_ app: String) -> String? {
        guard !settableMetadata.contains("collections"), missing("collections") == nil else { return nil }
        return
            "The overlay for \(app) does not say whether it supports collections; the book may not be in "
            + "the requested ones."
    }
}

/// A function that is not available for a device and app.
///
/// ```swift
/// func explain(_ session: HostSession) throws {
///     for missing in try session.settings().missing { print(missing.ability, missing.reason, missing.hint ?? "") }
/// }
/// ```
public struct MissingAbility: Sendable, Equatable {
    /// `books`, `upload`, `delete`, `update`, `collections`, `get` or `covers`. May be a word of a later minor
    /// version.
    public var ability: String
    /// The reason, as one sentence.
    public var reason: String
    /// What the user can do; nil if nothing helps.
    public var hint: String?
    /// The kind of help that `hint` gives.
    public var hintCode: HintCode?

    /// Creates a missing ability.
    public init(ability: String, reason: String, hint: String? = nil, hintCode: HintCode? = nil) {
        self.ability = ability
        self.reason = reason
        self.hint = hint
        self.hintCode = hintCode
    }
}

extension AppAbilities {
    /// Checks and copies the values of a record. Absent values are taken from the descriptor.
    init(_ record: ovl_settings, _ descriptor: OverlayDescription) throws(ContractBreach) {
        self.init(descriptor)
        let most = DescriptorReader.Most.list
        if let formats = try record.formats.read("formats", limit: most) {
            for format in formats where !DescriptorReader.isFormat(format) {
                throw ContractBreach(
                    .resultValue,
                    "The field formats contains \"\(format)\", which is not a lower-case extension without a dot."
                )
            }
            self.formats = formats
        }
        settableMetadata =
            try record.settable_metadata.read("settable_metadata", limit: most) ?? settableMetadata
        missing = try record.missing.read(ovl_missing.self, "missing", limit: most) {
            missing throws(ContractBreach) in
            guard let reason = missing.reason.readMessage() else {
                throw ContractBreach(.resultValue, "A missing ability has no reason.")
            }
            return MissingAbility(
                ability: try missing.ability.readRequired("ability", limit: DescriptorReader.Most.name),
                reason: reason, hint: missing.hint.readMessage(), hintCode: HintCode(flags: missing.flags))
        }
        guard Set(missing.map(\.ability)).count == missing.count else {
            throw ContractBreach(.resultValue, "An ability is missing twice.")
        }
    }
}
