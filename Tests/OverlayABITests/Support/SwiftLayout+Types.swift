import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_types.h` as Swift imports them.
    static let types: [SwiftLayout] =
        [
            Self.of(ovl_text.self) {
                $0.add("data", \.data)
                $0.add("size", \.size)
            },
            Self.of(ovl_bytes.self) {
                $0.add("data", \.data)
                $0.add("size", \.size)
            },
            Self.of(ovl_texts.self) {
                $0.add("items", \.items)
                $0.add("count", \.count)
            },
            Self.of(ovl_list.self) {
                $0.add("items", \.items)
                $0.add("count", \.count)
                $0.add("stride", \.stride)
            },
            Self.of(ovl_error.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("status", \.status)
                $0.add("domain", \.domain)
                $0.add("native_code", \.native_code)
                $0.add("message", \.message)
                $0.add("subject", \.subject)
                $0.add("hint", \.hint)
            },
            Self.of(ovl_error_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_text_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_bytes_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
        ].flatMap { $0 }
}
