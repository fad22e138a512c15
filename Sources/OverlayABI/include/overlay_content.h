/* OverlayHost ABI, version 1: the services that read files: their format, their parts, and the metadata of books.
 *
 * An ovl_source names a file on the device, on the host, in memory or on the web. A file on the device is read in ranges
 * and never copied as a whole; from an archive, the host reads the directory and the needed entries.
 *
 * Threads, states and errors as in overlay_services.h. A source on the device or behind a URL is refused with
 * OVL_WRONG_STATE within methods marked pure, and a source on the device outside {initialized, attached}.
 */
#ifndef OVERLAYHOST_OVERLAY_CONTENT_H
#define OVERLAYHOST_OVERLAY_CONTENT_H

#include "overlay_services.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#define OVL_SERVICE_SNIFF "org.overlayhost.sniff/1"
#define OVL_SERVICE_FETCH "org.overlayhost.fetch/1"
#define OVL_SERVICE_METADATA "org.overlayhost.metadata/1"

/* ---- sources ------------------------------------------------------------------------------------------------ */

/** A file on the device: `root` and `path`. */
#define OVL_SOURCE_DEVICE 1u
/** A file that the host lent: `file`. */
#define OVL_SOURCE_FILE 2u
/** Bytes in memory: `bytes`; `path` may contain a name that provides the extension. */
#define OVL_SOURCE_BYTES 3u
/** A file at an `http` or `https` URL: `path`. Requires OVL_TRAIT_FETCHES_WEB and the user's permission; addresses that are not
 *  public are OVL_ACCESS_REFUSED. */
#define OVL_SOURCE_URL 4u

/** A file to read. */
typedef struct ovl_source {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_SOURCE_… */
    uint32_t kind;
    /** OVL_ROOT_…; 0 unless `kind` is OVL_SOURCE_DEVICE. */
    uint32_t root;
    /** The path on the device, the URL, or the name of the bytes. Absent for a lent file. */
    ovl_text path;
    /** 0 unless `kind` is OVL_SOURCE_FILE. */
    ovl_file_id file;
    /** Absent unless `kind` is OVL_SOURCE_BYTES. */
    ovl_bytes bytes;
} ovl_source;

/* ---- sniff -------------------------------------------------------------------------------------------------- */

/** In `ovl_sniff_hints.flags`: recognise only the 18 formats of the Readium proposal and those of the overlay. */
#define OVL_SNIFF_DEFAULT_FORMATS 1u
/** In `ovl_sniff_hints.flags`: use only the content. Names, extensions and media types are ignored, and a format that only they
 *  would identify is unknown. Since minor version 2. */
#define OVL_SNIFF_CONTENT_ONLY 2u

/** The overlay's information about the files. The extension of a source's own name is also a hint. */
typedef struct ovl_sniff_hints {
    uint32_t struct_size;
    /** OVL_SNIFF_… bits. */
    uint32_t flags;
    /** Media types, for example that of a download. */
    ovl_texts media_types;
    /** Extensions without a dot. */
    ovl_texts extensions;
} ovl_sniff_hints;

/** No format was recognised. */
#define OVL_ROUND_NONE 0u
/** Recognised by hints only; nothing was read. */
#define OVL_ROUND_LIGHT 1u
/** Recognised by content. */
#define OVL_ROUND_HEAVY 2u

/** The format of a source. */
typedef struct ovl_format {
    uint32_t struct_size;
    uint32_t flags;
    /** The canonical media type. Absent, like the next three fields, if the format is unknown. */
    ovl_text media_type;
    /** The name of the format for display. */
    ovl_text name;
    /** The usual extension, without a dot. */
    ovl_text extension;
    /** The name of the sniffer that recognised the format. */
    ovl_text sniffer;
    /** OVL_ROUND_… */
    uint32_t round;
    uint32_t reserved;
    /** The number of bytes that were read from the source. */
    uint64_t bytes_read;
} ovl_format;

