/* OverlayHost ABI, version 1: views, statuses, errors.
 *
 * Rules of the whole ABI
 *   - Only values are passed. Memory is freed by the side that allocated it; there is no free function.
 *   - Inputs are borrowed until the call returns. Outputs are pushed into a sink, which copies what it keeps.
 *   - Every record and table begins with `struct_size` (bytes, as known to its writer) and `flags`. A reader uses
 *     min(struct_size, the size it knows) bytes and treats missing fields as zero. Fields are only ever appended.
 *     The three views below carry no size: their layout is final for version 1.
 *   - Text is UTF-8 without a terminating NUL. A null `data` means absent, a non-null one with size 0 means empty.
 *   - Names of fields and functions are the same in every language; Swift authors see them through OverlayKit.
 */
#ifndef OVERLAYHOST_OVERLAY_TYPES_H
#define OVERLAYHOST_OVERLAY_TYPES_H

#include <stdint.h>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__clang__)
#define OVL_NULLABLE _Nullable
#define OVL_NONNULL _Nonnull
#else
#define OVL_NULLABLE
#define OVL_NONNULL
#endif

/** Gives the entry function default visibility in a library built with hidden symbols. */
#define OVL_EXPORT __attribute__((visibility("default")))

/** Major version of this contract; part of the entry symbol's name. A different major version is a different contract. */
#define OVL_ABI_MAJOR 1u
/** Minor version: grows when fields, functions or statuses are appended. For information only: sizes decide what exists. */
#define OVL_ABI_MINOR 6u

/** Borrowed UTF-8 text. `data` null: absent. */
typedef struct ovl_text {
    const char *OVL_NULLABLE data;
    uint64_t size;
} ovl_text;

/** Borrowed bytes. `data` null: absent. */
typedef struct ovl_bytes {
    const uint8_t *OVL_NULLABLE data;
    uint64_t size;
} ovl_bytes;

/** Borrowed array of texts. `items` null: absent (which is not an empty list). */
typedef struct ovl_texts {
    const ovl_text *OVL_NULLABLE items;
    uint64_t count;
} ovl_texts;

/** Borrowed array of records. Element i begins `i * stride` bytes after `items`; `stride` is the element size its writer knows,
 *  a multiple of 8, so that the array survives growth of the record on either side. Each use names the element type. */
typedef struct ovl_list {
    const void *OVL_NULLABLE items;
    uint64_t count;
    uint64_t stride;
} ovl_list;

/** Result of every call. An open set: treat an unknown value as OVL_FAILED. Numbers are never reused. */
typedef int32_t ovl_status;

/** Done, and every result the function promises was delivered. */
#define OVL_OK ((ovl_status)0)
/** Failed for a reason that no other status covers; the error's message contains the reason. */
#define OVL_FAILED ((ovl_status)1)
/** The user or the host cancelled the call. */
#define OVL_CANCELLED ((ovl_status)2)
/** The deadline of the call, or the reader app's own time limit, passed. */
#define OVL_TIMED_OUT ((ovl_status)3)
/** The device was unplugged or switched off. */
#define OVL_DEVICE_GONE ((ovl_status)4)
/** This version of overlay, host, device or app does not support the call. */
#define OVL_NOT_SUPPORTED ((ovl_status)5)
/** An argument does not match the documentation of the function. */
#define OVL_INVALID_ARGUMENT ((ovl_status)6)
/** The file, folder, book, key or id does not exist. */
#define OVL_NOT_FOUND ((ovl_status)7)
/** iOS refuses access to the file or folder (sandbox, file sharing, pairing). */
#define OVL_ACCESS_REFUSED ((ovl_status)8)
/** Something with this name already exists and must not be replaced. */
#define OVL_ALREADY_EXISTS ((ovl_status)9)
/** The device or the host does not have enough free space. */
#define OVL_NO_SPACE ((ovl_status)10)
/** Another operation is under way; try again later. */
#define OVL_BUSY ((ovl_status)11)
/** Reading or writing on the device failed. */
#define OVL_DEVICE_IO ((ovl_status)12)
/** Reading or writing on the host failed. */
#define OVL_HOST_IO ((ovl_status)13)
/** The answer of the device or the reader app does not conform to its protocol. */
#define OVL_PROTOCOL_ERROR ((ovl_status)14)
/** A book, database or file is damaged. */
#define OVL_DAMAGED ((ovl_status)15)
/** The reader app does not support the format of the file. */
#define OVL_UNSUPPORTED_FORMAT ((ovl_status)16)
/** The reader app is not listening (not running, offline, not in connection mode). */
#define OVL_APP_UNAVAILABLE ((ovl_status)17)
/** The reader app received the request and rejected it. */
#define OVL_REJECTED ((ovl_status)18)
/** The device is locked with a passcode. */
#define OVL_DEVICE_LOCKED ((ovl_status)19)
/** The received content differs from the content that was sent (size or digest). */
#define OVL_VERIFICATION_FAILED ((ovl_status)20)
/** The function may not be called in this state, on this thread or from this method. */
#define OVL_WRONG_STATE ((ovl_status)21)
/** The other side broke this contract. */
#define OVL_CONTRACT_BROKEN ((ovl_status)22)
/** A sink asked to stop: the callee puts nothing more into the sink and returns this. If it returns OVL_OK instead, the caller
 *  treats that as OVL_STOPPED, because it cannot know what was left out. Any other status keeps its meaning. */
