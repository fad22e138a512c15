import OverlayABI

extension FileInfo {
    /// A copy of a record.
    package init(_ record: ovl_file_info) throws(OverlayError) {
        self.init(
            name: try record.name.required("file_info.name"), kind: FileKind(rawValue: record.kind),
            size: record.size, modified: record.modified, created: record.created)
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_file_info {
        var record = ovl_file_info.sized()
        record.name = arena.text(name)
        record.kind = kind.rawValue
        record.size = size
        record.modified = modified
        record.created = created
        return record
    }
}

extension ReadRequest {
    /// A copy of a record.
    package init(_ record: ovl_read_request) throws(OverlayError) {
        self.init(
            try record.path.required("read_request.path"), offset: record.offset, length: record.length,
            once: record.flags & OVL_READ_ONCE != 0)
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_read_request {
        var record = ovl_read_request.sized()
        record.flags = once ? OVL_READ_ONCE : 0
        record.path = arena.text(path)
        record.offset = offset
        record.length = length
        return record
    }
}

extension PushItem {
    /// A copy of a record.
    package init(_ record: ovl_push_item) throws(OverlayError) {
        self.init(HostFile(rawValue: record.file), to: try record.path.required("push_item.path"))
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_push_item {
        var record = ovl_push_item.sized()
        record.file = file.rawValue
        record.path = arena.text(path)
        return record
    }
}
