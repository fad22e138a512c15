/* The signatures of overlay_content.h: the services that read files. */
#include "signature_tables.h"

FIELDS(ovl_source) = {
    FIELD(ovl_source, struct_size, STRUCT_SIZE),
    FIELD(ovl_source, flags, FLAGS),
    FIELD(ovl_source, kind, U32),
    FIELD(ovl_source, root, U32),
    FIELD(ovl_source, path, TEXT),
    FIELD(ovl_source, file, FILE_ID),
    FIELD(ovl_source, bytes, BYTES),
};
RECORD(ovl_source, 0, NULL);

FIELDS(ovl_sniff_hints) = {
    FIELD(ovl_sniff_hints, struct_size, STRUCT_SIZE),
    FIELD(ovl_sniff_hints, flags, FLAGS),
    FIELD(ovl_sniff_hints, media_types, TEXTS),
    FIELD(ovl_sniff_hints, extensions, TEXTS),
};
RECORD(ovl_sniff_hints, OVL_SNIFF_DEFAULT_FORMATS | OVL_SNIFF_CONTENT_ONLY, NULL);

FIELDS(ovl_format) = {
    FIELD(ovl_format, struct_size, STRUCT_SIZE),
    FIELD(ovl_format, flags, FLAGS),
    FIELD(ovl_format, media_type, TEXT),
    FIELD(ovl_format, name, TEXT),
    FIELD(ovl_format, extension, TEXT),
    FIELD(ovl_format, sniffer, TEXT),
    FIELD(ovl_format, round, U32),
    FIELD(ovl_format, reserved, RESERVED),
    FIELD(ovl_format, bytes_read, U64),
};
RECORD(ovl_format, 0, NULL);

ARGS(ovl_format_sink, put) = {
    CTX_ARG, IN("index", U64), IN("status", STATUS), NULLABLE_IN_RECORD("format", ovl_format),
    NULLABLE_IN_RECORD("error", ovl_error),
};
FUNCTION(ovl_format_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_format_sink) = {
    FIELD(ovl_format_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_format_sink, flags, FLAGS),
    FIELD(ovl_format_sink, ctx, CONTEXT),
    CALL(ovl_format_sink, put),
};
RECORD(ovl_format_sink, 0, NULL);

FIELDS(ovl_sniff_rule) = {
    FIELD(ovl_sniff_rule, struct_size, STRUCT_SIZE),
    FIELD(ovl_sniff_rule, flags, FLAGS),
    FIELD(ovl_sniff_rule, kind, U32),
    FIELD(ovl_sniff_rule, reserved, RESERVED),
    FIELD(ovl_sniff_rule, offset, U64),
    FIELD(ovl_sniff_rule, name, TEXT),
    FIELD(ovl_sniff_rule, value, TEXT),
    FIELD(ovl_sniff_rule, bytes, BYTES),
};
RECORD(ovl_sniff_rule, 0, NULL);

FIELDS(ovl_sniffer) = {
    FIELD(ovl_sniffer, struct_size, STRUCT_SIZE),
    FIELD(ovl_sniffer, flags, FLAGS),
    FIELD(ovl_sniffer, media_type, TEXT),
    FIELD(ovl_sniffer, name, TEXT),
    FIELD(ovl_sniffer, extension, TEXT),
    FIELD(ovl_sniffer, extensions, TEXTS),
    FIELD(ovl_sniffer, media_types, TEXTS),
    LIST_OF(ovl_sniffer, rules, ovl_sniff_rule),
};
RECORD(ovl_sniffer, 0, NULL);

