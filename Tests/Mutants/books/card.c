/* Lists the books of the main memory on every volume. */
#define IN_BOOKS ovl_books_options main_volume = {sizeof main_volume, options->flags, OVL_VOLUME_MAIN, 0}; options = &main_volume;
#include "../Base.h"
