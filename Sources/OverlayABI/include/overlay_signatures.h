/* OverlayHost ABI, version 1: the contract as data.
 *
 * Every record, table and sink of the other headers with all its fields, and every function with all its arguments, so
 * that a program can call, interpose on, trace, replay and check any function without knowing it. Not needed to write an
 * overlay or a host, and not passed between them: its form may change without a new major version.
 *
 * How a value of each kind is passed:
 *   - an argument of kind TEXT, BYTES, TEXTS, LIST, RECORD or SINK: by a pointer to const;
 *   - an argument with direction OUT: by a pointer to where the callee writes it;
 *   - everything else, and every result: by value.
 */
#ifndef OVERLAYHOST_OVERLAY_SIGNATURES_H
#define OVERLAYHOST_OVERLAY_SIGNATURES_H

#include "overlay_abi.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** Kinds of values. No result. */
#define OVL_KIND_VOID 0u
#define OVL_KIND_I32 1u
#define OVL_KIND_U32 2u
#define OVL_KIND_I64 3u
#define OVL_KIND_U64 4u
#define OVL_KIND_F64 5u
/** ovl_status. */
#define OVL_KIND_STATUS 6u
/** ovl_file_id. */
#define OVL_KIND_FILE_ID 7u
/** ovl_text. */
#define OVL_KIND_TEXT 8u
/** ovl_bytes. */
#define OVL_KIND_BYTES 9u
/** ovl_texts. */
#define OVL_KIND_TEXTS 10u
/** ovl_list of `record`. */
#define OVL_KIND_LIST 11u
/** `record`: as a field, the record itself. */
#define OVL_KIND_RECORD 12u
/** A sink: `record` describes it, and its only function is `put`. */
#define OVL_KIND_SINK 13u
/** ovl_instance pointer. */
#define OVL_KIND_INSTANCE 14u
/** The `ctx` of the table or sink whose function is called. */
#define OVL_KIND_CONTEXT 15u
/** As a field: a pointer to `record`. As a result: a pointer to the table of a service, or null. */
#define OVL_KIND_TABLE 16u
/** A pointer to a function: `function` describes it. Null: not implemented. */
#define OVL_KIND_FUNCTION 17u
/** `struct_size`. */
#define OVL_KIND_STRUCT_SIZE 18u
/** `flags`. */
#define OVL_KIND_FLAGS 19u
/** Named padding, zero in version 1. */
#define OVL_KIND_RESERVED 20u

/** Directions of an argument: the caller gives it. */
#define OVL_DIRECTION_IN 0u
/** The callee writes it. */
#define OVL_DIRECTION_OUT 1u

/** The threads on which a function may be called. [any]: on any thread. */
#define OVL_THREAD_ANY 0u
/** [device]: on the device thread of the instance. */
#define OVL_THREAD_DEVICE 1u
/** The function of a sink: on the thread of the call that received the sink, until that call returns. */
#define OVL_THREAD_CALLER 2u

/** States of an instance, as bits. Described: before `create` has returned. */
#define OVL_STATE_DESCRIBED 1u
#define OVL_STATE_CREATED 2u
#define OVL_STATE_INITIALIZED 4u
#define OVL_STATE_ATTACHED 8u
#define OVL_STATE_YANKED 16u
#define OVL_STATE_EJECTED 32u
#define OVL_STATE_SHUT_DOWN 64u

/** In `ovl_sig_function.flags`: a method that must not use the device. */
#define OVL_SIG_PURE 1u
/** In `ovl_sig_function.flags`: a service function that pure methods must not call. */
#define OVL_SIG_TOUCHES_DEVICE 2u
/** In `ovl_sig_function.flags`: a method that only gets information. Later methods may need this information, so after creating
 *  an instance again, a host calls the method again with the arguments of its last success. */
#define OVL_SIG_REPEATABLE 4u

typedef struct ovl_sig_record ovl_sig_record;

/** An argument of a function. */
typedef struct ovl_sig_arg {
    const char *OVL_NONNULL name;
    /** OVL_KIND_… */
    uint32_t kind;
    /** OVL_DIRECTION_… */
    uint32_t direction;
    /** 1 if null may be passed, else 0. */
    uint32_t nullable;
    uint32_t reserved;
    /** The element of a LIST, the RECORD, or the SINK. */
    const ovl_sig_record *OVL_NULLABLE record;
} ovl_sig_arg;

/** A function of a table or sink. */
typedef struct ovl_sig_function {
    const char *OVL_NONNULL name;
    /** The offset of the slot in its table, in bytes. */
    uint32_t offset;
    /** OVL_THREAD_… */
    uint32_t thread;
    /** OVL_STATE_… bits in which the function may be called; 0 for the function of a sink, which may be called during its
     *  call. */
    uint32_t states;
    /** OVL_SIG_… bits. */
    uint32_t flags;
    /** OVL_KIND_… of the result. */
    uint32_t result;
    uint32_t arg_count;
    const ovl_sig_arg *OVL_NONNULL args;
    /** For a function of the overlay: the time limit in seconds from its call to its return, unless its descriptor contains
     *  another one. 0: no limit. */
    uint32_t total_limit;
    /** For a function of the overlay: the time limit in seconds without a call to the host. */
    uint32_t silence_limit;
} ovl_sig_function;

/** A field of a record, table or sink. */
typedef struct ovl_sig_field {
    const char *OVL_NONNULL name;
    uint32_t offset;
    uint32_t size;
    /** OVL_KIND_… */
    uint32_t kind;
    /** The bit of `flags` without which the field is not used; 0: it is always used. */
    uint32_t flag;
    /** The element of a LIST, the contained RECORD, or the TABLE to which the field points. */
    const ovl_sig_record *OVL_NULLABLE record;
    /** The signature of a FUNCTION. */
    const ovl_sig_function *OVL_NULLABLE function;
} ovl_sig_field;

/** A record, table or sink, which begins with `struct_size`. */
struct ovl_sig_record {
    const char *OVL_NONNULL name;
    /** Id of the service whose table this is. */
    const char *OVL_NULLABLE service;
    uint32_t size;
    /** The bits of `flags` that version 1 defines. */
    uint32_t known_flags;
    uint32_t field_count;
    uint32_t reserved;
    const ovl_sig_field *OVL_NONNULL fields;
};

#if defined(__cplusplus)
extern "C" {
#endif

/** [any] All records, tables and sinks in the order of the headers; their number into `count`. Constant. */
const ovl_sig_record *OVL_NONNULL const *OVL_NONNULL ovl_signatures_v1(uint32_t *OVL_NONNULL count);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
