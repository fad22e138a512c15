/* Macros for the tables of signatures. Private to this folder. */
#ifndef OVERLAYHOST_SIGNATURE_TABLES_H
#define OVERLAYHOST_SIGNATURE_TABLES_H

#include "overlay_signatures.h"

#include <stddef.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* All states in which services, the log and the preferences may be used: from `create` to `destroy`. */
#define EVER (OVL_STATE_DESCRIBED | FROM_CREATED)
/* From the return of `create` to `destroy`. */
#define FROM_CREATED                                                                                                   \
    (OVL_STATE_CREATED | OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_YANKED | OVL_STATE_EJECTED |           \
     OVL_STATE_SHUT_DOWN)
/* The states in which methods run. */
#define RUNNING                                                                                                        \
    (OVL_STATE_CREATED | OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED | OVL_STATE_YANKED | OVL_STATE_EJECTED)

/* Arguments. */
#define ARG(name, kind, direction, nullable, record)                                                                   \
    {name, OVL_KIND_##kind, OVL_DIRECTION_##direction, nullable, 0, record}
#define CTX_ARG ARG("ctx", CONTEXT, IN, 1, NULL)
#define INSTANCE_ARG ARG("instance", INSTANCE, IN, 0, NULL)
#define IN(name, kind) ARG(name, kind, IN, 0, NULL)
#define NULLABLE_IN(name, kind) ARG(name, kind, IN, 1, NULL)
#define OUT(name, kind) ARG(name, kind, OUT, 0, NULL)
#define IN_LIST(name, element) ARG(name, LIST, IN, 0, &ovl_sig_##element)
#define NULLABLE_IN_LIST(name, element) ARG(name, LIST, IN, 1, &ovl_sig_##element)
#define IN_RECORD(name, type) ARG(name, RECORD, IN, 0, &ovl_sig_##type)
#define NULLABLE_IN_RECORD(name, type) ARG(name, RECORD, IN, 1, &ovl_sig_##type)
#define IN_SINK(name, type) ARG(name, SINK, IN, 0, &ovl_sig_##type)
#define ERROR_ARG ARG("error", SINK, IN, 0, &ovl_sig_ovl_error_sink)
#define NULLABLE_ERROR_ARG ARG("error", SINK, IN, 1, &ovl_sig_ovl_error_sink)

/* Functions. */
#define ARGS(table, name) static const ovl_sig_arg args_##table##_##name[]
#define FUNCTION(table, name, thread, states, flags, result)                                                           \
    static const ovl_sig_function function_##table##_##name = {                                                        \
        #name, (uint32_t)offsetof(table, name), thread, states, flags, result, COUNT(args_##table##_##name),           \
        args_##table##_##name, 0, 0}
/* Functions of the overlay, with their usual time limits in seconds. */
#define METHOD(table, name, states, flags, result, total, silence)                                                     \
    static const ovl_sig_function function_##table##_##name = {                                                        \
        #name, (uint32_t)offsetof(table, name), OVL_THREAD_DEVICE, states, flags, result,                              \
        COUNT(args_##table##_##name), args_##table##_##name, total, silence}

/* Fields. */
#define ROW(table, name, kind, flag, record, function)                                                                 \
    {#name, (uint32_t)offsetof(table, name), (uint32_t)sizeof(((table *)0)->name), OVL_KIND_##kind, flag, record,      \
     function}
#define FIELD(table, name, kind) ROW(table, name, kind, 0, NULL, NULL)
#define SCALAR(table, name, kind, flag) ROW(table, name, kind, flag, NULL, NULL)
#define LIST_OF(table, name, element) ROW(table, name, LIST, 0, &ovl_sig_##element, NULL)
#define NESTED(table, name, type) ROW(table, name, RECORD, 0, &ovl_sig_##type, NULL)
#define POINTER(table, name, type) ROW(table, name, TABLE, 0, &ovl_sig_##type, NULL)
#define CALL(table, name) ROW(table, name, FUNCTION, 0, NULL, &function_##table##_##name)

/* Records, tables and sinks. */
#define FIELDS(record) static const ovl_sig_field fields_##record[]
#define RECORD(record, known_flags, service)                                                                           \
    const ovl_sig_record ovl_sig_##record = {                                                                          \
        #record, service, (uint32_t)sizeof(record), known_flags, COUNT(fields_##record), 0, fields_##record}

extern const ovl_sig_record ovl_sig_ovl_error;
extern const ovl_sig_record ovl_sig_ovl_error_sink;
extern const ovl_sig_record ovl_sig_ovl_text_sink;
extern const ovl_sig_record ovl_sig_ovl_bytes_sink;
extern const ovl_sig_record ovl_sig_ovl_annotation;
extern const ovl_sig_record ovl_sig_ovl_book;
extern const ovl_sig_record ovl_sig_ovl_book_sink;
extern const ovl_sig_record ovl_sig_ovl_collection;
extern const ovl_sig_record ovl_sig_ovl_collection_sink;
extern const ovl_sig_record ovl_sig_ovl_books_options;
extern const ovl_sig_record ovl_sig_ovl_upload_item;
extern const ovl_sig_record ovl_sig_ovl_upload_options;
extern const ovl_sig_record ovl_sig_ovl_item_result;
extern const ovl_sig_record ovl_sig_ovl_result_sink;
extern const ovl_sig_record ovl_sig_ovl_booklist_edit;
extern const ovl_sig_record ovl_sig_ovl_edit_sink;
extern const ovl_sig_record ovl_sig_ovl_fingerprint;
extern const ovl_sig_record ovl_sig_ovl_presence;
extern const ovl_sig_record ovl_sig_ovl_presence_sink;
extern const ovl_sig_record ovl_sig_ovl_pair;
extern const ovl_sig_record ovl_sig_ovl_log_service;
extern const ovl_sig_record ovl_sig_ovl_prefs_service;
extern const ovl_sig_record ovl_sig_ovl_progress_service;
extern const ovl_sig_record ovl_sig_ovl_cancel_service;
extern const ovl_sig_record ovl_sig_ovl_device;
extern const ovl_sig_record ovl_sig_ovl_device_sink;
extern const ovl_sig_record ovl_sig_ovl_root;
extern const ovl_sig_record ovl_sig_ovl_root_sink;
extern const ovl_sig_record ovl_sig_ovl_file_info;
extern const ovl_sig_record ovl_sig_ovl_file_sink;
extern const ovl_sig_record ovl_sig_ovl_read_request;
extern const ovl_sig_record ovl_sig_ovl_read_sink;
extern const ovl_sig_record ovl_sig_ovl_push_item;
extern const ovl_sig_record ovl_sig_ovl_transport_service;
extern const ovl_sig_record ovl_sig_ovl_storage_service;
extern const ovl_sig_record ovl_sig_ovl_calls_service;
extern const ovl_sig_record ovl_sig_ovl_host;
extern const ovl_sig_record ovl_sig_ovl_source;
extern const ovl_sig_record ovl_sig_ovl_sniff_hints;
extern const ovl_sig_record ovl_sig_ovl_format;
extern const ovl_sig_record ovl_sig_ovl_format_sink;
extern const ovl_sig_record ovl_sig_ovl_sniff_rule;
extern const ovl_sig_record ovl_sig_ovl_sniffer;
extern const ovl_sig_record ovl_sig_ovl_sniff_service;
extern const ovl_sig_record ovl_sig_ovl_resource;
extern const ovl_sig_record ovl_sig_ovl_resource_sink;
extern const ovl_sig_record ovl_sig_ovl_fetch_service;
extern const ovl_sig_record ovl_sig_ovl_metadata;
extern const ovl_sig_record ovl_sig_ovl_metadata_sink;
extern const ovl_sig_record ovl_sig_ovl_metadata_service;
extern const ovl_sig_record ovl_sig_ovl_sync_options;
extern const ovl_sig_record ovl_sig_ovl_sync_row;
extern const ovl_sig_record ovl_sig_ovl_sync_row_sink;
extern const ovl_sig_record ovl_sig_ovl_source_file;
extern const ovl_sig_record ovl_sig_ovl_source_sink;
extern const ovl_sig_record ovl_sig_ovl_source_item;
extern const ovl_sig_record ovl_sig_ovl_source_service;
extern const ovl_sig_record ovl_sig_ovl_option;
extern const ovl_sig_record ovl_sig_ovl_time_limit;
extern const ovl_sig_record ovl_sig_ovl_descriptor;
extern const ovl_sig_record ovl_sig_ovl_missing;
extern const ovl_sig_record ovl_sig_ovl_settings;
extern const ovl_sig_record ovl_sig_ovl_settings_sink;
extern const ovl_sig_record ovl_sig_ovl_methods;
extern const ovl_sig_record ovl_sig_ovl_entry;

#endif