#define OVL_STOPPED ((ovl_status)23)
/** An item was not done because this would lose what its message describes, such as highlights. Repeat the call with
 *  OVL_UPLOAD_MAY_LOSE_MARKS to do it. Since minor version 4. */
#define OVL_NEEDS_CONSENT ((ovl_status)24)
/** The file differs from the one that the caller knows: it was changed, created or removed since. Nothing was done. Since minor
 *  version 6. */
#define OVL_CHANGED ((ovl_status)25)

/** The details of an error, in addition to a status. Every failing call reports at most one. */
typedef struct ovl_error {
    uint32_t struct_size;
    /** OVL_ERROR_RETRYABLE and one OVL_HINT_…, or 0. */
    uint32_t flags;
    /** The status the call returns. */
    ovl_status status;
    /** OVL_DOMAIN_…: the component that defines `native_code`. */
    int32_t domain;
    /** The unchanged code of the lower layer (AFC status, lockdownd code, errno, SQLite code …). */
    int64_t native_code;
    /** One sentence for the user, without the name of the subject. */
    ovl_text message;
    /** The subject of the error: a device path, book title, bundle id or key. Absent if there is none. */
    ovl_text subject;
    /** What the user can do about it. Absent if unknown. */
    ovl_text hint;
} ovl_error;

/** In `ovl_error.flags`: the same call may succeed if it is tried again. */
#define OVL_ERROR_RETRYABLE 1u

/** In `flags` of ovl_error, ovl_item_result and ovl_missing: the bits that hold one OVL_HINT_… or 0. It says what kind of help
 *  `hint` gives, so that a program can give it in its own words. Set it where `hint` names an option of the command line. */
#define OVL_HINT_MASK 0xFF00u
/** Repeat the call with the user's consent: `--yes`. */
#define OVL_HINT_CONSENT 0x0100u
/** Keep the existing book: `--on-conflict protect`. */
#define OVL_HINT_PROTECT 0x0200u
/** Replace the existing book: `--on-conflict replace`. */
#define OVL_HINT_REPLACE 0x0300u
/** Name collections when sending: `--collection`. */
#define OVL_HINT_COLLECTIONS 0x0400u
/** Change a preference: `overlayhost prefs set`. */
#define OVL_HINT_PREFERENCE 0x0500u
/** List the available items, such as books: `overlayhost books`. */
#define OVL_HINT_LIST 0x0600u

/** `ovl_error.domain`: no native code. */
#define OVL_DOMAIN_NONE 0
/** `ovl_error.domain`: errno of the host. */
#define OVL_DOMAIN_POSIX 1
/** `ovl_error.domain`: AFC status. */
#define OVL_DOMAIN_AFC 2
/** `ovl_error.domain`: lockdownd_error_t. */
#define OVL_DOMAIN_LOCKDOWN 3
/** `ovl_error.domain`: house_arrest error. */
#define OVL_DOMAIN_HOUSE_ARREST 4
/** `ovl_error.domain`: idevice_error_t. */
#define OVL_DOMAIN_IDEVICE 5
/** `ovl_error.domain`: installation_proxy error. */
#define OVL_DOMAIN_INSTALLATION_PROXY 6
/** `ovl_error.domain`: SQLite result code. */
#define OVL_DOMAIN_SQLITE 7
/** `ovl_error.domain`: a code of the reader app's own protocol. */
#define OVL_DOMAIN_READER_APP 8
/** `ovl_error.domain`: a code that the overlay defines. */
#define OVL_DOMAIN_OVERLAY 9

/** Receives the error of a call, before that call returns, on the same thread. */
typedef struct ovl_error_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** Copies the values to keep. Called at most once per call, and only if the call fails. */
    void (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_error *OVL_NONNULL error);
} ovl_error_sink;

/** Receives texts in order. */
typedef struct ovl_text_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** OVL_OK to continue, OVL_STOPPED to end the call early. */
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_text *OVL_NONNULL text);
} ovl_text_sink;

/** Receives a file in consecutive pieces. */
typedef struct ovl_bytes_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** `offset`: bytes from the start of the requested range to this chunk. `total`: bytes of the whole range, or OVL_UNKNOWN.
     *  OVL_OK to continue, OVL_STOPPED to end the call early. */
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, const ovl_bytes *OVL_NONNULL chunk, uint64_t offset,
                                   uint64_t total);
} ovl_bytes_sink;

/** An unknown size or total; as a length: up to the end. */
#define OVL_UNKNOWN UINT64_MAX

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
