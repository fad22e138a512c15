import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_sync.h` as Swift imports them.
    static let syncing: [SwiftLayout] =
        [
            Self.of(ovl_sync_options.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("wanted", \.wanted)
            },
            Self.of(ovl_sync_row.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("action", \.action)
                $0.add("reserved", \.reserved)
                $0.add("item", \.item)
                $0.add("path", \.path)
                $0.add("reason", \.reason)
                $0.add("details", \.details)
                $0.add("bytes", \.bytes)
            },
            Self.of(ovl_sync_row_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_source_file.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("name", \.name)
                $0.add("kind", \.kind)
                $0.add("reserved", \.reserved)
                $0.add("size", \.size)
                $0.add("modified", \.modified)
                $0.add("stamp", \.stamp)
                $0.add("digest", \.digest)
                $0.add("device_modified", \.device_modified)
            },
            Self.of(ovl_source_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_source_item.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("path", \.path)
                $0.add("device_path", \.device_path)
                $0.add("expected", \.expected)
            },
            Self.of(ovl_source_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("list", \.list)
                $0.add("stat", \.stat)
                $0.add("digest", \.digest)
                $0.add("read", \.read)
                $0.add("write", \.write)
                $0.add("trash", \.trash)
                $0.add("send", \.send)
                $0.add("fetch", \.fetch)
                $0.add("state_get", \.state_get)
                $0.add("state_put", \.state_put)
                $0.add("state_remove", \.state_remove)
                $0.add("state_keys", \.state_keys)
            },
        ].flatMap { $0 }
}
