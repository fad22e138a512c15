/* OverlayHost ABI, version 1: size, alignment and offset of everything that crosses the boundary.
 *
 * The numbers are in overlay_layout_v1.def and never change. Tests compare C, C++ and Swift with them.
 */
#ifndef OVERLAYHOST_OVERLAY_LAYOUT_H
#define OVERLAYHOST_OVERLAY_LAYOUT_H

#include "overlay_abi.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** A struct, or a field of one: all numbers are bytes. */
typedef struct ovl_layout {
    const char *OVL_NONNULL record;
    /** Null for the struct as a whole. */
    const char *OVL_NULLABLE field;
    /** 0 for the struct as a whole. */
    uint32_t offset;
    uint32_t size;
    uint32_t alignment;
    uint32_t reserved;
} ovl_layout;

#if defined(__cplusplus)
extern "C" {
#endif

/** [any] All structs of version 1, each followed by its fields; their number into `count`. Constant. */
const ovl_layout *OVL_NONNULL ovl_layout_v1(uint32_t *OVL_NONNULL count);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