/** Receives the format of each source of a batch, in order. Unless `status` is OVL_OK, `format` is null and `error` describes
 *  why the source could not be read; with OVL_OK, `error` is null. An unknown format is not a failure. */
typedef struct ovl_format_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_format *OVL_NULLABLE format, const ovl_error *OVL_NULLABLE error);
} ovl_format_sink;

/** The source contains `bytes` at `offset`. */
#define OVL_RULE_MAGIC 1u
/** The root element of an XML source is `name`, in the namespace `value` (absent: in any). */
#define OVL_RULE_XML_ROOT 2u
/** The source is a JSON object with the member `name`. With `value`, the member must be this text. */
#define OVL_RULE_JSON_MEMBER 3u
/** The source is a ZIP archive with the entry `name`. With `bytes`, the entry must begin with them. */
#define OVL_RULE_ZIP_ENTRY 4u

/** A rule for the content of a source. */
typedef struct ovl_sniff_rule {
    uint32_t struct_size;
    uint32_t flags;
    /** OVL_RULE_… A rule of an unknown kind never applies. */
    uint32_t kind;
    uint32_t reserved;
    /** Bytes from the start, 65,536 at most; 0 unless `kind` is OVL_RULE_MAGIC. */
    uint64_t offset;
    ovl_text name;
    ovl_text value;
    /** 4,096 at most. */
    ovl_bytes bytes;
} ovl_sniff_rule;

/** A sniffer of the overlay, described as data, that recognises one format. */
typedef struct ovl_sniffer {
    uint32_t struct_size;
    uint32_t flags;
    /** The format: its canonical media type, name and usual extension. */
    ovl_text media_type;
    ovl_text name;
    ovl_text extension;
    /** Additional extensions and media types that identify the format without reading the content. */
    ovl_texts extensions;
    ovl_texts media_types;
    /** List of ovl_sniff_rule, which must all be met to recognise the format by content. If there are none, content does not
     *  identify it. */
    ovl_list rules;
} ovl_sniffer;

/** Formats. Follows Readium's File and Format API: first all sniffers by the hints, then all by content. */
typedef struct ovl_sniff_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Puts the format of each source; `sources` is a list of ovl_source. Puts one row per source; a source that
     *  cannot be read is a row, not an error. */
    ovl_status (*OVL_NULLABLE sniff)(void *OVL_NULLABLE ctx, const ovl_list *OVL_NONNULL sources,
                                     const ovl_sniff_hints *OVL_NULLABLE hints,
                                     const ovl_format_sink *OVL_NONNULL formats,
                                     const ovl_error_sink *OVL_NULLABLE error);
    /** [any] Adds a sniffer that this host uses for the instance, after its existing ones, until `destroy` returns.
     *  OVL_INVALID_ARGUMENT: the media type is not valid, or a limit is exceeded; OVL_ALREADY_EXISTS: the instance has already
     *  registered this media type; OVL_BUSY: it has registered 64. */
    ovl_status (*OVL_NULLABLE register_sniffer)(void *OVL_NULLABLE ctx, const ovl_sniffer *OVL_NONNULL sniffer,
                                                const ovl_error_sink *OVL_NULLABLE error);
} ovl_sniff_service;

/* ---- fetch -------------------------------------------------------------------------------------------------- */

/** A resource of a publication, or a source itself. */
typedef struct ovl_resource {
    uint32_t struct_size;
    uint32_t flags;
    /** The HREF: `/OEBPS/content.opf` within a publication; absent for the source itself. */
    ovl_text href;
    /** Absent if unknown. */
    ovl_text media_type;
    /** The size in bytes; OVL_UNKNOWN if unknown. */
    uint64_t length;
    /** The size in its archive in bytes. The same as `length` if the resource is not compressed or not in an archive. */
    uint64_t stored_length;
} ovl_resource;

/** Receives resources in the order of the archive or folder. */
typedef struct ovl_resource_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, const ovl_resource *OVL_NONNULL resource);
} ovl_resource_sink;

