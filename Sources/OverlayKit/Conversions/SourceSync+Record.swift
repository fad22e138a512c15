import OverlayABI
import OverlayBridge

extension SourceSyncOptions {
    /// Copies a record. Ignores bits that this version does not know.
    package init(_ record: ovl_sync_options) throws(OverlayError) {
        self.init(
            isDryRun: record.flags & OVL_SYNC_DRY_RUN != 0, deletes: record.flags & OVL_SYNC_DELETES != 0,
            isForced: record.flags & OVL_SYNC_FORCED != 0,
            listsOthers: record.flags & OVL_SYNC_LISTS_OTHERS != 0,
            wanted: try record.wanted.strings("sync_options.wanted") ?? [])
    }
}

extension SourcePlanRow {
    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_sync_row {
        var record = ovl_sync_row.sized()
        record.flags =
            (changesDevice ? OVL_SYNC_ROW_CHANGES_DEVICE : 0)
            | (changesSource ? OVL_SYNC_ROW_CHANGES_SOURCE : 0)
            | (fails ? OVL_SYNC_ROW_FAILS : 0)
        record.action = action.rawValue
        record.item = arena.text(item)
        record.path = arena.text(path)
        record.reason = arena.text(reason)
        record.details = arena.text(details)
        record.bytes = bytes
        return record
    }
}

extension SourceFileInfo {
    /// Copies a record.
    package init(_ record: ovl_source_file) throws(OverlayError) {
        self.init(
            name: try record.name.required("source_file.name"), kind: FileKind(rawValue: record.kind),
            size: record.size, modified: record.modified,
            stamp: try record.stamp.string("source_file.stamp"),
            digest: try record.digest.string("source_file.digest"), deviceModified: record.device_modified)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_source_file {
        var record = ovl_source_file.sized()
        record.name = arena.text(name)
        record.kind = kind.rawValue
        record.size = size
        record.modified = modified
        record.stamp = arena.text(stamp)
        record.digest = arena.text(digest)
        record.device_modified = deviceModified
        return record
    }
}

extension SourceItem {
    /// Copies a record.
    package init(_ record: ovl_source_item) throws(OverlayError) {
        self.init(
            try record.path.required("source_item.path"),
            devicePath: try record.device_path.required("source_item.device_path"),
            expected: try record.expected.string("source_item.expected"),
            isContinued: record.flags & OVL_SOURCE_CONTINUES != 0)
    }

    /// Creates a record with views into `arena`.
    package func record(in arena: Arena) -> ovl_source_item {
        var record = ovl_source_item.sized()
        record.flags = isContinued ? OVL_SOURCE_CONTINUES : 0
        record.path = arena.text(path)
        record.device_path = arena.text(devicePath)
        record.expected = arena.text(expected)
        return record
    }
}
