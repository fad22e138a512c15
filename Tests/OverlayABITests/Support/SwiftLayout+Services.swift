import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_services.h` as Swift imports them.
    static let services: [SwiftLayout] =
        [
            Self.of(ovl_pair.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("key", \.key)
                $0.add("value", \.value)
            },
            Self.of(ovl_log_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("enabled", \.enabled)
                $0.add("write", \.write)
            },
            Self.of(ovl_prefs_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("get_bool", \.get_bool)
                $0.add("get_integer", \.get_integer)
                $0.add("get_number", \.get_number)
                $0.add("get_texts", \.get_texts)
                $0.add("get_json", \.get_json)
                $0.add("request_set", \.request_set)
            },
            Self.of(ovl_progress_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("report", \.report)
            },
            Self.of(ovl_cancel_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("is_cancelled", \.is_cancelled)
                $0.add("time_left", \.time_left)
                $0.add("wait", \.wait)
            },
            Self.of(ovl_device.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("udid", \.udid)
                $0.add("name", \.name)
                $0.add("model", \.model)
                $0.add("ios_version", \.ios_version)
                $0.add("app_id", \.app_id)
                $0.add("app_name", \.app_name)
                $0.add("app_version", \.app_version)
                $0.add("app_formats", \.app_formats)
                $0.add("app_file_sharing", \.app_file_sharing)
                $0.add("reserved", \.reserved)
            },
            Self.of(ovl_device_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_root.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("root", \.root)
                $0.add("granted", \.granted)
                $0.add("reason", \.reason)
                $0.add("hint", \.hint)
            },
            Self.of(ovl_root_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_file_info.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("name", \.name)
                $0.add("kind", \.kind)
                $0.add("reserved", \.reserved)
                $0.add("size", \.size)
                $0.add("modified", \.modified)
                $0.add("created", \.created)
            },
            Self.of(ovl_file_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_read_request.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("path", \.path)
                $0.add("offset", \.offset)
                $0.add("length", \.length)
            },
            Self.of(ovl_read_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_push_item.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("file", \.file)
                $0.add("path", \.path)
            },
            Self.of(ovl_transport_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("device", \.device)
                $0.add("roots", \.roots)
                $0.add("list", \.list)
                $0.add("stat", \.stat)
                $0.add("read", \.read)
                $0.add("read_many", \.read_many)
                $0.add("write", \.write)
                $0.add("push", \.push)
                $0.add("pull", \.pull)
                $0.add("rename", \.rename)
                $0.add("remove", \.remove)
                $0.add("make_folder", \.make_folder)
                $0.add("free_space", \.free_space)
                $0.add("local_info", \.local_info)
                $0.add("local_read", \.local_read)
            },
            Self.of(ovl_storage_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("get", \.get)
                $0.add("put", \.put)
                $0.add("remove", \.remove)
                $0.add("keys", \.keys)
            },
            Self.of(ovl_calls_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("name_call", \.name_call)
                $0.add("has_ended", \.has_ended)
            },
            Self.of(ovl_host.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("abi_major", \.abi_major)
                $0.add("abi_minor", \.abi_minor)
                $0.add("name", \.name)
                $0.add("version", \.version)
                $0.add("get_service", \.get_service)
            },
        ].flatMap { $0 }
}
