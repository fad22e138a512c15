/* OverlayHost ABI, version 1. Include this file; docs/abi.md is the manual. */
#ifndef OVERLAYHOST_OVERLAY_ABI_H
#define OVERLAYHOST_OVERLAY_ABI_H

#include "overlay_content.h"
#include "overlay_methods.h"
#include "overlay_records.h"
#include "overlay_services.h"
#include "overlay_sync.h"
#include "overlay_types.h"

#endif
