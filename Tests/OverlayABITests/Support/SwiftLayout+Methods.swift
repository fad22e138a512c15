import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_methods.h` as Swift imports them.
    static let methods: [SwiftLayout] =
        [
            Self.of(ovl_option.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("key", \.key)
                $0.add("type", \.type)
                $0.add("reserved", \.reserved)
                $0.add("fallback", \.fallback)
                $0.add("minimum", \.minimum)
                $0.add("maximum", \.maximum)
                $0.add("allowed", \.allowed)
                $0.add("label", \.label)
                $0.add("help", \.help)
            },
            Self.of(ovl_time_limit.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("method", \.method)
                $0.add("total", \.total)
                $0.add("silence", \.silence)
            },
            Self.of(ovl_descriptor.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("id", \.id)
                $0.add("name", \.name)
                $0.add("version", \.version)
                $0.add("summary", \.summary)
                $0.add("app_name", \.app_name)
                $0.add("app_ids", \.app_ids)
                $0.add("formats", \.formats)
                $0.add("settable_metadata", \.settable_metadata)
                $0.add("plugboard_name", \.plugboard_name)
                $0.add("thumbnail_height", \.thumbnail_height)
                $0.add("reserved", \.reserved)
                $0.add("options", \.options)
                $0.add("help", \.help)
                $0.add("time_limits", \.time_limits)
            },
            Self.of(ovl_missing.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ability", \.ability)
                $0.add("reason", \.reason)
                $0.add("hint", \.hint)
            },
            Self.of(ovl_settings.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("formats", \.formats)
                $0.add("settable_metadata", \.settable_metadata)
                $0.add("missing", \.missing)
            },
            Self.of(ovl_settings_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_methods.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("initialize", \.initialize)
                $0.add("shutdown", \.shutdown)
                $0.add("is_usb_connected", \.is_usb_connected)
                $0.add("is_usb_connected_windows", \.is_usb_connected_windows)
                $0.add("can_handle", \.can_handle)
                $0.add("can_handle_windows", \.can_handle_windows)
                $0.add("books", \.books)
                $0.add("upload_books", \.upload_books)
                $0.add("add_books_to_metadata", \.add_books_to_metadata)
                $0.add("delete_books", \.delete_books)
                $0.add("remove_books_from_metadata", \.remove_books_from_metadata)
                $0.add("sync_booklists", \.sync_booklists)
                $0.add("get_file", \.get_file)
                $0.add("prepare_addable_books", \.prepare_addable_books)
                $0.add("eject", \.eject)
                $0.add("post_yank_cleanup", \.post_yank_cleanup)
                $0.add("settings", \.settings)
                $0.add("perform", \.perform)
                $0.add("sync_source", \.sync_source)
            },
            Self.of(ovl_entry.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("abi_major", \.abi_major)
                $0.add("abi_minor", \.abi_minor)
                $0.add("descriptor", \.descriptor)
                $0.add("methods", \.methods)
                $0.add("create", \.create)
                $0.add("destroy", \.destroy)
            },
        ].flatMap { $0 }
}