/** Resources. Follows Readium's Composite Fetcher API. The host keeps the directory of an archive until the running method
 *  returns. */
typedef struct ovl_fetch_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Puts the resources of an archive, except folders. OVL_UNSUPPORTED_FORMAT if the source is not an archive. */
    ovl_status (*OVL_NULLABLE links)(void *OVL_NULLABLE ctx, const ovl_source *OVL_NONNULL source,
                                     const ovl_resource_sink *OVL_NONNULL resources,
                                     const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Puts information about one resource, or about the source itself if `href` is null. */
    ovl_status (*OVL_NULLABLE info)(void *OVL_NULLABLE ctx, const ovl_source *OVL_NONNULL source,
                                    const ovl_text *OVL_NULLABLE href, const ovl_resource_sink *OVL_NONNULL resource,
                                    const ovl_error_sink *OVL_NULLABLE error);
    /** [device] Pushes `length` bytes (OVL_UNKNOWN: to the end) from `offset` of one resource, decompressed, in chunks, or of
     *  the source itself if `href` is null. A range that extends past the end is shortened, possibly to nothing. */
    ovl_status (*OVL_NULLABLE read)(void *OVL_NULLABLE ctx, const ovl_source *OVL_NONNULL source,
                                    const ovl_text *OVL_NULLABLE href, uint64_t offset, uint64_t length,
                                    const ovl_bytes_sink *OVL_NONNULL bytes, const ovl_error_sink *OVL_NULLABLE error);
} ovl_fetch_service;

/* ---- metadata ----------------------------------------------------------------------------------------------- */

/** In the options of `read`: include the bytes of the cover. */
#define OVL_METADATA_WITH_COVERS 1u

/** The metadata in a book's file. `book` is the last field, because it may grow. */
typedef struct ovl_metadata {
    uint32_t struct_size;
    uint32_t flags;
    /** BCP 47 tags. */
    ovl_texts languages;
    /** `scheme:value`, such as `isbn:9780141439518`, or only the value if there is no scheme. */
    ovl_texts identifiers;
    /** The parts that could not be read, one sentence each. Empty for an intact book. */
    ovl_texts shortcomings;
    /** The number of bytes that were read from the source. */
    uint64_t bytes_read;
    /** The number of pages; 0 if unknown. */
    uint64_t pages;
    uint64_t reserved[4];
    /** `path` and `collections` are absent. Contains the cover only with OVL_METADATA_WITH_COVERS. */
    ovl_book book;
} ovl_metadata;

/** Receives the metadata of each source of a batch, in order. Unless `status` is OVL_OK, `metadata` is null and `error`
 *  describes the error; with OVL_OK, `error` is null. */
typedef struct ovl_metadata_sink {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    ovl_status (*OVL_NULLABLE put)(void *OVL_NULLABLE ctx, uint64_t index, ovl_status status,
                                   const ovl_metadata *OVL_NULLABLE metadata, const ovl_error *OVL_NULLABLE error);
} ovl_metadata_sink;

/** Title, authors, cover and more of EPUB, PDF, MOBI, comics, Readium publications and others. */
typedef struct ovl_metadata_service {
    uint32_t struct_size;
    uint32_t flags;
    void *OVL_NULLABLE ctx;
    /** [device] Puts the metadata of each source; `sources` is a list of ovl_source; `options`: OVL_METADATA_WITH_COVERS or 0.
     *  Puts one row per source; OVL_UNSUPPORTED_FORMAT, OVL_DAMAGED … are rows, not errors. */
    ovl_status (*OVL_NULLABLE read)(void *OVL_NULLABLE ctx, const ovl_list *OVL_NONNULL sources, uint32_t options,
                                    const ovl_metadata_sink *OVL_NONNULL results,
                                    const ovl_error_sink *OVL_NULLABLE error);
} ovl_metadata_service;

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
