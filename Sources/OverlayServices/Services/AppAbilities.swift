import HostContract
import OverlayABI
import OverlayLoading

/// What can be done with the reader app of a session: what the overlay says of this device and app, else its descriptor.
public struct AppAbilities: Sendable, Equatable {
    /// File name extensions it takes, in lower case without a dot, the preferred one first; empty: any.
    public var formats: [String]
    /// The words of what `update` can change, such as `title` and `collections`; may hold words of later minor versions.
    public var settableMetadata: [String]
    /// What this device and app do not allow.
    public var missing: [MissingAbility]

    /// What a descriptor says for all devices.
    public init(_ descriptor: OverlayDescription) {
        formats = descriptor.formats
        settableMetadata = descriptor.settableMetadata
        missing = []
    }

    /// Why an ability is missing; nil if it is not.
    public func missing(_ ability: String) -> MissingAbility? { missing.first { $0.ability == ability } }

    /// The message about collections that an upload asks for where the overlay says nothing of collections at all, and so may have
    /// passed them over; nil where it does.
    package func unkeptCollections(_ app: String) -> String? {
        guard !settableMetadata.contains("collections"), missing("collections") == nil else { return nil }
        return
            "The overlay for \(app) does not say whether it supports collections; the book may not be in "
            + "the requested ones."
    }
}

/// Something that a device and app do not allow.
public struct MissingAbility: Sendable, Equatable {
    /// `books`, `upload`, `delete`, `update`, `collections`, `get` or `covers`; may be a word of a later minor version.
    public var ability: String
    /// Why, one sentence.
    public var reason: String
    /// What helps; nil if nothing does.
    public var hint: String?

    /// A missing ability.
    public init(ability: String, reason: String, hint: String? = nil) {
        self.ability = ability
        self.reason = reason
        self.hint = hint
    }
}

extension AppAbilities {
    /// The values of a record, checked; what is absent is the descriptor's.
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
                reason: reason, hint: missing.hint.readMessage())
        }
        guard Set(missing.map(\.ability)).count == missing.count else {
            throw ContractBreach(.resultValue, "An ability is missing twice.")
        }
    }
}
