import OverlayABI
import OverlayBridge

extension OverlayOption {
    /// Creates a record with views into `arena`.
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
        if isSyncFolder { record.flags |= OVL_OPTION_SYNC_FOLDER }
        record.allowed = arena.texts(allowed)
        record.label = arena.text(label)
        record.help = arena.text(help)
        return record
    }
}

extension OverlayDescriptor {
    /// Creates a record with views into `arena`.
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
    /// Creates a record with views into `arena`.
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
}
