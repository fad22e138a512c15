import OverlayABI
import OverlayBridge

extension OverlayOption {
    /// A copy of a record.
    package init(_ record: ovl_option) throws(OverlayError) {
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
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_option {
        var record = ovl_option.sized()
        record.key = arena.text(key)
        record.type = kind.rawValue
        record.fallback = arena.text(fallbackJSON)
        if let range {
            record.flags |= OVL_OPTION_HAS_RANGE
            record.minimum = range.lowerBound
            record.maximum = range.upperBound
        }
        record.allowed = arena.texts(allowed)
        record.label = arena.text(label)
        record.help = arena.text(help)
        return record
    }
}

extension OverlayDescriptor {
    /// A copy of a record.
    package init(_ record: ovl_descriptor) throws(OverlayError) {
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

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_descriptor {
        var record = ovl_descriptor.sized()
        record.flags = traits.rawValue
        record.id = arena.text(id)
        record.name = arena.text(name)
        record.version = arena.text(version)
        record.summary = arena.text(summary)
        record.app_name = arena.text(appName)
        record.app_ids = arena.texts(appIDs)
        record.formats = arena.texts(formats)
        record.settable_metadata = arena.texts(settableMetadata)
        record.plugboard_name = arena.text(plugboardName)
        record.thumbnail_height = thumbnailHeight
        record.options = arena.list(options) { $0.record(in: arena) }
        record.help = arena.text(help)
        if !timeLimits.isEmpty { record.time_limits = arena.list(timeLimits) { $0.record(in: arena) } }
        return record
    }
}

extension OverlayTimeLimit {
    /// A copy of a record.
    package init(_ record: ovl_time_limit) throws(OverlayError) {
        self.init(
            try record.method.required("time_limit.method"), total: Limit(record.total),
            silence: Limit(record.silence))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_time_limit {
        var record = ovl_time_limit.sized()
        record.method = arena.text(method)
        record.total = total.nanoseconds
        record.silence = silence.nanoseconds
        return record
    }
}

extension OverlayTimeLimit.Limit {
    fileprivate var nanoseconds: UInt64 {
        switch self {
        case .usual: return 0
        case .none: return .max
        case .within(let duration):
            let (seconds, attoseconds) = duration.components
            guard seconds >= 0, attoseconds >= 0 else { return 1 }
            let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
            return overflow ? .max : max(1, whole &+ UInt64(attoseconds / 1_000_000_000))
        }
    }

    fileprivate init(_ nanoseconds: UInt64) {
        switch nanoseconds {
        case 0: self = .usual
        case .max: self = .none
        default: self = .within(.nanoseconds(Int64(clamping: nanoseconds)))
        }
    }
}
