import OverlayABI

extension SwiftLayout {
    /// The structs of `overlay_content.h` as Swift imports them.
    static let content: [SwiftLayout] =
        [
            Self.of(ovl_source.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("kind", \.kind)
                $0.add("root", \.root)
                $0.add("path", \.path)
                $0.add("file", \.file)
                $0.add("bytes", \.bytes)
            },
            Self.of(ovl_sniff_hints.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("media_types", \.media_types)
                $0.add("extensions", \.extensions)
            },
            Self.of(ovl_format.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("media_type", \.media_type)
                $0.add("name", \.name)
                $0.add("extension", \.extension)
                $0.add("sniffer", \.sniffer)
                $0.add("round", \.round)
                $0.add("reserved", \.reserved)
                $0.add("bytes_read", \.bytes_read)
            },
            Self.of(ovl_format_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_sniff_rule.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("kind", \.kind)
                $0.add("reserved", \.reserved)
                $0.add("offset", \.offset)
                $0.add("name", \.name)
                $0.add("value", \.value)
                $0.add("bytes", \.bytes)
            },
            Self.of(ovl_sniffer.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("media_type", \.media_type)
                $0.add("name", \.name)
                $0.add("extension", \.extension)
                $0.add("extensions", \.extensions)
                $0.add("media_types", \.media_types)
                $0.add("rules", \.rules)
            },
            Self.of(ovl_sniff_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("sniff", \.sniff)
                $0.add("register_sniffer", \.register_sniffer)
            },
            Self.of(ovl_resource.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("href", \.href)
                $0.add("media_type", \.media_type)
                $0.add("length", \.length)
                $0.add("stored_length", \.stored_length)
            },
            Self.of(ovl_resource_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_fetch_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("links", \.links)
                $0.add("info", \.info)
                $0.add("read", \.read)
            },
            Self.of(ovl_metadata.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("languages", \.languages)
                $0.add("identifiers", \.identifiers)
                $0.add("shortcomings", \.shortcomings)
                $0.add("bytes_read", \.bytes_read)
                $0.add("pages", \.pages)
                $0.add("reserved", \.reserved)
                $0.add("book", \.book)
            },
            Self.of(ovl_metadata_sink.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("put", \.put)
            },
            Self.of(ovl_metadata_service.self) {
                $0.add("struct_size", \.struct_size)
                $0.add("flags", \.flags)
                $0.add("ctx", \.ctx)
                $0.add("read", \.read)
            },
        ].flatMap { $0 }
}
