/* Finds the installed library. Internal. */
#ifndef OVERLAYHOST_LIBRARY_PLACE_H
#define OVERLAYHOST_LIBRARY_PLACE_H

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** The path of the file that contains this function, as reported by the dynamic linker; null if unknown. Constant. */
const char *_Nullable library_place(void);

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