ARGS(ovl_sniff_service, sniff) = {
    CTX_ARG, IN_LIST("sources", ovl_source), NULLABLE_IN_RECORD("hints", ovl_sniff_hints),
    IN_SINK("formats", ovl_format_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_sniff_service, sniff, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_sniff_service, register_sniffer) = {CTX_ARG, IN_RECORD("sniffer", ovl_sniffer), NULLABLE_ERROR_ARG};
FUNCTION(ovl_sniff_service, register_sniffer, OVL_THREAD_ANY, EVER, 0, OVL_KIND_STATUS);

FIELDS(ovl_sniff_service) = {
    FIELD(ovl_sniff_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_sniff_service, flags, FLAGS),
    FIELD(ovl_sniff_service, ctx, CONTEXT),
    CALL(ovl_sniff_service, sniff),
    CALL(ovl_sniff_service, register_sniffer),
};
RECORD(ovl_sniff_service, 0, OVL_SERVICE_SNIFF);

FIELDS(ovl_resource) = {
    FIELD(ovl_resource, struct_size, STRUCT_SIZE),
    FIELD(ovl_resource, flags, FLAGS),
    FIELD(ovl_resource, href, TEXT),
    FIELD(ovl_resource, media_type, TEXT),
    FIELD(ovl_resource, length, U64),
    FIELD(ovl_resource, stored_length, U64),
};
RECORD(ovl_resource, 0, NULL);

ARGS(ovl_resource_sink, put) = {CTX_ARG, IN("index", U64), IN_RECORD("resource", ovl_resource)};
FUNCTION(ovl_resource_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_resource_sink) = {
    FIELD(ovl_resource_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_resource_sink, flags, FLAGS),
    FIELD(ovl_resource_sink, ctx, CONTEXT),
    CALL(ovl_resource_sink, put),
};
RECORD(ovl_resource_sink, 0, NULL);

ARGS(ovl_fetch_service, links) = {
    CTX_ARG, IN_RECORD("source", ovl_source), IN_SINK("resources", ovl_resource_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_fetch_service, links, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_fetch_service, info) = {
    CTX_ARG, IN_RECORD("source", ovl_source), NULLABLE_IN("href", TEXT), IN_SINK("resource", ovl_resource_sink),
    NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_fetch_service, info, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

ARGS(ovl_fetch_service, read) = {
    CTX_ARG, IN_RECORD("source", ovl_source), NULLABLE_IN("href", TEXT), IN("offset", U64), IN("length", U64),
    IN_SINK("bytes", ovl_bytes_sink), NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_fetch_service, read, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

FIELDS(ovl_fetch_service) = {
    FIELD(ovl_fetch_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_fetch_service, flags, FLAGS),
    FIELD(ovl_fetch_service, ctx, CONTEXT),
    CALL(ovl_fetch_service, links),
    CALL(ovl_fetch_service, info),
    CALL(ovl_fetch_service, read),
};
RECORD(ovl_fetch_service, 0, OVL_SERVICE_FETCH);

FIELDS(ovl_metadata) = {
    FIELD(ovl_metadata, struct_size, STRUCT_SIZE),
    FIELD(ovl_metadata, flags, FLAGS),
    FIELD(ovl_metadata, languages, TEXTS),
    FIELD(ovl_metadata, identifiers, TEXTS),
    FIELD(ovl_metadata, shortcomings, TEXTS),
    FIELD(ovl_metadata, bytes_read, U64),
    FIELD(ovl_metadata, pages, U64),
    FIELD(ovl_metadata, reserved, RESERVED),
    NESTED(ovl_metadata, book, ovl_book),
};
RECORD(ovl_metadata, 0, NULL);

ARGS(ovl_metadata_sink, put) = {
    CTX_ARG, IN("index", U64), IN("status", STATUS), NULLABLE_IN_RECORD("metadata", ovl_metadata),
    NULLABLE_IN_RECORD("error", ovl_error),
};
FUNCTION(ovl_metadata_sink, put, OVL_THREAD_CALLER, 0, 0, OVL_KIND_STATUS);

FIELDS(ovl_metadata_sink) = {
    FIELD(ovl_metadata_sink, struct_size, STRUCT_SIZE),
    FIELD(ovl_metadata_sink, flags, FLAGS),
    FIELD(ovl_metadata_sink, ctx, CONTEXT),
    CALL(ovl_metadata_sink, put),
};
RECORD(ovl_metadata_sink, 0, NULL);

ARGS(ovl_metadata_service, read) = {
    CTX_ARG, IN_LIST("sources", ovl_source), IN("options", U32), IN_SINK("results", ovl_metadata_sink),
    NULLABLE_ERROR_ARG,
};
FUNCTION(ovl_metadata_service, read, OVL_THREAD_DEVICE, RUNNING, 0, OVL_KIND_STATUS);

FIELDS(ovl_metadata_service) = {
    FIELD(ovl_metadata_service, struct_size, STRUCT_SIZE),
    FIELD(ovl_metadata_service, flags, FLAGS),
    FIELD(ovl_metadata_service, ctx, CONTEXT),
    CALL(ovl_metadata_service, read),
};
RECORD(ovl_metadata_service, 0, OVL_SERVICE_METADATA);
