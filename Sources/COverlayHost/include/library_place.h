/* Where the library is installed. Internal. */
#ifndef OVERLAYHOST_LIBRARY_PLACE_H
#define OVERLAYHOST_LIBRARY_PLACE_H

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

/** The file that holds this function, as the dynamic linker knows it; null if it does not know. Constant. */
const char *_Nullable library_place(void);

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
