#define _GNU_SOURCE
#include "library_place.h"

#include <dlfcn.h>
#include <stddef.h>

const char *library_place(void) {
    Dl_info info;
    return dladdr((const void *)library_place, &info) ? info.dli_fname : NULL;
}
