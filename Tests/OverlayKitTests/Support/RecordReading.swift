import OverlayABI
import OverlayBridge
import OverlayKit

// Reads records like a host. The host's own readers check them against rules of the contract that are not tested
// here.

extension OverlayOption {
    /// A copy of a record.
    init(_ record: ovl_option) throws(OverlayError) {
        var range: ClosedRange<Double>?
        if record.flags & OVL_OPTION_HAS_RANGE != 0 {
            guard record.minimum <= record.maximum else {
                throw .contractBroken("The range of an option is empty.", subject: "option.minimum")
            }
            range = record.minimum...record.maximum
        }
        self.init(
            key: try record.key.required("option.key"), kind: Kind(rawValue: record.type),
            fallbackJSON: try record.fallback.required("option.fallback"), range: range,
            allowed: try record.allowed.strings("option.allowed"),
            label: try record.label.string("option.label") ?? "",
            help: try record.help.string("option.help") ?? "")
        isSyncFolder = record.flags & OVL_OPTION_SYNC_FOLDER != 0
    }
}

extension OverlayDescriptor {
    /// A copy of a record.
    init(_ record: ovl_descriptor) throws(OverlayError) {
        self.init(
            id: try record.id.required("descriptor.id"), name: try record.name.required("descriptor.name"),
            version: try record.version.required("descriptor.version"),
            summary: try record.summary.string("descriptor.summary") ?? "",
            appName: try record.app_name.required("descriptor.app_name"),
            appIDs: try record.app_ids.strings("descriptor.app_ids") ?? [],
            formats: try record.formats.strings("descriptor.formats") ?? [],
            settableMetadata: try record.settable_metadata.strings("descriptor.settable_metadata") ?? [],
            plugboardName: try record.plugboard_name.string("descriptor.plugboard_name"),
            thumbnailHeight: record.thumbnail_height, traits: Traits(rawValue: record.flags),
            options: try record.options.map(ovl_option.self, "descriptor.options") {
                (option) throws(OverlayError) in try OverlayOption(option)
            },
            help: try record.help.string("descriptor.help"),
            timeLimits: try record.time_limits.map(ovl_time_limit.self, "descriptor.time_limits") {
                (limit) throws(OverlayError) in try OverlayTimeLimit(limit)
            })
    }
}

extension OverlayTimeLimit {
    /// A copy of a record.
    init(_ record: ovl_time_limit) throws(OverlayError) {
        self.init(
            try record.method.required("time_limit.method"), total: Limit(record.total),
            silence: Limit(record.silence))
    }
}

extension Presence {
    /// A copy of a record.
    init(_ record: ovl_presence) throws(OverlayError) {
        self.init(
            answer: Answer(rawValue: record.answer), reason: Reason(rawValue: record.reason),
            message: try record.message.string("presence.message"),
            hint: try record.hint.string("presence.hint"),
            appVersion: try record.app_version.string("presence.app_version"))
    }
}

extension OverlaySettings {
    /// A copy of a record.
    init(_ record: ovl_settings) throws(OverlayError) {
        self.init(
            formats: try record.formats.strings("settings.formats"),
            settableMetadata: try record.settable_metadata.strings("settings.settable_metadata"),
            missing: try record.missing.map(ovl_missing.self, "settings.missing") {
                (missing) throws(OverlayError) in
                Missing(
                    .init(rawValue: try missing.ability.required("missing.ability")),
                    reason: try missing.reason.required("missing.reason"),
                    hint: try missing.hint.string("missing.hint"), hintKind: HintKind(flags: missing.flags))
            })
    }
}

extension SourcePlanRow {
    /// A copy of a record.
    init(_ record: ovl_sync_row) throws(OverlayError) {
        self.init(
            SourcePlanAction(rawValue: record.action), item: try record.item.string("sync_row.item"),
            path: try record.path.string("sync_row.path"),
            reason: try record.reason.string("sync_row.reason"),
            details: try record.details.string("sync_row.details"),
            changesDevice: record.flags & OVL_SYNC_ROW_CHANGES_DEVICE != 0,
            changesSource: record.flags & OVL_SYNC_ROW_CHANGES_SOURCE != 0,
            fails: record.flags & OVL_SYNC_ROW_FAILS != 0, bytes: record.bytes)
    }
}

extension OverlayTimeLimit.Limit {
    fileprivate init(_ nanoseconds: UInt64) {
        switch nanoseconds {
        case 0: self = .usual
        case .max: self = .none
        default: self = .within(.nanoseconds(Int64(clamping: nanoseconds)))
        }
    }
}
